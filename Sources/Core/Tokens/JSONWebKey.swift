import Crypto
import CryptoExtras
import Foundation
import JWTKit

/// A public key as the JWKS publishes it (RFC 7517, section 4; RFC 7518, sections 6.2.1 and 6.3.1).
struct JSONWebKey: Encodable, Sendable {
    let kty: String
    let use = "sig"
    let alg: String
    let kid: String
    var crv: String?
    var x: String?
    var y: String?
    var n: String?
    var e: String?

    init(id: String, elliptic key: P256.Signing.PublicKey) throws {
        kid = id
        kty = "EC"
        alg = SigningAlgorithm.es256.rawValue
        crv = "P-256"
        let point = Array(key.rawRepresentation)
        x = point[..<32].base64URL
        y = point[32...].base64URL
    }

    init(id: String, rsa key: _RSA.Signing.PublicKey) throws {
        kid = id
        kty = "RSA"
        alg = SigningAlgorithm.rs256.rawValue
        let numbers = try key.getKeyPrimitives()
        n = Array(numbers.modulus.drop { $0 == 0 }).base64URL
        e = Array(numbers.publicExponent.drop { $0 == 0 }).base64URL
    }
}

extension JWTKit.Insecure.RSA.PrivateKey {
    /// A key of 2048 bits.
    static func fresh() throws -> JWTKit.Insecure.RSA.PrivateKey {
        try JWTKit.Insecure.RSA.PrivateKey(backing: _RSA.Signing.PrivateKey(keySize: .bits2048))
    }
}
