import Crypto
import Foundation
import JSON

/// The private key with which a client proves possession (RFC 9449): P-256, for ES256.
public struct PossessionKey: Sendable {
    private let key: P256.Signing.PrivateKey

    /// A fresh key.
    public init() {
        key = P256.Signing.PrivateKey()
    }

    /// A key that was kept.
    /// - Parameter bytes: what ``rawRepresentation`` was.
    public init(rawRepresentation bytes: some ContiguousBytes) throws {
        key = try P256.Signing.PrivateKey(rawRepresentation: bytes)
    }

    /// 32 bytes, which are the secret.
    public var rawRepresentation: Data { key.rawRepresentation }

    /// The public half as proofs name it.
    private var members: [String: JSONValue] {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            "crv": "P-256", "kty": "EC", "x": .string(point[..<32].base64URL), "y": .string(point[32...].base64URL),
        ]
    }

    /// RFC 7638: what a bound token names as `cnf.jkt`, and an authorization request as `dpop_jkt`.
    public var thumbprint: String {
        // These members are all that an elliptic key needs, and are written in the order of their names.
        Array(SHA256.hash(data: Data((try? JSONValue.object(members).jsonText()) ?? []))).base64URL
    }

    /// A proof for one request (RFC 9449, section 4.2).
    /// - Parameters:
    ///   - url: of the request; its query and fragment are left out.
    ///   - accessToken: what the request sends as `Authorization: DPoP`; nil at a token endpoint.
    ///   - nonce: the newest that this server has given.
    ///   - id: unlike that of any other proof: 16 random bytes or more, as text.
    public func proof(
        _ method: String, _ url: URL, accessToken: String? = nil, nonce: String? = nil, id: String, at now: Date
    ) throws -> String {
        var address = URLComponents(url: url, resolvingAgainstBaseURL: true)
        address?.query = nil
        address?.fragment = nil
        var claims: [String: JSONValue] = [
            "jti": .string(id), "htm": .string(method), "htu": .string(address?.string ?? url.absoluteString),
            "iat": .integer(Int64(now.timeIntervalSince1970)),
        ]
        claims["ath"] = accessToken.map { .string(Array(SHA256.hash(data: Data($0.utf8))).base64URL) }
        claims["nonce"] = nonce.map { .string($0) }
        let header = JSONValue.object(["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(members)])
        let text = "\(try header.jsonText().base64URL).\(try JSONValue.object(claims).jsonText().base64URL)"
        return "\(text).\(Array(try key.signature(for: Data(text.utf8)).rawRepresentation).base64URL)"
    }
}
