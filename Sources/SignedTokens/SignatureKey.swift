import Crypto
import CryptoExtras
import Foundation
import JSON

/// The public half of a key that signs tokens: a device's, an application's, an issuer's.
///
/// RSA of 2048 to 4096 bits, P-256 or Ed25519; the key and the caller decide the algorithm, a token's header only has to agree.
/// Leading zero bytes of a number do not matter: mobile SDKs write the sign byte of ASN.1.
public struct SignatureKey: Sendable, Equatable, Codable {
    package enum Material: Sendable, Equatable, Codable {
        case rsa(modulus: Data, exponent: Data)
        /// `x ‖ y`, 64 bytes.
        case p256(point: Data)
        /// 32 bytes.
        case ed25519(key: Data)
    }

    package let material: Material

    /// A key that was read from a JSON Web Key once.
    package init(material: Material) { self.material = material }

    /// What is wrong with a public key that a stranger presents.
    public enum Fault: String, Error, Sendable {
        case malformed = "The public key is not a JWK of kty RSA (n, e) or EC (crv P-256, x, y)."
        case wrongPurpose =
            "The public key is not for signatures: use has to be \"sig\", and alg one that its kty has here."
        case wrongSize = "An RSA key has 2048 to 4096 bits and the exponent 65537."
        case notOnCurve = "The point is not on the curve P-256."
    }

    private static let exponent = Data([1, 0, 1])

    /// Whether a JSON Web Key has what belongs to its owner alone (RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1; RFC 8037, section 2).
    public static func isPrivate(_ jwk: JSONValue) -> Bool {
        ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].contains { jwk[$0] != nil }
    }

    /// Reads a JSON Web Key (RFC 7517, section 4).
    /// - Parameter algorithms: What the key may be for. A key for none of them is refused.
    /// - Throws: ``Fault``.
    public init(
        jwk: JSONValue, for algorithms: Set<StatementAlgorithm> = StatementAlgorithm.devices
    ) throws(Fault) {
        func bytes(_ name: String) -> [UInt8]? {
            guard let text = jwk[name]?.stringValue, text.utf8.count <= 1024 else { return nil }
            return [UInt8](base64URL: text, accepting: [.otherAlphabet, .strayBits])
        }
        func number(_ name: String) -> Data? { bytes(name).map { Data($0.drop { $0 == 0 }) } }
        func read(_ algorithms: Set<StatementAlgorithm>) throws(Fault) {
            if algorithms.isEmpty { throw .malformed }
            guard let alg = jwk["alg"] else { return }
            guard let named = alg.stringValue.flatMap(StatementAlgorithm.init(name:)), algorithms.contains(named) else {
                throw .wrongPurpose
            }
        }
        if let use = jwk["use"], use != .string("sig") { throw .wrongPurpose }
        switch jwk["kty"]?.stringValue {
        case "RSA":
            try read(algorithms.intersection([.rs256, .ps256]))
            guard let modulus = number("n"), let exponent = number("e"), let first = modulus.first else {
                throw .malformed
            }
            let bits = modulus.count * 8 - first.leadingZeroBitCount
            guard (2048...4096).contains(bits), exponent == Self.exponent,
                (try? _RSA.Signing.PublicKey(n: modulus, e: exponent)) != nil
            else { throw .wrongSize }
            material = .rsa(modulus: modulus, exponent: exponent)
        case "EC":
            try read(algorithms.intersection([.es256]))
            guard jwk["crv"] == .string("P-256"), let x = number("x"), let y = number("y"), x.count <= 32, y.count <= 32
            else { throw .malformed }
            let point = [x, y].reduce(into: Data()) { $0 += Data(count: 32 - $1.count) + $1 }
            guard (try? P256.Signing.PublicKey(rawRepresentation: point)) != nil else { throw .notOnCurve }
            material = .p256(point: point)
        case "OKP":
            try read(algorithms.intersection([.edDSA]))
            guard jwk["crv"] == .string("Ed25519"), let key = bytes("x"), key.count == 32,
                (try? Curve25519.Signing.PublicKey(rawRepresentation: key)) != nil
            else { throw .malformed }
            material = .ed25519(key: Data(key))
        default:
            throw .malformed
        }
    }

    /// The algorithm that a key of this kind signs with, unless its owner says otherwise.
    public var algorithm: StatementAlgorithm {
        switch material {
        case .rsa: .rs256
        case .p256: .es256
        case .ed25519: .edDSA
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
        case .ed25519(let key):
            ["kty": "OKP", "crv": "Ed25519", "x": Array(key).base64URL]
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
    /// - Parameter algorithm: What the header has to name; nil is ``algorithm``.
    package func claims(of token: String, in algorithm: StatementAlgorithm? = nil) throws(StatementFault) -> TokenClaims
    {
        guard let token = ReceivedToken(token) else { throw .malformed }
        return try claims(of: token, in: algorithm)
    }

    /// The same of a token that was read before, by who needs its header too.
    package func claims(
        of token: ReceivedToken, in algorithm: StatementAlgorithm? = nil
    ) throws(StatementFault) -> TokenClaims {
        let algorithm = algorithm ?? self.algorithm
        guard StatementAlgorithm(name: token.header.alg) == algorithm else { throw .wrongAlgorithm }
        guard isSignature(token.signature, of: token.signedText, in: algorithm) else { throw .wrongSignature }
        guard let claims = token.claims else { throw .malformed }
        return claims
    }

    /// Whether this key made the signature, in the algorithm; not, where keys of its kind do not have the algorithm.
    package func isSignature(
        _ signature: Data, of message: Data, in algorithm: StatementAlgorithm? = nil
    ) -> Bool {
        OpenedSignatureKey(self)?.isSignature(signature, of: message, in: algorithm ?? self.algorithm) ?? false
    }

    /// RFC 7638: SHA-256 over the members that the key needs, in the order of their names.
    public var thumbprint: String {
        let text = JSONValue.object(requiredMembers.mapValues { .string($0) })
        return Array(SHA256.hash(data: Data((try? text.jsonText()) ?? []))).base64URL
    }
}
