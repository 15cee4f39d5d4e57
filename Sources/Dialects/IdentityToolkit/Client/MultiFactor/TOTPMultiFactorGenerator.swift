import Foundation
import IdentityToolkitWire

/// Makes the secrets of authenticators, and the assertions that carry their codes. Source: Firebase API reference for
/// Swift, `TOTPMultiFactorGenerator`.
public final class TOTPMultiFactorGenerator: NSObject, Sendable {
    /// A secret for the user of the session, who gives it to their authenticator and then confirms it with a code.
    ///
    /// - Throws: `invalidArgument` for a session that is not one of an enrolment; `unverifiedEmail`,
    ///   `unsupportedFirstFactor`, `requiresRecentLogin`, `maximumSecondFactorCountExceeded` and
    ///   `operationNotAllowed` as the server says. Source: Firebase API reference for Swift,
    ///   `TOTPMultiFactorGenerator`.
    public static func generateSecret(with session: MultiFactorSession) async throws -> TOTPSecret {
        guard case .enrollment(let user) = session.purpose else {
            throw AuthErrorCode.refused(.invalidArgument, because: "The session is not one of an enrolment.")
        }
        let answer = try await user.withToken { backend, token in
            try await backend.startEnrollment(
                StartMFAEnrollmentRequest(
                    idToken: token, totpEnrollmentInfo: EmptyObject(), tenantId: user.tenantID))
        }
        return try TOTPSecret(answer.totpSessionInfo)
    }

    /// As ``generateSecret(with:)``; see ``AuthCompletion``.
    public static func generateSecret(
        with session: MultiFactorSession, completion: @escaping AuthCompletion<TOTPSecret>
    ) {
        complete(completion) { try await generateSecret(with: session) }
    }

    /// The first code of an authenticator that has just been given the secret.
    public static func assertionForEnrollment(
        with secret: TOTPSecret, oneTimePassword: String
    ) -> TOTPMultiFactorAssertion {
        TOTPMultiFactorAssertion(.enrollment(secret), oneTimePassword: oneTimePassword)
    }

    /// The code of an authenticator at sign-in.
    ///
    /// - Parameter enrollmentID: the ``MultiFactorInfo/uid`` of the factor, from the resolver's hints.
    public static func assertionForSignIn(
        withEnrollmentID enrollmentID: String, oneTimePassword: String
    ) -> TOTPMultiFactorAssertion {
        TOTPMultiFactorAssertion(.signIn(enrollmentID: enrollmentID), oneTimePassword: oneTimePassword)
    }
}
