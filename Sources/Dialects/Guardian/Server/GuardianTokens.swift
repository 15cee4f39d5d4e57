import CountersignCore
import Foundation

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

    static let audienceDetail = "audience"
    static let authorizationDetail = "authorization_details"

    func answer(for signedIn: SignedIn) async throws -> Answer {
        let settings = try await realm.settings()
        let algorithm = settings.tokens.algorithm(for: .guardian)
        let lifetime = settings.tokens.idTokenLifetime
        let scopes = signedIn.evidence.scopes
        let idToken =
            scopes.contains("openid")
            ? try await realm.keyring.sign(identity(signedIn, scopes, lifetime), with: algorithm) : nil
        return Answer(
            access_token: try await realm.keyring.sign(
                access(signedIn, scopes, lifetime), with: algorithm, typ: "at+jwt"),
            id_token: idToken,
            refresh_token: scopes.contains("offline_access") ? signedIn.refreshToken.reveal() : nil,
            scope: scopes.joined(separator: " "), expires_in: lifetime, token_type: "Bearer",
            authorization_details: signedIn.evidence.details[Self.authorizationDetail],
            recovery_code: signedIn.recoveryCode?.reveal())
    }

    private func common(_ signedIn: SignedIn, _ lifetime: Int) -> [String: JSONValue] {
        let now = realm.clock.now.seconds
        let evidence = signedIn.evidence
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "sub": .string(Guardian.name(of: signedIn.user.id)), "iat": .integer(now),
            "exp": .integer(now + Int64(lifetime)), "sid": .string(signedIn.session.id.rawValue),
            "countersign_epoch": .integer(Int64(signedIn.user.tokenEpoch)),
            "amr": .array(Self.methods(evidence).map { .string($0) }),
        ]
        claims["auth_time"] = evidence.authenticatedAt.map { .integer($0.seconds) }
        return claims
    }

    /// RFC 8176 has words for passwords, for several factors, and for a key alone.
    private static func methods(_ evidence: SessionEvidence) -> [String] {
        guard evidence.proofs.contains(where: { !$0.isSecondFactor }) else { return ["pop"] }
        return evidence.secondFactor == nil ? ["pwd"] : ["pwd", "mfa"]
    }

    private func access(_ signedIn: SignedIn, _ scopes: [String], _ lifetime: Int) -> TokenClaims {
        var claims = common(signedIn, lifetime)
        claims["aud"] = signedIn.evidence.details[Self.audienceDetail] ?? .string(issuer + "userinfo")
        claims["client_id"] = .string(signedIn.grant.clientID.rawValue)
        claims["azp"] = claims["client_id"]
        claims["scope"] = .string(scopes.joined(separator: " "))
        // RFC 9396, section 9.1.
        claims["authorization_details"] = signedIn.evidence.details[Self.authorizationDetail]
        return TokenClaims(claims)
    }

    private func identity(_ signedIn: SignedIn, _ scopes: [String], _ lifetime: Int) -> TokenClaims {
        let user = signedIn.user
        var claims = common(signedIn, lifetime)
        claims["aud"] = .string(signedIn.grant.clientID.rawValue)
        claims.merge(Self.profile(of: user, scopes)) { claim, _ in claim }
        return TokenClaims(claims)
    }

    /// What the scopes `email` and `profile` open of a user (OpenID Connect Core 1.0, section 5.4).
    static func profile(of user: User, _ scopes: [String]) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [:]
        if scopes.contains("email"), let email = user.email {
            claims["email"] = .string(email.canonical)
            claims["email_verified"] = .bool(user.profile.emailVerified)
        }
        if scopes.contains("profile") {
            claims["name"] = user.profile.displayName.map { .string($0) }
            claims["picture"] = user.profile.photoURL.map { .string($0) }
        }
        return claims
    }
}
