import IBMMobileFoundationSwift

/// Asks the user at the terminal for the PIN.
final class PINPrompt: SecurityCheckChallengeHandlerSwift {
    override func handleChallenge(challengeResponse: [AnyHashable: Any]!) {
        let message = challengeResponse["errorMsg"] as? String ?? "This data requires a PIN code."
        let left = challengeResponse["remainingAttempts"] as? Int ?? 0
        print("\(message) Remaining attempts: \(left)\nPIN: ", terminator: "")
        fflush(nil)
        // Nothing typed, or the end of the input: no answer, and no attempt used.
        guard let pin = readLine(), !pin.isEmpty else { return cancel() }
        submitChallengeAnswer(["pin": pin])
    }

    override func handleFailure(failureResponse: [AnyHashable: Any]!) {
        print(failureResponse["failure"] as? String ?? "Unknown error")
    }
}
