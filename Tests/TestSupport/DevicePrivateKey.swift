import Crypto
import CryptoExtras
import Foundation

/// The key of a device in a test, which signs and describes itself as mobile SDKs do.
public enum DevicePrivateKey: Sendable {
    case rsa(_RSA.Signing.PrivateKey)
    case p256(P256.Signing.PrivateKey)

    public static func freshRSA() throws -> Self { .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048)) }
    public static func freshP256() -> Self { .p256(P256.Signing.PrivateKey()) }

    public var algorithm: String {
        switch self {
        case .rsa: "RS256"
        case .p256: "ES256"
        }
    }

    /// The members of its JSON Web Key; numbers as bytes, the modulus with the sign byte that mobile SDKs write.
    public var jwk: (texts: [String: String], numbers: [String: [UInt8]]) {
        get throws {
            switch self {
            case .rsa(let key):
                let numbers = try key.publicKey.getKeyPrimitives()
                return (
                    ["kty": "RSA", "use": "sig", "alg": algorithm],
                    ["n": [0] + Array(numbers.modulus), "e": Array(numbers.publicExponent)]
                )
            case .p256(let key):
                let point = Array(key.publicKey.rawRepresentation)
                return (
                    ["kty": "EC", "crv": "P-256", "use": "sig", "alg": algorithm],
                    ["x": Array(point[..<32]), "y": Array(point[32...])]
                )
            }
        }
    }

    /// As a JWS carries it (RFC 7518, sections 3.3 and 3.4).
    public func signature(of input: String) throws -> [UInt8] {
        switch self {
        case .rsa(let key):
            Array(
                try key.signature(for: SHA256.hash(data: Data(input.utf8)), padding: .insecurePKCS1v1_5)
                    .rawRepresentation)
        case .p256(let key): Array(try key.signature(for: Data(input.utf8)).rawRepresentation)
        }
    }
}
