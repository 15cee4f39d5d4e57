import Foundation
import KeychainTypes

/// Which key to make. RSA below 2048 bits is not offered.
public enum KeyKind: Sendable, Hashable, CaseIterable {
    /// An elliptic curve key on NIST P-256.
    case p256
    /// An RSA key of 2048 bits.
    case rsa2048
    /// An RSA key of 3072 bits.
    case rsa3072
    /// An RSA key of 4096 bits.
    case rsa4096

    var isRSA: Bool { self != .p256 }

    var bits: Int {
        switch self {
        case .p256: 256
        case .rsa2048: 2048
        case .rsa3072: 3072
        case .rsa4096: 4096
        }
    }

    init?(isRSA: Bool, bits: Int) {
        guard let kind = Self.allCases.first(where: { $0.isRSA == isRSA && $0.bits == bits }) else { return nil }
        self = kind
    }
}

/// What is known of a key without using it.
public struct KeyInfo: Sendable, Hashable {
    /// The name that the key was made under; unique in a ``Keychain``.
    public let tag: String
    /// The key's algorithm and size.
    public let kind: KeyKind
    /// PKCS #1 for RSA, `04‖X‖Y` for P-256.
    public let publicKey: Data
    /// `kSecAttrApplicationLabel`: SHA-1 of ``publicKey``. A name, not a safeguard.
    public let applicationLabel: Data
    /// What each signature asks for. Nil on Apple's systems, where a key does not tell.
    public let access: AccessControl?
    /// Whether the private half is in hardware and has never been elsewhere.
    public let isHardwareBound: Bool

    /// ``publicKey`` as `SubjectPublicKeyInfo` (RFC 5280), in DER: what OpenSSL and most other software read.
    public var subjectPublicKeyInfo: Data {
        kind.isRSA ? SubjectPublicKeyInfo.rsa(publicKey) : SubjectPublicKeyInfo.p256(publicKey)
    }
}

/// How ``Keychain/sign(_:with:_:context:)`` signs.
public enum SignatureAlgorithm: Sendable, Hashable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518).
    case rs256
    /// RSASSA-PSS with SHA-256, MGF1 and a salt of 32 bytes (RFC 7518).
    case ps256
    /// ECDSA on P-256 with SHA-256 as `r‖s`, 64 bytes (RFC 7518).
    case es256
    /// ECDSA on P-256 with SHA-256 in DER, as X.509 and OpenSSL have it.
    case es256DER

    var isRSA: Bool { self == .rs256 || self == .ps256 }
}

/// The wrapping of public keys in X.509 (RFC 5280, 4.1; algorithm identifiers of RFC 3279 and RFC 5480).
enum SubjectPublicKeyInfo {
    static func rsa(_ pkcs1: Data) -> Data {
        // rsaEncryption, 1.2.840.113549.1.1.1, with NULL.
        wrap(pkcs1, algorithm: [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00])
    }

    static func p256(_ point: Data) -> Data {
        // id-ecPublicKey, 1.2.840.10045.2.1, with prime256v1, 1.2.840.10045.3.1.7.
        wrap(
            point,
            algorithm: [
                0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
                0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07,
            ])
    }

    private static func wrap(_ key: Data, algorithm: [UInt8]) -> Data {
        element(0x30, element(0x30, Data(algorithm)) + element(0x03, [0] + key))
    }

    private static func element(_ tag: UInt8, _ content: Data) -> Data {
        var length = withUnsafeBytes(of: content.count.bigEndian) { Data($0.drop { $0 == 0 }) }
        if content.count >= 0x80 { length.insert(0x80 | UInt8(length.count), at: 0) }
        return [tag] + length + content
    }
}
