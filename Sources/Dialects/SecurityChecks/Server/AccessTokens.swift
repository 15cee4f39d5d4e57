import CountersignCore
import Foundation
import ScopeProtection
import SecurityChecks
import SecurityChecksWire

/// Makes and reads this dialect's access tokens, JWTs of RFC 9068.
///
/// `exp` is in seconds, as it is in every JWT: in milliseconds, as the original had it, other verifiers would accept
/// the token for fifty thousand years. Clients do not read it (decision 91).
struct AccessTokens: Sendable {
    let realm: Realm
    let grants: CheckGrants

    /// Seconds that a confidential client's token lives.
    private static let confidentialLifetime = 3600
    private static let confidentialMark = "countersign_confidential"
    /// Which family of refresh tokens a token came of. It goes on after the checks' successes, and ends with the family.
    private static let familyMark = "countersign_family"

    /// - Parameters:
    ///   - family: of which refresh tokens it comes, where it does.
    ///   - refresh: the refresh token to go with it.
    func token(
        for grant: CheckGrants.Grant, of family: String? = nil, with refresh: Secret<String>? = nil
    ) async throws -> TokenResponse {
        let now = realm.clock.now
        let lifetime = max(1, Int((grant.expiresAt.microseconds - now.microseconds) / 1_000_000))
        var claims = common(subject: grant.client.id.rawValue, scope: grant.scope, lifetime: lifetime, at: now)
        if let user = grant.user { claims["auth_time"] = .integer(user.authenticatedAt.seconds) }
        if let family { claims[Self.familyMark] = .string(family) }
        var response = try await signed(claims, grant.scope, lifetime)
        response.refreshToken = refresh?.reveal()
        return response
    }

    func token(for application: ClientID, scope: Set<String>) async throws -> TokenResponse {
        let lifetime = Self.confidentialLifetime
        var claims = common(
            subject: application.rawValue, scope: scope, lifetime: lifetime, at: realm.clock.now)
        claims[Self.confidentialMark] = .bool(true)
        return try await signed(claims, scope, lifetime)
    }

    private func common(
        subject: String, scope: Set<String>, lifetime: Int, at now: Date
    ) -> [String: JSONValue] {
        [
            "iss": .string(AccessTokenClaims.issuer), "aud": .string(AccessTokenClaims.issuer),
            "sub": .string(subject), "client_id": .string(subject), "scope": .string(Scope(scope).text),
            "iat": .integer(now.seconds), "exp": .integer(now.seconds + Int64(lifetime)),
            "jti": .string(realm.random.bytes(16).base64URL),
        ]
    }

    private func signed(
        _ claims: [String: JSONValue], _ scope: Set<String>, _ lifetime: Int
    ) async throws -> TokenResponse {
        let settings = try await realm.settings()
        let algorithm = settings.tokens.algorithm(for: .securityChecks)
        return TokenResponse(
            accessToken: try await realm.keyring.sign(TokenClaims(claims), with: algorithm, typ: "at+jwt"),
            expiresIn: lifetime, scope: Scope(scope))
    }

    private func claims(_ token: String) async throws -> TokenClaims? {
        guard let claims = try await realm.keyring.verified(token),
            claims.string("iss") == AccessTokenClaims.issuer, claims.string("aud") == AccessTokenClaims.issuer,
            let exp = claims.integer("exp"), exp > realm.clock.now.seconds
        else { return nil }
        return claims
    }

    /// A confidential client, with the scope of its token. One that may not have all of it any more has none.
    func confidential(_ token: String) async throws -> (id: ClientID, scope: Set<String>)? {
        guard let claims = try await claims(token), claims[Self.confidentialMark] == .bool(true),
            let subject = claims.string("sub"),
            let application = try await realm.applications.application(ClientID(rawValue: subject)),
            application.registration.secretDigest != nil
        else { return nil }
        let scope = Scope(claims.string("scope") ?? "").elements
        guard ConfidentialScope.covers(Set(application.registration.scopes), scope) else { return nil }
        return (application.id, scope)
    }

    /// What a token allows at this moment.
    enum Standing: Sendable {
        case client(CheckGrants.Grant, expiresAt: Date)
        case confidential(ClientID, scope: Set<String>, expiresAt: Date)
        case inactive
    }

    func standing(of token: String) async throws -> Standing {
        guard let claims = try await claims(token), let subject = claims.string("sub"), let exp = claims.integer("exp")
        else { return .inactive }
        let scope = Scope(claims.string("scope") ?? "").elements
        let expiresAt = Date(timeIntervalSince1970: Double(exp))
        if claims[Self.confidentialMark] == .bool(true) {
            guard let (id, _) = try await confidential(token) else { return .inactive }
            return .confidential(id, scope: scope, expiresAt: expiresAt)
        }
        let client = RegisteredClientID(rawValue: subject)
        let outcome =
            if let family = claims.string(Self.familyMark) {
                try await grants.grant(to: client, scope: scope, family: family)
            } else {
                try await grants.grant(to: client, scope: scope)
            }
        guard case .granted(let grant) = outcome else { return .inactive }
        return .client(grant, expiresAt: expiresAt)
    }
}

/// Validates tokens in the process that issued them, as introspection does.
public struct SecurityChecksValidator: TokenValidator {
    let tokens: AccessTokens

    public func validate(_ token: String) async throws -> TokenVerdict {
        switch try await tokens.standing(of: token) {
        case .inactive: return .invalid
        case .confidential(let id, let scope, let expiresAt):
            return .valid(
                ValidToken(
                    subject: id.rawValue, clientID: id.rawValue, scope: scope, expiresAt: expiresAt, isUser: false))
        case .client(let grant, let expiresAt):
            let id = grant.client.id.rawValue
            return .valid(
                ValidToken(
                    subject: grant.user?.id ?? id, clientID: id, scope: grant.scope, expiresAt: expiresAt,
                    authenticatedAt: grant.user?.authenticatedAt, displayName: grant.user?.displayName,
                    userID: grant.user?.id, isUser: grant.user != nil))
        }
    }
}

extension SecurityChecks {
    /// For routes of the same server.
    public var validator: SecurityChecksValidator { SecurityChecksValidator(tokens: tokens) }
}
