import ClientHTTP
import Crypto
import Foundation
import JSON
import SignedTokens
import Synchronization

@testable import ScopeProtection

/// An authorization server of a test: it publishes keys that a test may change, and signs what a test says.
final class StagedIssuer: HTTPTransport {
    static let name = "https://auth.example.org"

    struct Key: Sendable {
        let id: String
        let key = P256.Signing.PrivateKey()

        var jwk: JSONValue {
            let point = Array(key.publicKey.rawRepresentation)
            return .object([
                "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": .string(id),
                "x": .string(point[..<32].base64URL), "y": .string(point[32...].base64URL),
            ])
        }
    }

    private struct State {
        var keys: [Key]
        var isAway = false
        var issuer = StagedIssuer.name
        var paths: [String] = []
    }

    private let state: Mutex<State>

    init(_ keys: [Key] = [Key(id: "one")]) { state = Mutex(State(keys: keys)) }

    var paths: [String] { state.withLock { $0.paths } }
    var key: Key { state.withLock { $0.keys[$0.keys.count - 1] } }
    func rotate(to keys: [Key]) { state.withLock { $0.keys = keys } }
    func goes(away: Bool) { state.withLock { $0.isAway = away } }
    func calls(itself name: String) { state.withLock { $0.issuer = name } }

    struct Away: Error {}

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let state = state.withLock { state in
            state.paths.append(request.url.path)
            return state
        }
        if state.isAway { throw Away() }
        let document: JSONValue
        switch request.url.path {
        case "/.well-known/oauth-authorization-server":
            document = .object(["issuer": .string(state.issuer), "jwks_uri": .string(Self.name + "/keys")])
        case "/keys": document = .object(["keys": .array(state.keys.map(\.jwk))])
        default: return HTTPClientResponse(status: 404)
        }
        return HTTPClientResponse(status: 200, body: Data(try document.jsonText()))
    }

    /// A token that is good but for what a test changes; a change to nil leaves a member out.
    func token(
        at now: Date, _ changes: [String: JSONValue?] = [:], header: [String: JSONValue?] = [:], by key: Key? = nil
    ) throws -> String {
        let key = key ?? self.key
        let second = Int64(now.timeIntervalSince1970)
        var claims: [String: JSONValue] = [
            "iss": .string(Self.name), "aud": "https://api.example.org/v1", "sub": "ada", "client_id": "shop",
            "scope": "read write", "jti": .string(UUID().uuidString), "iat": .integer(second),
            "exp": .integer(second + 600), "auth_time": .integer(second - 100), "acr": "aal1",
        ]
        var members: [String: JSONValue] = ["typ": "at+jwt", "alg": "ES256", "kid": .string(key.id)]
        for (name, value) in changes { claims[name] = value }
        for (name, value) in header { members[name] = value }
        return try Self.signed(.object(members), .object(claims), key.key)
    }

    static func signed(_ header: JSONValue, _ claims: JSONValue, _ key: P256.Signing.PrivateKey) throws -> String {
        let input = "\(try header.jsonText().base64URL).\(try claims.jsonText().base64URL)"
        return "\(input).\(Array(try key.signature(for: Data(input.utf8)).rawRepresentation).base64URL)"
    }
}

/// The key of a client of a test (RFC 9449).
struct BoundKey: Sendable {
    let key = P256.Signing.PrivateKey()

    var jwk: JSONValue {
        let point = Array(key.publicKey.rawRepresentation)
        return .object([
            "kty": "EC", "crv": "P-256", "x": .string(point[..<32].base64URL), "y": .string(point[32...].base64URL),
        ])
    }

    var confirmation: JSONValue {
        get throws { .object(["jkt": .string(try SignatureKey(jwk: jwk).thumbprint)]) }
    }

    /// A proof that is good but for what a test changes.
    func proof(
        for token: String, at now: Date, _ changes: [String: JSONValue?] = [:], header: [String: JSONValue?] = [:],
        signedBy other: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        var claims: [String: JSONValue] = [
            "jti": .string(UUID().uuidString), "htm": "GET", "htu": "https://api.example.org/v1/notes",
            "iat": .integer(Int64(now.timeIntervalSince1970)),
            "ath": .string(Array(SHA256.hash(data: Data(token.utf8))).base64URL),
        ]
        var members: [String: JSONValue] = ["typ": "dpop+jwt", "alg": "ES256", "jwk": jwk]
        for (name, value) in changes { claims[name] = value }
        for (name, value) in header { members[name] = value }
        return try StagedIssuer.signed(.object(members), .object(claims), other ?? key)
    }
}
