import Foundation
import KeychainServices

/// An RSA key in memory, for apps that keep its bytes themselves.
///
/// Unchecked because on Apple's systems `SecKey` is not marked: it never changes after it is made, and Apple lets all threads
/// use one.
public struct DataRSAPrivateKey: SigningKey, @unchecked Sendable {
    /// The key as `Security` has it, on Linux as `KeychainServices` has it.
    public let secKey: SecKey
    /// `RSAPrivateKey` of PKCS #1 in DER: a secret, to be kept as one.
    public let data: Data

    /// - Throws: ``GuardianError``: `….invalid.assymmetric_key` for a key that is no private RSA key, or is not given out.
    public init(secKey: SecKey) throws {
        guard try PublicHalf(of: secKey).algorithm == .rs256 else {
            throw GuardianError.invalidKey("The key is not RSA.")
        }
        self.secKey = secKey
        data = try InMemoryKey.bytes(of: secKey)
    }

    /// Reads what ``data`` gave, or another `RSAPrivateKey` of PKCS #1 (`BEGIN RSA PRIVATE KEY`, without the armour).
    ///
    /// - Throws: ``GuardianError``: `….invalid.assymmetric_key`; also for less than 2048 bits.
    public init(data: Data) throws {
        secKey = try InMemoryKey.read(data, kSecAttrKeyTypeRSA)
        self.data = data
    }

    /// A new key of 2048 bits.
    public static func new() throws -> DataRSAPrivateKey {
        try DataRSAPrivateKey(secKey: InMemoryKey.make(kSecAttrKeyTypeRSA, bits: 2048))
    }
}

/// A P-256 key in memory. Ours: the original has RSA alone, and servers of the vendor take both.
///
/// Unchecked because on Apple's systems `SecKey` is not marked: it never changes after it is made, and Apple lets all threads
/// use one.
public struct DataP256PrivateKey: SigningKey, @unchecked Sendable {
    /// The key as `Security` has it, on Linux as `KeychainServices` has it.
    public let secKey: SecKey
    /// `04‖X‖Y‖K` (X9.63): a secret, to be kept as one.
    public let data: Data

    /// - Throws: ``GuardianError``: `….invalid.assymmetric_key`.
    public init(data: Data) throws {
        secKey = try InMemoryKey.read(data, kSecAttrKeyTypeECSECPrimeRandom)
        guard try PublicHalf(of: secKey).algorithm == .es256 else {
            throw GuardianError.invalidKey("The key is not on P-256.")
        }
        self.data = data
    }

    /// A new key.
    ///
    /// - Throws: ``GuardianError``: `….failed.creation_assymmetric_key` where the system makes none.
    public static func new() throws -> DataP256PrivateKey {
        let key = try InMemoryKey.make(kSecAttrKeyTypeECSECPrimeRandom, bits: 256)
        return try DataP256PrivateKey(data: InMemoryKey.bytes(of: key))
    }
}

private enum InMemoryKey {
    static func make(_ type: CFString, bits: Int) throws -> SecKey {
        let parameters: [String: Any] = [kSecAttrKeyType as String: type, kSecAttrKeySizeInBits as String: bits]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error) else {
            throw GuardianError.failedCreation(error?.takeRetainedValue())
        }
        return key
    }

    static func read(_ data: Data, _ type: CFString) throws -> SecKey {
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: type, kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
        ]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateWithData(data as CFData, attributes as CFDictionary, &error) else {
            throw GuardianError.invalidKey(
                "These bytes are no private key of this kind.", error?.takeRetainedValue())
        }
        return key
    }

    static func bytes(of key: SecKey) throws -> Data {
        var error: Unmanaged<CFError>?
        guard let bytes = SecKeyCopyExternalRepresentation(key, &error) as Data? else {
            throw GuardianError.invalidKey("The key is not given out.", error?.takeRetainedValue())
        }
        return bytes
    }
}
