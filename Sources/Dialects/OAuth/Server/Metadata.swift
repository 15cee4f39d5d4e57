import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import ServerHTTP

/// What this server says of itself (RFC 8414; OpenID Connect Discovery 1.0). What is off is not in it.
enum Metadata {
    /// Scopes that this server has a meaning for, whatever APIs there are.
    static let scopes = ["openid", "profile", "email", "phone", "address", "offline_access"]
    /// Claims of users that may be asked for one by one.
    static let claims = ["email", "email_verified", "name", "picture", "locale", "phone_number", "address"]
    private static let registeredClaims = [
        "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash",
    ]
    /// Claims that scopes of APIs open which are named at most.
    static let mostOpenedClaims = 200
    /// Seconds that others may keep it.
    static let maxAge = 300

    /// - Parameters:
    ///   - algorithm: what this protocol signs with where an application says nothing.
    ///   - published: what the JWKS has keys of, for ID tokens of applications that say something, and of other protocols.
    static func document(
        _ oauth: OAuth, algorithm: SigningAlgorithm, published: Set<SigningAlgorithm>, resources: [Resource],
        settings: OAuthSettings
    ) -> JSONValue {
        let base = oauth.base
        func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        let methods = texts(["client_secret_basic", "client_secret_post", "private_key_jwt", "none"])
        let confidential = texts(["client_secret_basic", "client_secret_post", "private_key_jwt"])
        let algorithms = texts(StatementAlgorithm.names)
        var members: [String: JSONValue] = [
            "issuer": .string(base),
            "authorization_endpoint": .string(base + OAuth.Path.authorize),
            "token_endpoint": .string(base + OAuth.Path.token),
            "pushed_authorization_request_endpoint": .string(base + OAuth.Path.push),
            "require_pushed_authorization_requests": .bool(false),
            "userinfo_endpoint": .string(base + OAuth.Path.userInfo),
            "jwks_uri": .string(base + OAuth.Path.keys),
            "revocation_endpoint": .string(base + OAuth.Path.revoke),
            "introspection_endpoint": .string(base + OAuth.Path.introspect),
            "device_authorization_endpoint": .string(base + OAuth.Path.device),
            "end_session_endpoint": .string(base + OAuth.Path.logout),
            "scopes_supported": texts(scopes + Memberships.scopes + resources.flatMap { $0.scopes.map(\.name) }),
            "response_types_supported": texts(["code"]),
            "response_modes_supported": texts(AuthorizationRequest.ResponseMode.allCases.map(\.rawValue)),
            "grant_types_supported": texts(oauth.grants.types),
            "code_challenge_methods_supported": texts(["S256"]),
            "acr_values_supported": texts(ContextClass.requestable),
            "subject_types_supported": texts(["public"]),
            "id_token_signing_alg_values_supported": texts(published.map(\.rawValue).sorted()),
            "token_endpoint_auth_methods_supported": methods,
            "token_endpoint_auth_signing_alg_values_supported": algorithms,
            "revocation_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_signing_alg_values_supported": algorithms,
            "introspection_endpoint_auth_methods_supported": confidential,
            "introspection_endpoint_auth_signing_alg_values_supported": algorithms,
            "introspection_signing_alg_values_supported": texts([algorithm.rawValue]),
            "dpop_signing_alg_values_supported": algorithms,
            "claims_supported": texts(registeredClaims + claims + Memberships.scopes + openedClaims(resources)),
            "claims_parameter_supported": .bool(true),
            "request_parameter_supported": .bool(true),
            "request_object_signing_alg_values_supported": algorithms,
            "request_uri_parameter_supported": .bool(false),
            "authorization_response_iss_parameter_supported": .bool(true),
            "prompt_values_supported": texts(["none", "login", "consent", "select_account", "create"]),
            "ui_locales_supported": texts(["en", "de", "ja"]),
            "backchannel_authentication_endpoint": .string(base + OAuth.Path.backchannel),
            "backchannel_token_delivery_modes_supported": texts(["poll"]),
            "backchannel_user_code_parameter_supported": .bool(false),
            "backchannel_logout_supported": .bool(true),
            "backchannel_logout_session_supported": .bool(true),
            "frontchannel_logout_supported": .bool(false),
        ]
        if settings.clientDocuments != .off { members["client_id_metadata_document_supported"] = .bool(true) }
        members["op_policy_uri"] = settings.policyURI.map { .string($0) }
        members["op_tos_uri"] = settings.termsURI.map { .string($0) }
        members["service_documentation"] = settings.documentationURI.map { .string($0) }
        if !resources.isEmpty { members["protected_resources"] = texts(resources.map(\.uri)) }
        if settings.registration != .off {
            members["registration_endpoint"] = .string(base + OAuth.Path.register)
        }
        if oauth.options.shared != nil {
            members["mfa_challenge_endpoint"] = .string(base + "/mfa/challenge")
        }
        return .object(members)
    }

    /// The custom claims that scopes of APIs open, as tokens name them: which attributes there are in `attributes` is not told
    /// (`docs/decisions/0444`).
    private static func openedClaims(_ resources: [Resource]) -> [String] {
        let opened = resources.flatMap(\.scopes).reduce(into: Set<String>()) { $0.formUnion($1.tokenClaims) }
        let told = opened.filter { Resource.Scope.isClaim($0) || $0 == Resource.Scope.attributesClaim }
        return Array(told.sorted().prefix(mostOpenedClaims))
    }
}

extension OAuth {
    /// `GET /.well-known/openid-configuration` and `/.well-known/oauth-authorization-server`. Verifiers elsewhere depend on them, so they
    /// are told from memory while the store does not answer.
    func metadata(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        // Side by side: each is told from memory after a second in which the store does not answer.
        async let resources = realm.resources.published()
        async let settings = realm.publishedSettings()
        let told = try await settings
        let document = Metadata.document(
            self, algorithm: told.tokens.algorithm(for: .oauth),
            published: told.tokens.published(for: TokenSettings.oauthReaders),
            resources: try await resources,
            settings: told.oauth)
        return try .json(
            document,
            headers: [.cacheControl: "public, max-age=\(Metadata.maxAge)"])
    }
}
