import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A public key of a kind that this library verifies with: a credential's, or a certificate's.
enum VerificationKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)

    enum Hash: Sendable { case sha256, sha384, sha512 }

    /// How a signature is made; the key says the rest.
    enum Scheme: Sendable, Equatable {
        /// In DER (RFC 3279, section 2.2.3).
        case ecdsa(Hash)
        case rsaPKCS1(Hash)
        case ed25519
    }

    /// Equal for equal keys alone.
    var representation: [UInt8] {
        switch self {
        case .p256(let key): [1] + key.x963Representation
        case .p384(let key): [2] + key.x963Representation
        case .p521(let key): [3] + key.x963Representation
        case .ed25519(let key): [4] + key.rawRepresentation
        case .rsa(let key): [5] + key.pkcs1DERRepresentation
        }
    }

    /// Whether the signature is right; false also where key and scheme do not go together.
    func isValid(_ signature: ArraySlice<UInt8>, over data: [UInt8], by scheme: Scheme) -> Bool {
        switch scheme {
        case .ecdsa(.sha256), .rsaPKCS1(.sha256): isValid(signature, for: SHA256.hash(data: data), by: scheme)
        case .ecdsa(.sha384), .rsaPKCS1(.sha384): isValid(signature, for: SHA384.hash(data: data), by: scheme)
        case .ecdsa(.sha512), .rsaPKCS1(.sha512): isValid(signature, for: SHA512.hash(data: data), by: scheme)
        case .ed25519:
            if case .ed25519(let key) = self, signature.count == 64 {
                key.isValidSignature(signature, for: data)
            } else {
                false
            }
        }
    }

    private func isValid(_ signature: ArraySlice<UInt8>, for digest: some Digest, by scheme: Scheme) -> Bool {
        switch (self, scheme) {
        case (.p256(let key), .ecdsa):
            (try? P256.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: digest)
            }
                ?? false
        case (.p384(let key), .ecdsa):
            (try? P384.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: digest)
            }
                ?? false
        case (.p521(let key), .ecdsa):
            (try? P521.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: digest)
            }
                ?? false
        case (.rsa(let key), .rsaPKCS1):
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        default: false
        }
    }
}

extension COSEAlgorithm {
    /// What the algorithm's signatures are; nil for what this library does not verify. In WebAuthn an algorithm names its curve too
    /// (Level 3, section 5.8.5), so the kind of key is asked beside it.
    var scheme: VerificationKey.Scheme? {
        switch self {
        case .es256: .ecdsa(.sha256)
        case .es384: .ecdsa(.sha384)
        case .es512: .ecdsa(.sha512)
        case .edDSA: .ed25519
        case .rs256: .rsaPKCS1(.sha256)
        default: nil
        }
    }
}

extension VerificationKey {
    /// Whether the signature is right under an algorithm of COSE, with the curve that WebAuthn binds to it.
    func isValid(_ signature: ArraySlice<UInt8>, over data: [UInt8], by algorithm: COSEAlgorithm) -> Bool {
        switch (self, algorithm) {
        case (.p256, .es256), (.p384, .es384), (.p521, .es512), (.ed25519, .edDSA), (.rsa, .rs256):
            algorithm.scheme.map { isValid(signature, over: data, by: $0) } ?? false
        default: false
        }
    }

    /// The bounds of RSA moduli: fewer bits are too weak, and more cost a verifier too much time.
    static let rsaBits = 2048...8192

    /// - Throws: where the modulus or the exponent is out of bounds.
    static func rsa(modulus: ArraySlice<UInt8>, exponent: ArraySlice<UInt8>) throws -> VerificationKey {
        guard let first = modulus.first, first != 0, let last = modulus.last, last & 1 == 1,
            rsaBits.contains(modulus.count * 8 - first.leadingZeroBitCount),
            // BoringSSL takes exponents of 33 bits; no authenticator uses one of more than 32.
            let low = exponent.last, low & 1 == 1, exponent.first != 0, exponent.count <= 4,
            exponent.count > 1 || low >= 3
        else { throw CryptoKitError.incorrectParameterSize }
        return .rsa(try OpenedRSAKeys.shared.key(modulus: Array(modulus), exponent: Array(exponent)))
    }

    /// - Throws: where the bytes are no key, or a point of small order, with which anyone can sign.
    static func ed25519(_ bytes: ArraySlice<UInt8>) throws -> VerificationKey {
        guard bytes.count == 32, !isOfSmallOrder(bytes) else { throw CryptoKitError.incorrectParameterSize }
        return .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: bytes))
    }

    /// Whether the y coordinate is that of one of the eight points of small order, also where it is not reduced.
    private static func isOfSmallOrder(_ point: ArraySlice<UInt8>) -> Bool {
        var y = Array(point)
        // The highest bit is the sign of x (RFC 8032, section 5.1.2).
        y[31] &= 0x7F
        let ends = { (low: UInt8, high: UInt8, middle: UInt8) in
            [low] + [UInt8](repeating: middle, count: 30) + [high]
        }
        return [
            ends(0, 0, 0), ends(1, 0, 0), ends(0xEC, 0x7F, 0xFF), ends(0xED, 0x7F, 0xFF), ends(0xEE, 0x7F, 0xFF),
            [
                0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
                0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
            ],
            [
                0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
                0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
            ],
        ].contains(y)
    }
}

extension VerificationKey {
    /// The key of an uncompressed point (SEC 1, section 2.3.3).
    /// - Throws: where the point is not on its curve.
    init(point: [UInt8], algorithm: COSEAlgorithm) throws {
        switch algorithm {
        case .es256: self = .p256(try P256.Signing.PublicKey(x963Representation: point))
        case .es384: self = .p384(try P384.Signing.PublicKey(x963Representation: point))
        case .es512: self = .p521(try P521.Signing.PublicKey(x963Representation: point))
        default: throw CryptoKitError.incorrectParameterSize
        }
    }
}
