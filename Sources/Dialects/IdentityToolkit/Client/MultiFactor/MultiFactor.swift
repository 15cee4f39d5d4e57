import Foundation
import IdentityToolkitWire

/// The second factors of a user: to list, add and remove. Source: Firebase API reference for Swift, `MultiFactor`.
public final class MultiFactor: NSObject, Sendable {
    private let user: User

    init(of user: User) { self.user = user }

    /// In the order of their enrolment, as the server last said.
    public var enrolledFactors: [MultiFactorInfo] { user.profile.factors.map(MultiFactorInfo.of) }

    /// A session in which a factor is enrolled. Asks the server nothing.
    public func session() async throws -> MultiFactorSession { MultiFactorSession(.enrollment(user)) }

    /// As ``session()``; see ``AuthCompletion``.
    public func getSessionWithCompletion(_ completion: AuthCompletion<MultiFactorSession>?) {
        complete(completion) { try await self.session() }
    }

    /// Adds the factor whose secret ``TOTPMultiFactorGenerator/generateSecret(with:)`` made, after its first code was
    /// right. The session is from then on one with two factors.
    ///
    /// - Parameter displayName: the factor's name. Servers refuse nil with `missingDisplayName`.
    /// - Throws: `invalidVerificationCode` for a wrong code, which may be tried again; `tooManyEnrollmentAttempts`,
    ///   `sessionExpired`, `invalidVerificationID` and `multiFactorEnrollmentAlreadyComplete`, after which a new
    ///   secret must be generated.
    public func enroll(with assertion: MultiFactorAssertion, displayName: String?) async throws {
        guard let assertion = assertion as? TOTPMultiFactorAssertion, case .enrollment(let secret) = assertion.question
        else { throw AuthErrorCode.refused(.invalidArgument, because: "The assertion is not one for enrolment.") }
        let user = user
        let answer = try await user.withToken { backend, token in
            try await backend.finalizeEnrollment(
                FinalizeMFAEnrollmentRequest(
                    idToken: token, displayName: displayName,
                    totpVerificationInfo: TOTPVerificationInfo(
                        sessionInfo: secret.sessionInfo, verificationCode: assertion.oneTimePassword),
                    tenantId: user.tenantID))
        }
        let tokens = try SessionTokens(
            idToken: answer.idToken, refreshToken: answer.refreshToken, now: user.auth.now())
        try await take(tokens)
    }

    /// As ``enroll(with:displayName:)``; see ``AuthVoidCompletion``.
    public func enroll(
        with assertion: MultiFactorAssertion, displayName: String?, completion: AuthVoidCompletion? = nil
    ) {
        complete(completion) { try await self.enroll(with: assertion, displayName: displayName) }
    }

    /// Removes a factor. See ``unenroll(withFactorUID:)``.
    public func unenroll(with factorInfo: MultiFactorInfo) async throws {
        try await unenroll(withFactorUID: factorInfo.uid)
    }

    /// As ``unenroll(with:)``; see ``AuthVoidCompletion``.
    public func unenroll(with factorInfo: MultiFactorInfo, completion: AuthVoidCompletion? = nil) {
        complete(completion) { try await self.unenroll(with: factorInfo) }
    }

    /// Removes a factor. Every other session of the user ends where the server says so.
    ///
    /// - Throws: `invalidUserToken` where the factor was removed and the session rested on it while others remain:
    ///   the user is signed out and signs in again with one of those. `multiFactorInfoNotFound` where the account has
    ///   no such factor. Source: Firebase API reference for Swift, `MultiFactor`.
    public func unenroll(withFactorUID factorUID: String) async throws {
        let user = user
        let answer = try await user.withToken { backend, token in
            try await backend.withdraw(
                WithdrawMFARequest(idToken: token, mfaEnrollmentId: factorUID, tenantId: user.tenantID))
        }
        user.changeProfile { $0.factors.removeAll { $0.uid == factorUID } }
        guard answer.idToken != nil, answer.refreshToken != nil else {
            user.auth.forceSignOut(of: user)
            throw AuthErrorCode(.invalidUserToken)
        }
        let tokens = try SessionTokens(
            idToken: answer.idToken, refreshToken: answer.refreshToken, now: user.auth.now())
        try await take(tokens)
    }

    /// As ``unenroll(withFactorUID:)``; see ``AuthVoidCompletion``.
    public func unenroll(withFactorUID factorUID: String, completion: AuthVoidCompletion? = nil) {
        complete(completion) { try await self.unenroll(withFactorUID: factorUID) }
    }

    /// The tokens of a changed set of factors: refreshed at once, then the account is asked for. Source: Firebase API
    /// reference for Swift, `MultiFactor`.
    private func take(_ tokens: SessionTokens) async throws {
        user.adopt(tokens)
        _ = try await user.token(forcingRefresh: true)
        try await user.refreshProfile()
    }
}
