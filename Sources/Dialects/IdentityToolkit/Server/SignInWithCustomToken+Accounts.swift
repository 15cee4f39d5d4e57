import CountersignCore
import Foundation
import IdentityToolkitWire
import ServerHTTP

extension IdentityToolkit {
    /// The audience that custom tokens are made for (Firebase documentation, "Create custom tokens").
    static let customTokenAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// `accounts:signInWithCustomToken`: a developer's back end vouches for a user. No second factor is asked for (REST
    /// reference of Identity Platform, v1 `accounts.signInWithCustomToken`).
    func signInWithCustomToken(
        _ request: SignInWithCustomTokenRequest, _ call: Call
    ) async throws -> SignInWithCustomTokenResponse {
        guard let token = request.token, !token.isEmpty else { throw IdentityToolkitError(.missingCustomToken) }
        let verdict = try await realm.authenticator.answer(
            .customToken(
                Secret(options.isDevelopment ? Self.developmentToken(token) : token),
                audience: Self.customTokenAudience),
            to: .opening(FlowOpening(subject: .answer, terms: GrantTerms())),
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

    /// Under `--dev` a JSON object does for a custom token, as in the emulator: `{"uid":"ada"}`. It is made for us, and
    /// has no end.
    private static func developmentToken(_ text: String) -> String {
        guard text.hasPrefix("{"), case .object(var members)? = try? LenientJSON.parse(Array(text.utf8)) else {
            return text
        }
        members["aud"] = .string(customTokenAudience)
        members["exp"] = nil
        guard let payload = try? JSONValue.object(members).jsonText() else { return text }
        return "\(#"{"alg":"none"}"#.utf8.base64URL).\(payload.base64URL)."
    }
}
