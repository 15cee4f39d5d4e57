import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `accounts:signInWithCustomToken`: a developer's back end vouches for somebody. No second factor is asked for
    /// (spec, section 2.3).
    func signInWithCustomToken(
        _ request: SignInWithCustomTokenRequest, _ call: Call
    ) async throws -> SignInWithCustomTokenResponse {
        guard let token = request.token, !token.isEmpty else { throw IdentityToolkitError(.missingCustomToken) }
        let verdict = try await realm.authenticator.answer(
            .customToken(Secret(token)), to: .opening(FlowOpening(subject: .answer, terms: SessionTerms())),
            by: call.client)
        switch try await outcome(verdict, call) {
        case .refused(let refusal): throw IdentityToolkitError(customToken: refusal)
        case .pending: throw IdentityToolkitError.internal
        case .signedIn(let signedIn, let idToken, let lifetime):
            return SignInWithCustomTokenResponse(
                idToken: idToken, refreshToken: signedIn.refreshToken.reveal(), expiresIn: lifetime,
                isNewUser: signedIn.isNewUser)
        }
    }
}
