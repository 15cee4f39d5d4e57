import ClientHTTP
import Foundation

/// What all handlers have in common. Apps subclass ``SecurityCheckChallengeHandler`` or ``GatewayChallengeHandler``.
///
/// Handlers are called on the main queue on Apple's systems, elsewhere one after another on a queue of their own; the app
/// may answer from anywhere. A handler that neither answers nor cancels keeps every later authorization waiting. Source:
/// MobileFirst's web SDK.
open class BaseChallengeHandler: NSObject {
    let slot: HandlerSlot

    /// - Parameter name: of the security check, or of the gateway.
    public init(name: String) {
        slot = HandlerSlot(name: name)
    }

    /// The name of the check or gateway that the handler was made for.
    public var handlerName: String! { slot.name }

    /// The request that the handler was called for and has not answered.
    public var activeRequest: WLRequest? { slot.active }

    /// Requests that were challenged meanwhile, too.
    public var waitingRequestsList: [WLRequest] { slot.waiting }

    /// Gives the challenge up: the request fails with `CHALLENGE_HANDLING_CANCELED`, and so do those that wait. Nothing is
    /// sent, so that no attempt is used.
    open func cancel() {
        let error = WLError(.challengeHandlingCancelled, "Challenge handler operation was cancelled.")
        if !slot.giveUp(error) { notice("\(slot.name): there was no challenge to cancel.") }
    }

    /// Sends the requests that wait once more.
    public func releaseWaitingList() { slot.release() }

    /// Fails the requests that wait.
    public func clearWaitingList() {
        slot.clear(WLError(.challengeHandlingCancelled, "Challenge handler operation was cancelled."))
    }
}

/// A handler on its way to the queue on which it is called.
///
/// Unchecked because the framework touches the handler itself on that one queue alone; elsewhere it uses only the slot,
/// which is Sendable. What an app does with its handler from other threads is the app's to order, as with the original.
struct HandlerReference<Handler: BaseChallengeHandler>: @unchecked Sendable {
    let handler: Handler
    let slot: HandlerSlot

    init(_ handler: Handler) {
        self.handler = handler
        slot = handler.slot
    }
}
