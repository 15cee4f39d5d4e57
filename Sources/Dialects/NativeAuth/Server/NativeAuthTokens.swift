import CountersignCore
import Foundation
import NativeAuthWire

/// Makes the tokens of `oauth2/v2.0/token` as MSAL and resource servers read them.
struct NativeAuthTokens: Sendable {
    let realm: Realm
    let issuer: String
    let settings: TokenSettings

    /// Where a session keeps the authentication contexts that it was proven for.
    static let contextsDetail = "acrs"
    /// Whether the answers of a session name its account by the directory's id of the user, as those of sessions since 2026-11
    /// do. Apps that signed in before know their account by the user's own id, and take no other for it.
    static let directoryDetail = "directory"

    /// The API in the first scope that names one: the audience of access tokens, where it is not the application.
    static func resource(of scopes: [String]) -> String? {
        scopes.lazy.filter { !NativeAuth.openIDScopes.contains($0) }.compactMap(Draft.resource).first
    }

    /// - Parameter claims: what a service of the developer's own provides.
    func answer(
        for signedIn: SignedIn, scopes: [String], claims: ProvidedClaims = .none
    ) async throws -> TokenResponse {
        let tenant = try await realm.tenant()
        let algorithm = settings.algorithm(for: .nativeAuth)
        let lifetime = settings.idTokenLifetime
        let draft = Draft(
            signedIn: signedIn, provesTwoFactors: realm.proofs.provesTwoFactors(signedIn.evidence), scopes: scopes,
            provided: claims, lifetime: lifetime, tenant: tenant, issuer: issuer,
            now: realm.clock.now)
        return TokenResponse(
            tokenType: "Bearer", scope: scopes.joined(separator: " "), expiresIn: lifetime, extendedExpiresIn: lifetime,
            accessToken: try await realm.tokens.issue(draft.access, with: algorithm),
            refreshToken: scopes.contains("offline_access") ? signedIn.refreshToken.reveal() : nil,
            idToken: scopes.contains("openid")
                ? try await realm.tokens.issue(draft.identity, with: algorithm) : nil,
            clientInfo: ClientInfo(uid: draft.accountID, utid: tenant.id).text)
    }

    private struct Draft {
        let signedIn: SignedIn
        let provesTwoFactors: Bool
        let scopes: [String]
        let provided: ProvidedClaims
        let lifetime: Int
        let tenant: Tenant
        let issuer: String
        let now: Date

        private var objectID: String { tenant.directoryID(of: signedIn.user.id) }

        /// What clients call the account, followed by the tenant's id.
        var accountID: String {
            signedIn.evidence.details[NativeAuthTokens.directoryDetail] == .bool(true)
                ? objectID : signedIn.user.id.rawValue
        }

        private var application: String { signedIn.grant.clientID.rawValue }

        /// What both tokens say.
        private func token(
            for audience: String, of kind: CustomExtension.TokenKind, _ spelling: [String: JSONValue?]
        ) -> TokenDraft {
            var spelling = spelling
            spelling["ver"] = "2.0"
            spelling["tid"] = .string(tenant.id)
            spelling["oid"] = .string(objectID)
            return TokenDraft(
                issuer: issuer, audience: audience, subject: signedIn.user.id.rawValue,
                issuedAt: now, lifetime: lifetime,
                parts: [
                    .notBefore, .identifier(name: "uti"), .session, .authenticationTime, .methods(.each),
                    .contextClass(.numbers),
                    .epoch,
                ], signedIn: signedIn, account: ofAccount(for: kind), spelling: spelling)
        }

        /// What the account itself brings: attributes and the claims of the developer's back end, under their own
        /// names; and what a service of the developer's provides, which counts more. The server's own claims come after
        /// it and take precedence.
        private func ofAccount(for token: CustomExtension.TokenKind) -> [String: JSONValue] {
            let profile = signedIn.user.profile
            var claims = profile.attributes
            claims.merge(profile.customClaims) { _, custom in custom }
            provided.merge(into: &claims, for: token)
            for name in CustomClaims.reserved { claims[name] = nil }
            return claims.filter { $0.value != .null }
        }

        var identity: TokenDraft {
            var claims: [String: JSONValue?] = [:]
            let profile = signedIn.user.profile
            if scopes.contains("profile") {
                claims["given_name"] = .some(profile.attributes["givenName"])
                claims["family_name"] = .some(profile.attributes["surname"])
                claims["name"] = .some(profile.displayName.map { .string($0) })
                claims["picture"] = .some(profile.pictureClaim.map { .string($0) })
            }
            if let email = signedIn.user.email {
                claims["preferred_username"] = .string(email.canonical)
                if scopes.contains("email") || scopes.contains("profile") {
                    claims["email"] = .string(email.canonical)
                    claims["email_verified"] = .bool(profile.emailVerified)
                }
            }
            return token(for: application, of: .id, claims)
        }

        var access: TokenDraft {
            let own = scopes.filter { !NativeAuth.openIDScopes.contains($0) }
            var claims: [String: JSONValue?] = [
                "azp": .string(application),
                "scp": .string((own.isEmpty ? scopes : own.map(Self.name)).joined(separator: " ")),
            ]
            if provesTwoFactors {
                claims["acrs"] = .some(signedIn.evidence.details[NativeAuthTokens.contextsDetail])
            }
            return token(for: NativeAuthTokens.resource(of: scopes) ?? application, of: .access, claims)
        }

        /// The API in a scope like `api://library/Books.Read`; nil in a plain one.
        static func resource(_ scope: String) -> String? {
            guard scope.contains("://"), let slash = scope.lastIndex(of: "/"), slash > scope.startIndex else {
                return nil
            }
            let resource = scope[..<slash]
            return resource.hasSuffix("/") ? nil : String(resource)
        }

        private static func name(_ scope: String) -> String {
            guard resource(scope) != nil, let slash = scope.lastIndex(of: "/") else { return scope }
            return String(scope[scope.index(after: slash)...])
        }
    }
}
