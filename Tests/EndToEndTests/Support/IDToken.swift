import Crypto
import Foundation
import JSON

/// An ID token as a resource server reads it: by the published keys alone.
struct IDToken {
    let claims: [String: Any]

    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter jwks: what `/.well-known/jwks.json` answers.
    /// - Throws: ``Fault`` where it is no token that one of the ES256 keys signed (RFC 7518, section 3.4).
    init(_ text: String, jwks: [String: Any]) throws {
        let parts = text.split(separator: ".").map(String.init)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Self.bytes(parts[2])
        else { throw Fault(description: "no signed token: \(text.prefix(80))") }
        let keys = jwks["keys"] as? [[String: Any]] ?? []
        guard header["alg"] as? String == "ES256", let kid = header["kid"] as? String,
            let jwk = keys.first(where: { $0["kid"] as? String == kid }),
            let x = (jwk["x"] as? String).flatMap(Self.bytes), let y = (jwk["y"] as? String).flatMap(Self.bytes)
        else { throw Fault(description: "signed with a key that is not published: \(header)") }
        let key = try P256.Signing.PublicKey(rawRepresentation: x + y)
        let isSigned = key.isValidSignature(
            try P256.Signing.ECDSASignature(rawRepresentation: signature), for: Data("\(parts[0]).\(parts[1])".utf8))
        guard isSigned else { throw Fault(description: "the signature is not that of \(kid)") }
        self.claims = claims
    }

    func text(_ claim: String) -> String? { claims[claim] as? String }
    func number(_ claim: String) -> Int? { claims[claim] as? Int }

    /// A member of the claim `firebase`.
    func firebase(_ member: String) -> Any? { (claims["firebase"] as? [String: Any])?[member] }

    /// What a token says, of any issuer.
    static func claims(of token: String) -> [String: Any]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 3 ? object(parts[1]) : nil
    }

    private static func object(_ part: String) -> [String: Any]? {
        bytes(part).flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
    }

    private static func bytes(_ part: String) -> Data? {
        Base64URL.decode(part).map { Data($0) }
    }
}
