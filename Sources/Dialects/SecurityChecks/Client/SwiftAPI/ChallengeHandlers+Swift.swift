import Foundation

/// ``SecurityCheckChallengeHandler`` with the labels of the vendor's wrapper: what new apps subclass.
open class SecurityCheckChallengeHandlerSwift: SecurityCheckChallengeHandler {
    override public init(securityCheck: String) {
        super.init(securityCheck: securityCheck)
    }

    public func submitChallengeAnswer(answer: [AnyHashable: Any]!) { submitChallengeAnswer(answer) }

    open func handleChallenge(challengeResponse: [AnyHashable: Any]!) { super.handleChallenge(challengeResponse) }
    open func handleSuccess(successResponse: [AnyHashable: Any]!) {}
    open func handleFailure(failureResponse: [AnyHashable: Any]!) {}

    override open func handleChallenge(_ challenge: [AnyHashable: Any]!) {
        handleChallenge(challengeResponse: challenge)
    }
    override open func handleSuccess(_ success: [AnyHashable: Any]!) { handleSuccess(successResponse: success) }
    override open func handleFailure(_ failure: [AnyHashable: Any]!) { handleFailure(failureResponse: failure) }
}

/// ``GatewayChallengeHandler`` with the labels of the vendor's wrapper.
open class GatewayChallengeHandlerSwift: GatewayChallengeHandler {
    override public init(gatewayName: String) {
        super.init(gatewayName: gatewayName)
    }

    /// Whether an answer is the gateway's. Asked for every answer.
    open func canHandleResponse(response: WLResponseSwift) -> Bool { false }
    open func handleChallenge(response: WLResponseSwift) { cancel() }
    open func onSuccess(successResponse: WLResponseSwift) { submitSuccess(response: successResponse) }
    open func onFailure(failureResponse: WLFailResponseSwift) { cancel() }

    public func submitSuccess(response: WLResponseSwift) { submitSuccess(response.response) }

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

    public init(name: String) { handler = BaseChallengeHandler(name: name) }

    public func cancel() { handler.cancel() }
}
