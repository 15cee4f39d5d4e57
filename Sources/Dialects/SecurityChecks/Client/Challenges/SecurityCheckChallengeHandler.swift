import ClientHTTP
import Foundation
import JSON

/// Answers the challenges of one security check. Subclass it, and register it once with
/// ``WLClient/registerChallengeHandler(_:)``. Source: MobileFirst client API reference.
open class SecurityCheckChallengeHandler: BaseChallengeHandler {
    /// - Parameter securityCheck: the check's name, exactly as on the server.
    public init(securityCheck: String) {
        super.init(name: securityCheck)
    }

    /// The name of the check whose challenges the handler answers.
    public var securityCheck: String! { slot.name }

    /// The check asks. Answer with `submitChallengeAnswer(_:)` or ``BaseChallengeHandler/cancel()``, now or later. After a
    /// wrong answer it is called again.
    ///
    /// - Parameter challenge: what the check says; nil where it says nothing. A JSON null inside is `NSNull`.
    open func handleChallenge(_ challenge: [AnyHashable: Any]!) {
        notice("\(slot.name): handleChallenge is not implemented, so the challenge is cancelled.")
        cancel()
    }

    /// The check is satisfied.
    open func handleSuccess(_ success: [AnyHashable: Any]!) {}

    /// The check refuses, and takes no answers now.
    open func handleFailure(_ failure: [AnyHashable: Any]!) {}

    /// Answers the challenge. When all checks of the same answer have theirs, the request is sent again. Where there is no
    /// challenge, nothing happens.
    ///
    /// - Parameter answer: what can be written as JSON; nil takes the challenge back without an answer.
    public func submitChallengeAnswer(_ answer: [AnyHashable: Any]!) {
        do {
            let answer: JSONValue? = try answer.map { try JSONValue(foundation: $0) }
            if !slot.answer(with: answer) { notice("\(slot.name): there is no challenge to answer.") }
        } catch {
            _ = slot.giveUp(error)
        }
    }
}
