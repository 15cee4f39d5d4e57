import Foundation

/// ``SecurityCheckChallengeHandler`` with the labels of the vendor's wrapper: what new apps subclass.
open class SecurityCheckChallengeHandlerSwift: SecurityCheckChallengeHandler {
    override public init(securityCheck: String) {
        super.init(securityCheck: securityCheck)
    }

    /// See ``SecurityCheckChallengeHandler/submitChallengeAnswer(_:)``.
    public func submitChallengeAnswer(answer: [AnyHashable: Any]!) { submitChallengeAnswer(answer) }

    /// The check asks: see ``SecurityCheckChallengeHandler/handleChallenge(_:)``. Unless it is overridden, the
    /// challenge is cancelled.
    open func handleChallenge(challengeResponse: [AnyHashable: Any]!) { super.handleChallenge(challengeResponse) }
    /// The check is satisfied. Does nothing unless it is overridden.
    open func handleSuccess(successResponse: [AnyHashable: Any]!) {}
    /// The check refuses, and takes no answers now. Does nothing unless it is overridden.
    open func handleFailure(failureResponse: [AnyHashable: Any]!) {}

    override open func handleChallenge(_ challenge: [AnyHashable: Any]!) {
        handleChallenge(challengeResponse: challenge)
    }
    override open func handleSuccess(_ success: [AnyHashable: Any]!) { handleSuccess(successResponse: success) }
    override open func handleFailure(_ failure: [AnyHashable: Any]!) { handleFailure(failureResponse: failure) }
}

/// ``GatewayChallengeHandler`` with the labels of the vendor's wrapper.
open class GatewayChallengeHandlerSwift: GatewayChallengeHandler {
    /// See ``GatewayChallengeHandler/init(gatewayName:)``.
    override public init(gatewayName: String) {
        super.init(gatewayName: gatewayName)
    }

    /// Whether an answer is the gateway's. Asked for every answer.
    open func canHandleResponse(response: WLResponseSwift) -> Bool { false }
    /// The gateway asks: see ``GatewayChallengeHandler/handleChallenge(_:)``. Unless it is overridden, the challenge is
    /// cancelled.
    open func handleChallenge(response: WLResponseSwift) { cancel() }
    /// The login form was taken. Unless it is overridden, the request that met the gateway is sent again.
    open func onSuccess(successResponse: WLResponseSwift) { submitSuccess(response: successResponse) }
    /// The login form was refused, or did not arrive. Unless it is overridden, the challenge is cancelled.
    open func onFailure(failureResponse: WLFailResponseSwift) { cancel() }

    /// See ``GatewayChallengeHandler/submitSuccess(_:)``.
    public func submitSuccess(response: WLResponseSwift) { submitSuccess(response.response) }

    /// Sends a form to the gateway: see
    /// ``GatewayChallengeHandler/submitLoginForm(_:requestParameters:requestHeaders:requestTimeoutInMilliSeconds:requestMethod:)``.
    public func submitLoginForm(
        requestUrl: String, requestParameters: [AnyHashable: Any]!, requestHeaders: [AnyHashable: Any]!,
        requestTimeoutInMilliSeconds: Int32 = 10_000, requestMethod: String! = "POST"
    ) {
        submitLoginForm(
            requestUrl, requestParameters: requestParameters, requestHeaders: requestHeaders,
            requestTimeoutInMilliSeconds: requestTimeoutInMilliSeconds, requestMethod: requestMethod)
    }

    override open func canHandleResponse(_ response: WLResponse!) -> Bool {
        response.map { canHandleResponse(response: WLResponseSwift($0)) } ?? false
    }
    override open func handleChallenge(_ response: WLResponse!) {
        if let response { handleChallenge(response: WLResponseSwift(response)) }
    }
    override open func onSuccess(_ response: WLResponse!) {
        if let response { onSuccess(successResponse: WLResponseSwift(response)) }
    }
    override open func onFailure(_ response: WLFailResponse!) {
        if let response { onFailure(failureResponse: WLFailResponseSwift(response)) }
    }
}

/// What the vendor's wrapper calls the base of handlers.
public class BaseChallengeHandlerSwift {
    private let handler: BaseChallengeHandler

    /// A handler that is registered nowhere and is never called. Apps subclass ``SecurityCheckChallengeHandlerSwift``
    /// or ``GatewayChallengeHandlerSwift``.
    public init(name: String) { handler = BaseChallengeHandler(name: name) }

    /// Only writes to the log: this handler is never called, and so has no challenge to give up.
    public func cancel() { handler.cancel() }
}
