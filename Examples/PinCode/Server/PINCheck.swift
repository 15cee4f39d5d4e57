import CountersignCore
import OneTimePassword
import SecurityChecks

/// Asks for one PIN. The core counts the attempts, keeps the state of each client and blocks; what is left to say is what
/// is right.
struct PINCheck: CredentialsValidationSecurityCheck {
    let pin: Secret<String>
    /// Three attempts in two minutes, then a minute of nothing. A right one is good for a minute.
    let limits = AttemptLimits(
        maxAttempts: 3, attemptingStateExpiration: 120, successStateExpiration: 60, blockedStateExpiration: 60)

    func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict {
        guard let given = credentials["pin"]?.credentialText else { return .wrong("Pin code was not provided") }
        return ConstantTime.equal(Array(given.utf8), Array(pin.reveal().utf8))
            ? .right : .wrong("Pin code is not valid.")
    }
}
