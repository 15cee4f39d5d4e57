import CountersignCore
import Foundation
import OAuthHTTP
import OAuthWire

/// The tokens of this protocol: access tokens as JWTs (RFC 9068), and ID tokens (OpenID Connect Core 1.0, section 2).
struct OAuthTokens: Sendable {
    let realm: Realm
    /// The issuer, without a slash at its end.
    let base: String

    /// Seconds that an access token lives where its API says nothing.
    static let accessLifetime = 600
    /// Seconds that an ID token lives.
    static let identityLifetime = 3600

    func issuer(for application: CountersignCore.Application) -> String {
        application.issuer(at: base)
    }

    /// What an answer of the token endpoint is to have beside an access token.
    struct Extent: Sendable {
        /// Of what was granted, what this answer covers.
        var scopes: [String]
        /// The one API that the token is for; nil for this server itself.
        var audience: String?
        /// That API as it is registered; nil for this server and its own APIs.
        var resource: Resource?
        /// The key that the request proved (RFC 9449).
        var keyThumbprint: String?
        /// Of the authorization request, for the first ID token alone.
        var nonce: String?
    }

    /// Tokens of a grant.
    func answer(
        _ signedIn: SignedIn, of application: CountersignCore.Application, _ extent: Extent
    ) async throws -> TokenResponse {
        let now = realm.clock.now
        let algorithm = try await algorithm(extent.resource?.algorithm)
        let lifetime = extent.resource?.lifetime ?? Self.accessLifetime
        let memberships = try await Memberships.claims(of: signedIn.user.id, openedBy: extent.scopes, in: realm)
        let access = try await presented(
            realm.tokens.issue(
                accessToken(signedIn, application, extent, memberships, at: now, lifetime), with: algorithm),
            extent, of: signedIn.user.id, at: now, lifetime)
        var identity: String?
        if extent.scopes.contains("openid") {
            identity = try await realm.tokens.issue(
                identityToken(
                    signedIn, application, extent, memberships, access,
                    apis: identityAPIs(asked: signedIn), at: now),
                with: identityAlgorithm(of: application))
        }
        return TokenResponse(
            accessToken: access, tokenType: extent.keyThumbprint == nil ? "Bearer" : "DPoP", expiresIn: lifetime,
            scope: extent.scopes.joined(separator: " "),
            refreshToken: signedIn.grant.terms.scopes.contains("offline_access")
                ? signedIn.refreshToken.reveal() : nil,
            idToken: identity)
    }

    /// A token of an application for itself.
    func answer(for application: CountersignCore.Application, _ extent: Extent) async throws -> TokenResponse {
        let lifetime = extent.resource?.lifetime ?? Self.accessLifetime
        let id = application.id.rawValue
        var spelling: [String: JSONValue?] = [
            "client_id": .string(id), "scope": .string(extent.scopes.joined(separator: " ")),
        ]
        if let key = extent.keyThumbprint { spelling["cnf"] = .object(["jkt": .string(key)]) }
        let draft = TokenDraft(
            type: .accessToken, issuer: issuer(for: application), audience: extent.audience ?? base, subject: id,
            issuedAt: realm.clock.now, lifetime: lifetime, parts: [.identifier(name: "jti")], spelling: spelling)
        let token = try await presented(
            realm.tokens.issue(draft, with: algorithm(extent.resource?.algorithm)), extent, of: nil,
            at: realm.clock.now, lifetime)
        return TokenResponse(
            accessToken: token, tokenType: extent.keyThumbprint == nil ? "Bearer" : "DPoP", expiresIn: lifetime,
            scope: extent.scopes.joined(separator: " "))
    }

    /// What ID tokens and logout tokens of an application are signed with.
    func identityAlgorithm(of application: CountersignCore.Application) async throws -> SigningAlgorithm {
        try await realm.keyring.settings().idTokenAlgorithm(of: application.registration.oauth)
    }

    private func algorithm(_ chosen: SigningAlgorithm?) async throws -> SigningAlgorithm {
        try await realm.keyring.settings().algorithm(choosing: chosen)
    }

    /// An access token as the client gets it: itself, or where the API has it so a name of it.
    private func presented(
        _ token: String, _ extent: Extent, of user: UserID?, at now: Date, _ lifetime: Int
    ) async throws -> String {
        guard extent.resource?.tokenFormat == .opaque else { return token }
        return try await realm.tokens.keepOpaque(token, of: user, until: now + TimeInterval(lifetime)).reveal()
    }

    // MARK: Claims

