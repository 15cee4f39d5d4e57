import Foundation
import IdentityToolkitWire

extension Auth {
    /// The question for any passkey of the domain: no name is asked for.
    func passkeyAssertionRequest() async throws -> PasskeyAssertionRequest {
        let answer = try await backend.startPasskeySignIn(StartPasskeySignInRequest(tenantId: tenantID))
        return try PasskeyAssertionRequest(answer.credentialRequestOptions)
    }

    /// Signs in with the answer of a passkey to the newest ``startPasskeySignIn()``.
    ///
    /// A question takes one answer, right or wrong; begin again after an error. Throws `missingPasskeyEnrollment` where the server does
    /// not know the passkey, `invalidAuthenticatorResponse` where the answer is not right, came too late or came before, `userDisabled`,
    /// and `secondFactorRequired` where the passkey did not verify its user and the account has a second factor. Source:
    /// firebase-ios-sdk, branch `passkey-sv`, `Auth`.
    @discardableResult
    public func finalizePasskeySignIn(
        withPlatformCredential platformCredential: PasskeyAssertion
    ) async throws -> AuthDataResult {
        let answer = try await backend.finalizePasskeySignIn(
            FinalizePasskeySignInRequest(
                tenantId: tenantID, authenticatorAuthenticationResponse: platformCredential.response))
        let result = try await finish(answer, additionalUserInfo: nil)
        try setCurrentUser(result.user)
        return result
    }
}

extension PasskeySessionResponse: FirstFactorAnswer {}
