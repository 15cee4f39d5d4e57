import ClientHTTP
import Foundation

/// What a server answered. Source: MobileFirst client API reference.
///
/// Unchecked because the class has a subclass; its stored values are constants that are Sendable themselves.
public class WLResponse: NSObject, @unchecked Sendable {
    let response: HTTPClientResponse

    init(_ response: HTTPClientResponse) { self.response = response }

    /// The HTTP status.
    public var status: Int32 { Int32(clamping: response.status) }
    /// By names in lower case.
    public var headers: [AnyHashable: Any]! { response.headers }
    /// The body as it came, empty where there is none; never nil here.
    public var responseData: Data! { response.body }
    /// As UTF-8; what is none is replaced.
    public var responseText: String! { String(decoding: response.body, as: UTF8.self) }
    /// The members, where the answer is a JSON object.
    public var responseJSON: [AnyHashable: Any]! {
        (try? JSONSerialization.jsonObject(with: response.body)) as? [String: Any]
    }
}

/// A failure as a delegate gets it.
///
/// Unchecked because its superclass is; its stored values are constants that are Sendable themselves.
public final class WLFailResponse: WLResponse, @unchecked Sendable {
    let error: WLError

    init(_ error: WLError) {
        self.error = error
        super.init(error.response?.response ?? HTTPClientResponse(status: 0))
    }

    /// Of what was thrown, whatever it was.
    convenience init(anything error: any Error) {
        self.init(error as? WLError ?? WLError(.unexpectedError, "\(error)"))
    }

    public var errorCode: String! { error.code.rawValue }
    /// A text for developers: ``WLError/message``.
    public var errorMsg: String! { error.message }
}

/// Gets an answer, instead of a completion.
public protocol WLDelegate {
    /// The answer was a 2xx.
    func onSuccess(_ response: WLResponse!)
    /// The request failed. ``WLResponse/status`` is 0 where there was no answer.
    func onFailure(_ response: WLFailResponse!)
}
