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
    /// Which successes of its checks a token came of, where it came of no family: it counts while these hold
    /// (docs/decisions/0515). Tokens of servers of earlier versions do not say it.
    private static let passedMark = "countersign_passed"

    /// - Parameters:
    ///   - family: of which refresh tokens it comes, where it does.
    ///   - refresh: the refresh token to go with it.
    func token(
        for grant: CheckGrants.Grant, of family: String? = nil, with refresh: Secret<String>? = nil
    ) async throws -> TokenResponse {
        let now = realm.clock.now
        let lifetime = max(1, Int((grant.expiresAt.microseconds - now.microseconds) / 1_000_000))
        var claims: [String: JSONValue] = [:]
        if let user = grant.user { claims["auth_time"] = .integer(user.authenticatedAt.seconds) }
        if let family {
            claims[Self.familyMark] = .string(family)
        } else {
            // Also where its scope asks for no check: then it does not count for one that the application asks for later.
            claims[Self.passedMark] = .array(grant.passed.map { .string($0) })
        }
        var response = try await token(
            subject: grant.client.id.rawValue, scope: grant.scope, lifetime: lifetime, at: now, claims,
            grant.tokenSettings)
        response.refreshToken = refresh?.reveal()
        realm.applicationUses.note(ClientID(rawValue: grant.client.application.id), by: .securityChecks)
        return response
    }

    func token(for application: ClientID, scope: Set<String>) async throws -> TokenResponse {
        try await token(
            subject: application.rawValue, scope: scope, lifetime: Self.confidentialLifetime, at: realm.clock.now,
            [Self.confidentialMark: .bool(true)])
    }

    private func token(
        subject: String, scope: Set<String>, lifetime: Int, at now: Date, _ marks: [String: JSONValue],
        _ settings: TokenSettings? = nil
    ) async throws -> TokenResponse {
        let ours: [String: JSONValue] = ["client_id": .string(subject), "scope": .string(Scope(scope).text)]
        let draft = TokenDraft(
            type: .accessToken, issuer: AccessTokenClaims.issuer, audience: AccessTokenClaims.issuer, subject: subject,
            issuedAt: now, lifetime: lifetime, parts: [.identifier(name: "jti")],
            spelling: ours.merging(marks) { our, _ in our }.mapValues { .some($0) })
        let known: TokenSettings = if let settings { settings } else { try await realm.settings().tokens }
        let algorithm = known.algorithm(for: .securityChecks)
        return TokenResponse(
            accessToken: try await realm.tokens.issue(draft, with: algorithm), expiresIn: lifetime,
            scope: Scope(scope))
    }

    /// A token of this dialect. It names a client or an application, which are looked up where it is used.
    private static let expectation = TokenExpectation(
        types: [.accessToken], issuers: .oneOf([AccessTokenClaims.issuer]),
        audiences: .oneOf([AccessTokenClaims.issuer]))

    /// A confidential client, with the scope of its token.
    typealias Confidential = (id: ClientID, scope: Set<String>)

    /// A confidential client, with the scope of its token. One that may not have all of it any more has none.
    func confidential(_ token: String) async throws -> Confidential? {
        guard let claims = try await realm.tokens.verify(token, expecting: Self.expectation).token?.claims else {
            return nil
        }
        return try await confidential(claims)
    }

    private func confidential(_ claims: TokenClaims) async throws -> Confidential? {
        guard let id = Self.confidentialID(claims) else { return nil }
        return Self.confidential(claims, try await realm.applications.application(id))
    }

    /// What a token of a confidential client says; nil of any other. Whether it is one still is for the store to say.
    func claimsOfConfidential(_ token: String) async throws -> (id: ClientID, claims: TokenClaims)? {
        guard let claims = try await realm.tokens.verify(token, expecting: Self.expectation).token?.claims,
            let id = Self.confidentialID(claims)
        else { return nil }
        return (id, claims)
    }

    /// Whose token of a confidential client it says it is.
    private static func confidentialID(_ claims: TokenClaims) -> ClientID? {
        guard claims[confidentialMark] == .bool(true) else { return nil }
        return claims.string("sub").map { ClientID(rawValue: $0) }
    }

    /// - Parameter application: the one that the claims name, as it is now.
    private static func confidential(
        _ claims: TokenClaims, _ application: CountersignCore.Application?
    ) -> Confidential? {
        guard let application, application.registration.isConfidential else { return nil }
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
        guard let (claims, expiresAt) = try await judged(token) else { return .inactive }
        return try await standing(of: claims, expiresAt, askedBy: nil).standing
    }

    /// The same, with the confidential client that asks; nil where it is none any more. It and the grant of a client are read of one snapshot.
    /// - Parameter asking: what ``claimsOfConfidential(_:)`` said of its own token.
    func standing(
        of token: String, askedBy asking: (id: ClientID, claims: TokenClaims)
    ) async throws -> (asker: Confidential?, standing: Standing) {
        guard let (claims, expiresAt) = try await judged(token) else {
            return (try await confidential(asking.claims), .inactive)
        }
        let (asker, standing) = try await standing(of: claims, expiresAt, askedBy: asking.id)
        return (Self.confidential(asking.claims, asker), standing)
    }

    private func judged(_ token: String) async throws -> (TokenClaims, expiresAt: Date)? {
        guard let verified = try await realm.tokens.verify(token, expecting: Self.expectation).token,
            verified.claims.string("sub") != nil, let expiresAt = verified.expiresAt
        else { return nil }
        return (verified.claims, expiresAt)
    }

    /// - Parameter asker: read too, where one is named.
    private func standing(
        of claims: TokenClaims, _ expiresAt: Date, askedBy asker: ClientID?
    ) async throws -> (asker: CountersignCore.Application?, standing: Standing) {
        let scope = Scope(claims.string("scope") ?? "").elements
        let client = RegisteredClientID(rawValue: claims.string("sub") ?? "")
        if claims[Self.confidentialMark] != .bool(true), claims.string(Self.familyMark) == nil {
            let (application, outcome) = try await grants.grant(
                to: client, scope: scope, passed: Self.passed(claims), askedBy: asker)
            return (application, Self.standing(outcome, expiresAt))
        }
        let application: CountersignCore.Application? =
            if let asker { try await realm.applications.application(asker) } else { nil }
        if let family = claims.string(Self.familyMark), claims[Self.confidentialMark] != .bool(true) {
            let outcome = try await grants.grant(to: client, scope: scope, family: family)
            return (application, Self.standing(outcome, expiresAt))
        }
        guard let (id, _) = try await confidential(claims) else { return (application, .inactive) }
        return (application, .confidential(id, scope: scope, expiresAt: expiresAt))
    }

    private static func standing(_ outcome: CheckGrants.Outcome<CheckGrants.Grant>, _ expiresAt: Date) -> Standing {
        guard case .granted(let grant) = outcome else { return .inactive }
        return .client(grant, expiresAt: expiresAt)
    }

    /// Nil of a token that does not say it.
    private static func passed(_ claims: TokenClaims) -> Set<String>? {
        guard case .array(let names)? = claims[passedMark] else { return nil }
        return Set(names.compactMap(\.stringValue))
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
