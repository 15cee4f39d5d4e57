import Foundation
import IdentityToolkitWire

extension User {
    /// What a passkey is called that was given no name. Source: firebase-ios-sdk, branch `passkey-sv`, `User`.
    static let defaultPasskeyName = "Unnamed account (Apple)"

    /// The passkeys of the account, as the server last said; nil where it has none. ``reload()`` asks again.
    public var enrolledPasskeys: [PasskeyInfo]? { profile.passkeys }

    /// The question for a new passkey.
    func passkeyRegistrationRequest(name: String?) async throws -> PasskeyRegistrationRequest {
        let name = name?.nonEmpty ?? Self.defaultPasskeyName
        let answer = try await withToken { backend, token in
            try await backend.startPasskeyEnrollment(
                StartPasskeyEnrollmentRequest(idToken: token, tenantId: self.tenantID))
        }
        let request = try PasskeyRegistrationRequest(answer.credentialCreationOptions, name: name)
        rememberPasskeyName(name)
        return request
    }

    /// Adds the passkey that an authenticator made for the newest ``startPasskeyEnrollment(withName:)``. The session is from then on
    /// one that the passkey proves, too.
    ///
    /// A question takes one answer, right or wrong; begin again after an error. Throws `invalidAuthenticatorResponse` where the answer
    /// is not right, came too late or came before, `credentialAlreadyInUse`, and `requiresRecentLogin`. Source: firebase-ios-sdk, branch
    /// `passkey-sv`, `User`.
    @discardableResult
    public func finalizePasskeyEnrollment(
        withPlatformCredential platformCredential: PasskeyRegistration
    ) async throws -> AuthDataResult {
        let name = passkeyName ?? Self.defaultPasskeyName
        let answer = try await withToken { backend, token in
            try await backend.finalizePasskeyEnrollment(
                FinalizePasskeyEnrollmentRequest(
                    idToken: token, tenantId: self.tenantID, name: name,
                    authenticatorRegistrationResponse: platformCredential.response))
        }
        adopt(
            try SessionTokens(
                idToken: answer.idToken, refreshToken: answer.refreshToken, expiresIn: answer.expiresIn,
                now: auth.now()))
        try await refreshProfile()
        return AuthDataResult(user: self, additionalUserInfo: nil)
    }

    /// Removes a passkey from the account; the authenticator keeps its part. A server may pass over an id that is none of the account's.
    ///
    /// Throws `missingPasskeyEnrollment` at once for an empty id, `operationNotAllowed` for the last way to sign in, and
    /// `requiresRecentLogin`. Source: firebase-ios-sdk, branch `passkey-sv`, `User`.
    public func unenrollPasskey(withCredentialID credentialID: String) async throws {
        guard !credentialID.isEmpty else { throw AuthErrorCode(.missingPasskeyEnrollment) }
        try await update(UpdateAccountRequest(deletePasskey: [credentialID]))
    }
}
