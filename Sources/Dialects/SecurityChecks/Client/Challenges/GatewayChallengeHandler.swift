import ClientHTTP
import Foundation

/// Deals with a gateway before the server that wants a login of its own, by an answer that has no challenges. Source:
/// MobileFirst client API reference.
open class GatewayChallengeHandler: BaseChallengeHandler {
    /// Sends a login form; set when the handler is registered.
    let forms = Locked<(@Sendable (GatewayForm) async throws -> WLResponse)?>(nil)

    /// A handler for a gateway.
    ///
    /// - Parameter gatewayName: any name of the app's; a later handler of the same name takes this one's place.
    public init(gatewayName: String) {
        super.init(name: gatewayName)
    }

    /// The name that the app gave the gateway.
    public var gatewayName: String! { slot.name }

    /// Whether an answer is the gateway's. Asked for every answer.
    open func canHandleResponse(_ response: WLResponse!) -> Bool { false }

    /// The gateway asks. Log in, say by `submitLoginForm(_:requestParameters:requestHeaders:requestTimeoutInMilliSeconds:requestMethod:)`,
    /// and call `submitSuccess(_:)`, or ``BaseChallengeHandler/cancel()``.
    open func handleChallenge(_ response: WLResponse!) { cancel() }

    /// The login form was taken.
    open func onSuccess(_ response: WLResponse!) { submitSuccess(response) }

    /// The login form was refused, or did not arrive.
    open func onFailure(_ response: WLFailResponse!) { cancel() }

    /// Sends the request again that met the gateway.
    public func submitSuccess(_ response: WLResponse!) {
        if !slot.answer(with: nil) { notice("\(slot.name): there is no request to send again.") }
        slot.release()
    }

    /// Sends a form to the gateway, and tells ``onSuccess(_:)``, ``onFailure(_:)`` or, where the gateway asks again,
    /// ``handleChallenge(_:)``.
    ///
    /// - Parameters:
    ///   - requestUrl: absolute, or below the server's URL.
    ///   - requestTimeoutInMilliSeconds: 10,000 where it is not above 0.
    ///   - requestMethod: `POST` where it is nil.
    public func submitLoginForm(
        _ requestUrl: String, requestParameters: [AnyHashable: Any]!, requestHeaders: [AnyHashable: Any]!,
        requestTimeoutInMilliSeconds: Int32, requestMethod: String!
    ) {
        let form = GatewayForm(
            url: requestUrl, parameters: Self.texts(requestParameters), headers: Self.texts(requestHeaders),
            timeout: requestTimeoutInMilliSeconds > 0 ? TimeInterval(requestTimeoutInMilliSeconds) / 1000 : 10,
            method: requestMethod ?? "POST")
        guard let send = forms.current else {
            notice("\(slot.name): register the handler before it sends forms.")
            return cancel()
        }
        let reference = HandlerReference(self)
        Task {
            let result: Result<WLResponse, any Error>
            do { result = .success(try await send(form)) } catch { result = .failure(error) }
            await CallbackQueue.handlers.run { reference.handler.formDidEnd(result) }
        }
    }

    private func formDidEnd(_ result: Result<WLResponse, any Error>) {
        switch result {
        case .failure(let error): onFailure(WLFailResponse(anything: error))
        case .success(let response) where canHandleResponse(response): handleChallenge(response)
        case .success(let response) where (200..<400).contains(response.status): onSuccess(response)
        case .success(let response): onFailure(WLFailResponse(WLError(refusal: response.response)))
        }
    }

    private static func texts(_ values: [AnyHashable: Any]?) -> [String: String] {
        (values ?? [:]).reduce(into: [:]) { $0["\($1.key.base)"] = "\($1.value)" }
    }
}

/// A login form on its way to a gateway.
struct GatewayForm: Sendable {
    let url: String
    let parameters: [String: String]
    let headers: [String: String]
    /// Seconds.
    let timeout: TimeInterval
    let method: String
}
