import IBMMobileFoundationSwift
import Synchronization

/// The app's one challenge handler, and the person in front of it, who types what the act says.
final class PersonAtPINPad: SecurityCheckChallengeHandlerSwift {
    private let mind = Mutex(Mind())

    private struct Mind {
        var pins: [String] = []
        var challenges: [String] = []
    }

    /// What will be typed, one for each time that the PIN is asked for.
    func types(_ pins: [String]) { mind.withLock { $0.pins = pins } }

    /// What was read on the screen since this was asked last.
    func challenges() -> [String] {
        mind.withLock { mind in
            defer { mind.challenges = [] }
            return mind.challenges
        }
    }

    override func handleChallenge(challengeResponse: [AnyHashable: Any]!) {
        let left = challengeResponse["remainingAttempts"] as? Int
        let message = challengeResponse["errorMsg"] as? String ?? "The PIN, please."
        let pin = mind.withLock { mind -> String? in
            mind.challenges.append("“\(message)” (\(left.map { "\($0) left" } ?? "?"))")
            return mind.pins.isEmpty ? nil : mind.pins.removeFirst()
        }
        guard let pin else { return cancel() }
        submitChallengeAnswer(answer: ["pin": pin])
    }
}
