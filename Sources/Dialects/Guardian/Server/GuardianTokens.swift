import CountersignCore
import Foundation
import OAuthHTTP

/// Makes the tokens of `/oauth/token` (OpenID Connect Core, section 2; RFC 9068).
struct GuardianTokens: Sendable {
    let realm: Realm
    let issuer: String

    struct Answer: Encodable, Sendable {
        let access_token: String
        let id_token: String?
        let refresh_token: String?
        let scope: String
        let expires_in: Int
        let token_type: String
        /// What exactly the user allowed (RFC 9396, section 7).
        let authorization_details: JSONValue?
        /// Replaces the recovery code that was used.
        let recovery_code: String?
    }

    static let authorizationDetail = "authorization_details"

    func answer(for signedIn: SignedIn) async throws -> Answer {
        let settings = try await realm.settings()
        let algorithm = settings.tokens.algorithm(for: .guardian)
        let lifetime = settings.tokens.idTokenLifetime
        let scopes = signedIn.evidence.scopes
        let idToken =
            scopes.contains("openid")
            ? try await realm.tokens.issue(identity(signedIn, scopes, lifetime), with: algorithm) : nil
        return Answer(
            access_token: try await realm.tokens.issue(access(signedIn, scopes, lifetime), with: algorithm),
            id_token: idToken,
            refresh_token: scopes.contains("offline_access") ? signedIn.refreshToken.reveal() : nil,
            scope: scopes.joined(separator: " "), expires_in: lifetime, token_type: "Bearer",
            authorization_details: signedIn.evidence.details[Self.authorizationDetail],
            recovery_code: signedIn.recoveryCode?.reveal())
    }

    private func draft(
        _ type: TokenType, of signedIn: SignedIn, for audience: String, _ lifetime: Int,
        _ spelling: [String: JSONValue?]
    ) -> TokenDraft {
        TokenDraft(
            type: type, issuer: issuer, audience: audience, subject: Guardian.name(of: signedIn.user.id),
            issuedAt: realm.clock.now, lifetime: lifetime,
            parts: [.session, .authenticationTime, .methods(.summary), .epoch], signedIn: signedIn, spelling: spelling)
    }

    /// Whose ID token of this dialect it is; nil for one of another with the same issuer, which has no epoch. Not by `sub` alone: a user's own
    /// id may begin as the names of this protocol do.
    static func user(of claims: TokenClaims) -> UserID? {
        guard claims[CustomClaims.epochClaim] != nil else { return nil }
        return claims.string("sub").flatMap(Guardian.userID)
    }

    private func access(_ signedIn: SignedIn, _ scopes: [String], _ lifetime: Int) -> TokenDraft {
        let details = signedIn.evidence.details
        let application = JSONValue.string(signedIn.grant.clientID.rawValue)
        return draft(
            .accessToken, of: signedIn, for: signedIn.grant.terms.audiences.first ?? issuer + "userinfo", lifetime,
            [
                "client_id": application, "azp": application, "scope": .string(scopes.joined(separator: " ")),
                // RFC 9396, section 9.1.
                "authorization_details": details[Self.authorizationDetail],
            ])
    }

    private func identity(_ signedIn: SignedIn, _ scopes: [String], _ lifetime: Int) -> TokenDraft {
        draft(
            .jwt, of: signedIn, for: signedIn.grant.clientID.rawValue, lifetime,
            signedIn.user.claims(openedBy: scopes).mapValues { .some($0) })
    }
}
