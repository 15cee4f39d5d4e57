import Crypto
import CryptoExtras
import Foundation
import JSON

/// The public half of a key that signs tokens: a device's, an application's, an issuer's.
///
/// RSA of 2048 to 4096 bits or P-256; the key decides the algorithm, a token's header only has to agree. Leading zero
/// bytes of a number do not matter: mobile SDKs write the sign byte of ASN.1.
public struct SignatureKey: Sendable, Equatable, Codable {
    package enum Material: Sendable, Equatable, Codable {
        case rsa(modulus: Data, exponent: Data)
        /// `x ‖ y`, 64 bytes.
        case p256(point: Data)
    }

    package let material: Material

    /// A key that was read from a JSON Web Key once.
    package init(material: Material) { self.material = material }

    /// What is wrong with a public key that a stranger presents.
    public enum Fault: String, Error, Sendable {
        case malformed = "The public key is not a JWK of kty RSA (n, e) or EC (crv P-256, x, y)."
        case wrongPurpose =
            "The public key is not for signatures: use has to be \"sig\", and alg RS256 or ES256 as its kty."
        case wrongSize = "An RSA key has 2048 to 4096 bits and the exponent 65537."
        case notOnCurve = "The point is not on the curve P-256."
    }

    private static let exponent = Data([1, 0, 1])

    /// Reads a JSON Web Key (RFC 7517, section 4).
    /// - Throws: ``Fault``.
    public init(jwk: JSONValue) throws(Fault) {
        func number(_ name: String) -> Data? {
            guard let text = jwk[name]?.stringValue, text.utf8.count <= 1024,
                let bytes = [UInt8](base64URL: text, accepting: [.otherAlphabet, .strayBits])
            else { return nil }
            return Data(bytes.drop { $0 == 0 })
        }
        if let use = jwk["use"], use != .string("sig") { throw .wrongPurpose }
        switch jwk["kty"]?.stringValue {
        case "RSA":
            if let alg = jwk["alg"], alg != .string(SigningAlgorithm.rs256.rawValue) { throw .wrongPurpose }
            guard let modulus = number("n"), let exponent = number("e"), let first = modulus.first else {
                throw .malformed
            }
            let bits = modulus.count * 8 - first.leadingZeroBitCount
            guard (2048...4096).contains(bits), exponent == Self.exponent,
                (try? _RSA.Signing.PublicKey(n: modulus, e: exponent)) != nil
            else { throw .wrongSize }
            material = .rsa(modulus: modulus, exponent: exponent)
        case "EC":
            if let alg = jwk["alg"], alg != .string(SigningAlgorithm.es256.rawValue) { throw .wrongPurpose }
            guard jwk["crv"] == .string("P-256"), let x = number("x"), let y = number("y"), x.count <= 32, y.count <= 32
            else { throw .malformed }
            let point = [x, y].reduce(into: Data()) { $0 += Data(count: 32 - $1.count) + $1 }
            guard (try? P256.Signing.PublicKey(rawRepresentation: point)) != nil else { throw .notOnCurve }
            material = .p256(point: point)
        default:
            throw .malformed
        }
    }

    /// The one algorithm that this key signs with.
    public var algorithm: SigningAlgorithm {
        switch material {
        case .rsa: .rs256
        case .p256: .es256
        }
    }

    /// The members that a JSON Web Key of this key needs, as texts (RFC 7638, section 3.2).
    package var requiredMembers: [String: String] {
        switch material {
        case .rsa(let modulus, let exponent):
            ["kty": "RSA", "n": Array(modulus).base64URL, "e": Array(exponent).base64URL]
        case .p256(let point):
            [
                "kty": "EC", "crv": "P-256", "x": Array(point.prefix(32)).base64URL,
                "y": Array(point.suffix(32)).base64URL,
            ]
        }
    }

    /// Why a signed statement is not taken.
    package enum StatementFault: Error {
        /// Not a compact JWS with a JSON object for claims.
        case malformed
        /// Its header names another algorithm than the key's: `none`, an HMAC, the other kind of key.
        case wrongAlgorithm
        case wrongSignature
    }

    /// The claims of a compact JWS (RFC 7515, section 3.1) that this key signed. What its header says of keys (`jwk`,
    /// `jku`, `x5c`, `kid`) is ignored.
    package func claims(of token: String) throws(StatementFault) -> TokenClaims {
        guard let token = ReceivedToken(token) else { throw .malformed }
        guard token.header.alg == algorithm.rawValue else { throw .wrongAlgorithm }
        guard isSignature(token.signature, of: token.signedText) else { throw .wrongSignature }
        guard let claims = token.claims else { throw .malformed }
        return claims
    }

    package func isSignature(_ signature: Data, of message: Data) -> Bool {
        switch material {
        case .rsa(let modulus, let exponent):
            guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else { return false }
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: message),
                padding: .insecurePKCS1v1_5)
        case .p256(let point):
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: point),
                let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(parsed, for: message)
        }
    }

    /// RFC 7638: SHA-256 over the members that the key needs, in the order of their names.
    public var thumbprint: String {
        let text = JSONValue.object(requiredMembers.mapValues { .string($0) })
        return Array(SHA256.hash(data: Data((try? text.jsonText()) ?? []))).base64URL
    }
}
