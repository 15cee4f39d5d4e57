import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// The token service: a refresh token for a fresh ID token. What the session was proven with stays (Firebase Auth
    /// REST API, "Exchange a refresh token for an ID token").
    func token(_ request: TokenRequest, _ call: Call) async throws -> TokenResponse {
        guard let grantType = request.grantType, !grantType.isEmpty else {
            throw IdentityToolkitError(.missingGrantType)
        }
        guard grantType == "refresh_token" else { throw IdentityToolkitError(.invalidGrantType) }
        guard let refreshToken = request.refreshToken, !refreshToken.isEmpty else {
            throw IdentityToolkitError(.missingRefreshToken)
        }
        // The audience of the ID token says that a session lacks its second factor.
        switch try await realm.sessions.refresh(
            Secret(refreshToken), of: .dialect(.identityToolkit), secondFactor: .none, by: call.client)
        {
        case .refused(.unknownToken): throw IdentityToolkitError(.invalidRefreshToken)
        case .refused(.reused), .refused(.ended), .refused(.secondFactorRequired):
            throw IdentityToolkitError(.tokenExpired)
        case .refused(.userNotFound): throw IdentityToolkitError(.userNotFound)
        case .refused(.userDisabled): throw IdentityToolkitError(.userDisabled)
        case .refreshed(let signedIn):
            // The session is older than the factor, or than the demand for it: its tokens would stay without.
            if try await tokens(call).lacksSecondFactor(signedIn.evidence, of: signedIn.user.id),
                try await !realm.enrolments.secondFactors(of: signedIn.user.id).isEmpty
            {
                throw IdentityToolkitError(.tokenExpired)
            }
            let (idToken, lifetime) = try await tokens(call).idToken(for: signedIn)
            return TokenResponse(
                accessToken: idToken, expiresIn: Int64String(Int64(lifetime)),
                refreshToken: signedIn.refreshToken.reveal(), idToken: idToken, userID: signedIn.user.id.rawValue,
                projectID: options.projectID)
        }
    }
}
