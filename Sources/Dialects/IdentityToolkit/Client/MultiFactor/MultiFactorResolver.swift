import Foundation
import IdentityToolkitWire

/// Finishes a sign-in that asks for a second factor. It comes in the error `secondFactorRequired`, under
/// ``AuthErrorUserInfoMultiFactorResolverKey``. Source: Firebase API reference for Swift, `MultiFactorResolver`.
public final class MultiFactorResolver: NSObject, Sendable {
    /// The sign-in that waits. It makes no secrets: ``TOTPMultiFactorGenerator/generateSecret(with:)`` refuses it with
    /// `invalidArgument`.
    public let session: MultiFactorSession
    /// The factors to choose from.
    public let hints: [MultiFactorInfo]
    /// Where the first factor was given, and whose user the sign-in will set.
    public let auth: Auth
    private let pendingCredential: String

    init(auth: Auth, pendingCredential: String, hints: [MultiFactorInfo]) {
        self.auth = auth
        self.hints = hints
        self.pendingCredential = pendingCredential
        session = MultiFactorSession(.signIn(pendingCredential: pendingCredential))
    }

    /// Gives the second factor and signs the user in.
    ///
    /// - Throws: `invalidVerificationCode` for a wrong code, which may be tried again with the same resolver;
    ///   `totpChallengeTimeout`, `invalidCredential` or (from other servers) `invalidMultiFactorSession` where the first
    ///   factor must be given again;
    ///   `invalidMultiFactorEnrollmentID` where the account has no such factor; `quotaExceeded` after too many wrong
    ///   codes.
    @discardableResult
    public func resolveSignIn(with assertion: MultiFactorAssertion) async throws -> AuthDataResult {
        guard let assertion = assertion as? TOTPMultiFactorAssertion,
            case .signIn(let enrollmentID) = assertion.question
        else { throw AuthErrorCode.refused(.invalidArgument, because: "The assertion is not one for signing in.") }
        let backend = auth.backend
        let answer = try await backend.finalizeSignIn(
            FinalizeMFASignInRequest(
                mfaPendingCredential: pendingCredential, mfaEnrollmentId: enrollmentID,
                totpVerificationInfo: TOTPVerificationInfo(verificationCode: assertion.oneTimePassword),
                tenantId: auth.tenantID))
        let first = try SessionTokens(idToken: answer.idToken, refreshToken: answer.refreshToken, now: auth.now())
        let fresh = try await backend.token(
            TokenRequest(grantType: "refresh_token", refreshToken: first.refreshToken))
        let tokens = try SessionTokens(
            idToken: fresh.accessToken ?? fresh.idToken, refreshToken: fresh.refreshToken ?? first.refreshToken,
            expiresIn: fresh.expiresIn, now: auth.now())
        let user = try await auth.retrieveUser(tokens)
        try auth.setCurrentUser(user)
        return AuthDataResult(user: user, additionalUserInfo: nil)
    }

    /// As ``resolveSignIn(with:)``; see ``AuthCompletion``.
    public func resolveSignIn(
        with assertion: MultiFactorAssertion, completion: AuthCompletion<AuthDataResult>? = nil
    ) {
        complete(completion) { try await self.resolveSignIn(with: assertion) }
    }
}
