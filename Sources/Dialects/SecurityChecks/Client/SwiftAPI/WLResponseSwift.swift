import Foundation

/// ``WLResponse`` with the types of the vendor's wrapper.
public final class WLResponseSwift: NSObject, Sendable {
    let response: WLResponse
    /// What made the request fail, where it did.
    public let error: (any Error)?

    init(_ response: WLResponse, error: (any Error)? = nil) {
        self.response = response
        self.error = error
    }

    /// The HTTP status.
    public var status: Int { Int(response.status) }
    /// The body as UTF-8; what is none is replaced.
    public var responseText: String { response.responseText }
    /// The members, where the answer is a JSON object; else nil.
    public var responseJSON: [AnyHashable: Any]? { response.responseJSON }
    /// The headers, by names in lower case.
    public var headers: [AnyHashable: Any]? { response.headers }
    /// The body as it came, empty where there is none.
    public var responseData: Data? { response.responseData }
    /// Always nil: no function of this module takes one.
    public var invocationContext: NSObject? { nil }
    /// Always nil, as ``invocationContext``.
    public var userInfoDict: [AnyHashable: Any]? { nil }
}

/// ``WLFailResponse`` with the types of the vendor's wrapper.
public final class WLFailResponseSwift: NSObject, Sendable {
    let response: WLFailResponse

    init(_ response: WLFailResponse) { self.response = response }

    /// A text for developers: ``WLError/message``.
    public var errorMsg: String? { response.errorMsg }
    public var errorCode: String? { response.errorCode }
    /// The HTTP status; 0 where there was no answer.
    public var status: Int { Int(response.status) }
}

/// Gets an answer, instead of a completion.
public protocol WLDelegateSwift {
    /// The answer was a 2xx.
    func onSuccess(response: WLResponseSwift)
    /// The request failed. ``WLFailResponseSwift/status`` is 0 where there was no answer.
    func onFailure(response: WLFailResponseSwift)
}

/// A delegate of either layer.
///
/// Unchecked because it is called once, on one queue, and the app gave it away for that call.
struct AnyDelegateReference: @unchecked Sendable {
    private let delegate: Any

    init(_ delegate: Any) {
        if !(delegate is any WLDelegateSwift), !(delegate is any WLDelegate) {
            notice("\(type(of: delegate)) is no WLDelegateSwift, and is told nothing.")
        }
        self.delegate = delegate
    }

    func tell(_ response: WLResponse?, _ error: (any Error)?) {
        if let delegate = delegate as? any WLDelegateSwift {
            if let error {
                delegate.onFailure(response: WLFailResponseSwift(WLFailResponse(anything: error)))
            } else if let response {
                delegate.onSuccess(response: WLResponseSwift(response))
            }
        } else if let delegate = delegate as? any WLDelegate {
            DelegateReference(delegate).tell(response, error)
        }
    }
}
