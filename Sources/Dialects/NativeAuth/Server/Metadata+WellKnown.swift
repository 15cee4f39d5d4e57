import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NativeAuthWire
import ServerHTTP

extension NativeAuth {
    /// Where a tenant's path is, as clients reach it.
    func authority(_ tenant: String) -> String {
        tenant.isEmpty ? options.publicURL() : "\(options.publicURL())/\(tenant)"
    }

    private struct Metadata: Encodable {
        let issuer: String
        let authorization_endpoint: String
        let token_endpoint: String
        let jwks_uri: String
        let response_types_supported = ["code"]
        let response_modes_supported = ["query"]
        let grant_types_supported = ["refresh_token"]
        let subject_types_supported = ["public"]
        let id_token_signing_alg_values_supported: [String]
        let token_endpoint_auth_methods_supported = ["none"]
        let scopes_supported = NativeAuth.openIDScopes
        let claims_supported = [
            "iss", "sub", "aud", "exp", "iat", "nbf", "auth_time", "acr", "amr", "oid", "tid", "ver", "sid", "uti",
            "preferred_username", "email", "name", "given_name", "family_name",
        ]
    }

    /// `GET v2.0/.well-known/openid-configuration` (OpenID Connect Discovery 1.0, section 4).
    func metadata(_ tenant: String) async throws -> Response {
        let authority = authority(tenant)
        let algorithm = try await realm.publishedSettings().tokens.algorithm(for: .nativeAuth)
        return try .json(
            Metadata(
                issuer: "\(authority)/v2.0", authorization_endpoint: authority + Self.authorizePath,
                token_endpoint: authority + Endpoint.token.path, jwks_uri: authority + Endpoint.keysPath,
                id_token_signing_alg_values_supported: [algorithm.rawValue]),
            headers: [.cacheControl: "public, max-age=300"])
    }

    /// `GET discovery/v2.0/keys` (RFC 7517, section 5).
    func keys(_ tenant: String) async throws -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=UTF-8", .cacheControl: "public, max-age=300"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try await realm.keyring.jwks(for: [.nativeAuth]))))
    }

    /// `GET oauth2/v2.0/authorize`: clients want it in the metadata; there is no browser's way in.
    func authorize(_ tenant: String) async throws -> Response {
        throw NativeAuthError.noBrowser
    }
}