    private func accessToken(
        _ signedIn: SignedIn, _ application: CountersignCore.Application, _ extent: Extent,
        _ memberships: [String: JSONValue], at now: Date, _ lifetime: Int
    ) -> TokenDraft {
        var spelling = assurance(of: signedIn)
        // First, so that none can replace one of the server's.
        if let resource = extent.resource {
            spelling.merge([resource].claims(of: signedIn.user, openedBy: extent.scopes).mapValues { .some($0) }) {
                own, _ in own
            }
        }
        for (name, value) in memberships { spelling[name] = value }
        spelling["client_id"] = .string(application.id.rawValue)
        spelling["scope"] = .string(extent.scopes.joined(separator: " "))
        spelling[Tokens.grantClaim] = .string(Tokens.grantReference(signedIn.grant.id))
        if let key = extent.keyThumbprint { spelling["cnf"] = .object(["jkt": .string(key)]) }
        return TokenDraft(
            type: .accessToken, issuer: issuer(for: application), audience: extent.audience ?? base,
            subject: signedIn.user.id.rawValue, issuedAt: now, lifetime: lifetime,
            parts: [.session, .methods(.each), .epoch, .identifier(name: "jti")], signedIn: signedIn,
            spelling: spelling)
    }

    private func identityToken(
        _ signedIn: SignedIn, _ application: CountersignCore.Application, _ extent: Extent,
        _ memberships: [String: JSONValue], _ access: String, apis: [Resource], at now: Date
    ) -> TokenDraft {
        // An API compares an access token's class with what it wants; here the application gets the word that it insisted on.
        var spelling = assurance(
            of: signedIn, isEssential: signedIn.grant.terms.details[GrantDetail.isACREssential] == .bool(true))
        for (name, value) in memberships { spelling[name] = value }
        spelling["at_hash"] = .string(Tokens.halfHash(of: access))
        if let nonce = extent.nonce { spelling["nonce"] = .string(nonce) }
        let asked = Self.names(signedIn.grant.terms.details[GrantDetail.idTokenClaims])
        let opened = Self.scopes(extent.scopes, openFor: application)
        for (name, value) in signedIn.user.claims(openedBy: opened) where asked.contains(name) {
            spelling[name] = value
        }
        for (name, value) in apis.claims(of: signedIn.user, openedBy: opened) where asked.contains(name) {
            spelling[name] = spelling[name] ?? value
        }
        return TokenDraft(
            type: .jwt, issuer: issuer(for: application), audience: application.id.rawValue,
            subject: signedIn.user.id.rawValue, issuedAt: now, lifetime: Self.identityLifetime,
            parts: [.session, .methods(.each)], signedIn: signedIn, spelling: spelling)
    }

    /// The APIs whose scopes may open claims of an ID token; none where it asks for no single claim.
    private func identityAPIs(asked signedIn: SignedIn) async throws -> [Resource] {
        Self.names(signedIn.grant.terms.details[GrantDetail.idTokenClaims]).isEmpty
            ? [] : try await realm.resources.list()
    }

    /// `acr` in the word that was asked for, and `auth_time`; of the grant's own authentication, so that a refresh repeats them.
    /// - Parameter isEssential: whether nothing may be said but a word that was asked for.
    private func assurance(of signedIn: SignedIn, isEssential: Bool = false) -> [String: JSONValue?] {
        let proofs = signedIn.evidence.proofs
        let present = realm.proofs.contextClass(of: proofs)
        let asked = Self.names(signedIn.grant.terms.details[GrantDetail.acrValues])
        var claims: [String: JSONValue?] = [
            "acr": .string(
                AuthorizationRequest.told(
                    present, asked: asked, others: realm.proofs.resistanceClasses(of: proofs), isEssential: isEssential)
            )
        ]
        if let instant = realm.proofs.authenticationTime(of: proofs, for: present) {
            claims["auth_time"] = .integer(Int64(instant.timeIntervalSince1970.rounded(.down)))
        }
        return claims
    }

    /// The scopes that single claims may be of: those that were granted, and for an application of the operator's own, whose users are
    /// not asked, those that it may ask for (`docs/decisions/0181`).
    static func scopes(_ granted: [String], openFor application: CountersignCore.Application) -> [String] {
        guard application.registration.oauth.isFirstParty else { return granted }
        let registered = application.registration.scopes
        return granted + (registered.isEmpty ? Metadata.scopes : registered)
    }

    static func names(_ value: JSONValue?) -> [String] {
        guard case .array(let items)? = value else { return [] }
        return items.compactMap(\.stringValue)
    }
}
