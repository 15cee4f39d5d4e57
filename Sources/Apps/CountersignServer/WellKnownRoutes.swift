import CountersignCore
import Crypto
import Foundation
import GuardianServer
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

    /// Whose tokens are verified with this JWKS where ``TokenSettings/publishedKeys`` says `used`: those of the dialects that
    /// have no other.
    static let readers: [Dialect] = [.guardian, .securityChecks]

    private static let keysPath = "/.well-known/jwks.json"

    /// The keys while they are known to be the present ones.
    static func keys(of realm: Realm) -> ReadyAnswers.Source {
        ReadyAnswers.Source(keysPath) { realm.keyring.presentJWKS(for: readers) }
    }

    func add(to router: some RouterMethods<CountersignRequestContext>) {
        router.get(RouterPath(Self.keysPath)) { [realm] request, _ in
            let keys = try await realm.keyring.jwks(for: Self.readers)
            return Response.cached(keys, as: "application/jwk-set+json", seconds: Self.keysMaxAge, for: request)
        }
        router.get(".well-known/openid-configuration") { [realm, publicURL] _, _ in
            try Response.json(
                OpenIDConfiguration(base: publicURL(), algorithm: try await realm.keyring.algorithm(for: .guardian)),
                headers: [.cacheControl: "public, max-age=\(Self.keysMaxAge)"])
        }
    }
}

/// OpenID Provider metadata (OpenID Connect Discovery 1.0, section 3; CIBA Core 1.0, section 4) of the OAuth endpoints.
///
/// There is no authorization endpoint, so no response type brings anything: `none` stands for that in a member that has to be
/// there.
private struct OpenIDConfiguration: Encodable {
    let issuer: String
    let jwks_uri: String
    let token_endpoint: String
    let token_endpoint_auth_methods_supported = [
        "client_secret_basic", "client_secret_post", "private_key_jwt", "none",
    ]
    let token_endpoint_auth_signing_alg_values_supported = SigningAlgorithm.allCases.map(\.rawValue)
    let userinfo_endpoint: String
    let backchannel_authentication_endpoint: String
    let backchannel_token_delivery_modes_supported = ["poll"]
    let backchannel_user_code_parameter_supported = false
    /// Auth0's own.
    let mfa_challenge_endpoint: String
    let response_types_supported = ["none"]
    let grant_types_supported = Guardian.grantTypes
    let subject_types_supported = ["public"]
    let scopes_supported = Guardian.scopes
    let id_token_signing_alg_values_supported: [String]
    let claims_supported = [
        "iss", "sub", "aud", "exp", "iat", "auth_time", "amr", "sid", "email", "email_verified", "name", "picture",
    ]

    init(base: String, algorithm: SigningAlgorithm) {
        issuer = base
        jwks_uri = "\(base)/.well-known/jwks.json"
        token_endpoint = "\(base)/oauth/token"
        userinfo_endpoint = "\(base)/userinfo"
        backchannel_authentication_endpoint = "\(base)/bc-authorize"
        mfa_challenge_endpoint = "\(base)/mfa/challenge"
        id_token_signing_alg_values_supported = [algorithm.rawValue]
    }
}

extension Response {
    /// Bytes that caches may keep, with a tag by which a cache asks whether they have changed (RFC 9110, section 13.1.2): 304
    /// where they have not.
    fileprivate static func cached(_ bytes: Data, as type: String, seconds: Int, for request: Request) -> Response {
        let tag = "\"\(Array(SHA256.hash(data: bytes).prefix(12)).base64URL)\""
        var headers: HTTPFields = [
            .contentType: type, .cacheControl: "public, max-age=\(seconds)", .eTag: tag,
        ]
        let known = (request.headers[.ifNoneMatch] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        if known.contains(where: { [tag, "W/\(tag)", "*"].contains($0) }) {
            headers[.contentType] = nil
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
