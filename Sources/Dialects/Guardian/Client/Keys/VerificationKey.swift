import Foundation
import JSON
import KeychainServices

/// A device's public key, as the server is given it (Guardian.swift, `VerificationKey`).
public protocol VerificationKey: Sendable {
    /// Nil for a key that is not RSA.
    var jwk: RSAPublicJWK? { get }
    /// Nil for a key that is not on P-256; nil unless the type says otherwise. Ours: the original has RSA alone.
    var ellipticJWK: ECPublicJWK? { get }
}

extension VerificationKey {
    public var ellipticJWK: ECPublicJWK? { nil }
}

/// An RSA key as JSON (RFC 7517). The modulus begins with the zero byte that the vendor's SDKs send.
public struct RSAPublicJWK: Codable, Sendable, Equatable {
    let kty: String
    let use: String
    let alg: String
    let n: String
    let e: String

    init(modulus: Data, exponent: Data) {
        kty = "RSA"
        use = "sig"
        alg = "RS256"
        n = modulus.base64URL
        e = exponent.base64URL
    }
}

/// A P-256 key as JSON (RFC 7518, section 6.2).
public struct ECPublicJWK: Codable, Sendable, Equatable {
    let kty: String
    let use: String
    let alg: String
    let crv: String
    let x: String
    let y: String

    /// - Parameter point: `04‖X‖Y`.
    init(point: Data) {
        kty = "EC"
        use = "sig"
        alg = "ES256"
        crv = "P-256"
        x = Data(point.dropFirst().prefix(32)).base64URL
        y = Data(point.suffix(32)).base64URL
    }
}

/// Something whose bytes can be had.
public protocol PublicKeyDataConvertible {
    /// PKCS #1 for RSA, X9.63 for P-256.
    var data: Data? { get }
}

/// A key whose numbers can be read out of its bytes.
public protocol ASNPublicKeyDecodable: PublicKeyDataConvertible {
    /// Nil for a key that is not RSA.
    var attributes: PublicKeyAttributes? { get }
}

/// The numbers of an RSA key, big-endian as in DER: with a zero byte where the first bit would be set.
public struct PublicKeyAttributes: Sendable, Equatable {
    /// The modulus. Of a key of 2048 bits these are 257 bytes: the zero byte and 256.
    public let modulus: Data
    /// The public exponent, mostly the three bytes `01 00 01`.
    public let exponent: Data
}

/// The public half of a ``SigningKey``.
///
/// Unchecked because on Apple's systems `SecKey` is not marked: it never changes after it is made, and Apple lets all threads
/// use one.
public struct AsymmetricPublicKey: VerificationKey, ASNPublicKeyDecodable, @unchecked Sendable {
    /// The public half.
    public let secKey: SecKey
    private let half: PublicHalf

    /// - Throws: ``GuardianError``: `….no.public_key`, or `….invalid.assymmetric_key` for a key that is neither RSA nor P-256.
    public init(privateKey: SecKey) throws {
        half = try PublicHalf(of: privateKey)
        guard let key = SecKeyCopyPublicKey(privateKey) else { throw GuardianError.noPublicKey }
        secKey = key
    }

    public var data: Data? { half.external }

    public var attributes: PublicKeyAttributes? {
        half.rsaIntegers.map { PublicKeyAttributes(modulus: $0.modulus, exponent: $0.exponent) }
    }

    public var jwk: RSAPublicJWK? {
        attributes.map { RSAPublicJWK(modulus: $0.modulus, exponent: $0.exponent) }
    }

    public var ellipticJWK: ECPublicJWK? { half.algorithm == .es256 ? ECPublicJWK(point: half.external) : nil }
}
