import Foundation
import KeychainServices

/// A device's private key: it signs what the device says (Guardian.swift, `SigningKey`).
///
/// ``DataRSAPrivateKey`` and ``KeychainRSAPrivateKey`` are the original's. A type of the app's own gives a ``secKey``, RSA of
/// 2048 to 4096 bits or P-256. One that signs by other means, say in a chip that has no `SecKey`, gives its public half there
/// and implements ``signature(for:)``.
public protocol SigningKey: Sendable {
    /// The private key, or its public half for a type that implements ``signature(for:)`` itself. Its kind decides the
    /// algorithm.
    var secKey: SecKey { get }

    /// Signs as a JSON Web Signature needs it: RSASSA-PKCS1-v1_5 with SHA-256 for RSA (RS256), `r‖s` of 64 bytes for P-256
    /// (ES256); RFC 7518, sections 3.3 and 3.4. May wait for a person: see ``signsAtOnce``.
    func signature(for message: Data) throws -> Data

    /// Whether ``signature(for:)`` never waits for a person or a chip. Where it may, it is called on a thread of its own. True
    /// for keys in memory unless the type says otherwise.
    var signsAtOnce: Bool { get }
}

extension SigningKey {
    public func signature(for message: Data) throws -> Data {
        let algorithm = try PublicHalf(of: secKey).algorithm
        var error: Unmanaged<CFError>?
        guard
            let signature = SecKeyCreateSignature(secKey, algorithm.secKeyAlgorithm, message as CFData, &error)
                as Data?
        else { throw GuardianError.cannotSign(error?.takeRetainedValue()) }
        return try algorithm.joseSignature(signature)
    }

    public var signsAtOnce: Bool {
        let attributes = SecKeyCopyAttributes(secKey) as NSDictionary?
        return (attributes?[kSecAttrIsPermanent as String] as? NSNumber)?.boolValue != true
    }

    /// The public half, for the server.
    public func verificationKey() throws -> any VerificationKey { try AsymmetricPublicKey(privateKey: secKey) }

    /// Puts a key that is in memory into the keychain, under a tag that no other key has.
    ///
    /// - Throws: ``GuardianError``: `….failed.store_assymmetric_key` where another key has the tag, or with the keychain's
    ///   status as ``GuardianError/cause``.
    public func storeInKeychain(
        with tag: String, accessible: KeychainRSAPrivateKey.Accessibility = .afterFirstUnlockThisDeviceOnly
    ) throws -> any SigningKey {
        try KeychainKeys.store(secKey, tag: tag, accessible: accessible.constant)
        return KeychainRSAPrivateKey(tag: tag, secKey: secKey)
    }
}

/// How a key signs, by what it is.
enum JOSEAlgorithm: String, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
}
