import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServerHTTP

/// What verifiers of our tokens need: the public keys, and where to find them.
struct WellKnownRoutes: Sendable {
    let realm: Realm
    let publicURL: @Sendable () -> String

    /// Seconds that others may keep the keys. A rotated key is fetched at once all the same, as its `kid` is new to them.
    static let keysMaxAge = 300

    func add(to router: some RouterMethods<CountersignRequestContext>) {
        router.get(".well-known/jwks.json") { [realm] _, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "application/jwk-set+json",
                    .cacheControl: "public, max-age=\(Self.keysMaxAge)",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try await realm.keyring.jwks())))
        }
        router.get(".well-known/openid-configuration") { [publicURL] _, _ in
            try Response.json(
                Configuration(base: publicURL()), headers: [.cacheControl: "public, max-age=\(Self.keysMaxAge)"])
        }
    }

    /// OpenID Provider metadata (OpenID Connect Discovery 1.0, section 3), as far as the core itself issues tokens.
    private struct Configuration: Encodable {
        let issuer: String
        let jwksURI: String
        let tokenEndpoint: String
        let responseTypes = ["id_token"]
        let grantTypes = ["refresh_token"]
        let subjectTypes = ["public"]
        let algorithms = SigningAlgorithm.allCases.map(\.rawValue)
        let claims = ["iss", "sub", "aud", "exp", "iat", "auth_time", "email", "email_verified", "name", "picture"]

        init(base: String) {
            issuer = base
            jwksURI = "\(base)/.well-known/jwks.json"
            tokenEndpoint = "\(base)/v1/token"
        }

        enum CodingKeys: String, CodingKey {
            case issuer
            case jwksURI = "jwks_uri"
            case tokenEndpoint = "token_endpoint"
            case responseTypes = "response_types_supported"
            case grantTypes = "grant_types_supported"
            case subjectTypes = "subject_types_supported"
            case algorithms = "id_token_signing_alg_values_supported"
            case claims = "claims_supported"
        }
    }
}
