import Foundation
import KeychainServices

/// An RSA key that the keychain keeps under a tag.
///
/// On Linux a process has to have opened its vault (`KeychainVault.configure`); until then every call throws. A key is never
/// kept in memory instead: it would be lost with the process, and the enrolment with it.
///
/// Unchecked because on Apple's systems `SecKey` is not marked: it never changes after it is made, and Apple lets all threads
/// use one.
public struct KeychainRSAPrivateKey: SigningKey, @unchecked Sendable {
    /// When the key can be used at all.
    public enum Accessibility: Sendable {
        /// From the first unlock on; also in a backup.
        case afterFirstUnlock
        /// From the first unlock on, on this device alone.
        case afterFirstUnlockThisDeviceOnly
        /// While unlocked, and as long as a passcode is set.
        case whenPasscodeIsSet

        var constant: String {
            let constant =
                switch self {
                case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
                case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                case .whenPasscodeIsSet: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
                }
            return constant as String
        }
    }

    /// The keychain's `kSecAttrApplicationTag`, in UTF-8. An app stores it in place of the key.
    public let tag: String
    /// The keychain's reference to the key, not its bytes.
    public let secKey: SecKey

    init(tag: String, secKey: SecKey) {
        self.tag = tag
        self.secKey = secKey
    }

    /// The key with a tag.
    ///
    /// - Throws: ``GuardianError``: `….no.private_key`, with the keychain's status as ``GuardianError/cause`` where there may
    ///   be one that cannot be had now, and without where there is none.
    public init(tag: String) throws {
        guard let key = try KeychainKeys.find(tag, .rs256) else {
            throw GuardianError.noPrivateKey("No key has the tag '\(tag)'.")
        }
        self.init(tag: tag, secKey: key)
    }

    /// The key with a tag; a new one of 2048 bits where there is none.
    ///
    /// A second key is never made: where the keychain is locked, or does not say whether there is one, this throws. The
    /// original ignores `accessible`; here it is what it says. A key that exists keeps its own.
    public static func new(
        with tag: String, accessible: Accessibility = .afterFirstUnlockThisDeviceOnly
    ) throws -> KeychainRSAPrivateKey {
        let protection = [kSecAttrAccessible as String: accessible.constant as CFString]
        return KeychainRSAPrivateKey(tag: tag, secKey: try KeychainKeys.findOrMake(tag, .rs256, protection))
    }

    /// As ``new(with:accessible:)``, with a key that needs a present user: `.presentUser`, or another access control
    /// (`import KeychainServices`).
    ///
    /// On Linux every signature asks, and the key is never given out. On Apple's systems, whose chips have no RSA, finding the
    /// key asks: there ``KeychainP256PrivateKey`` is the better one.
    public static func new(with tag: String, access: AccessControl) throws -> KeychainRSAPrivateKey {
        #if canImport(Security)
            let protection = try KeychainKeys.protection(access, without: .privateKeyUsage)
        #else
            let protection = try KeychainKeys.protection(access, with: .privateKeyUsage)
        #endif
        return KeychainRSAPrivateKey(tag: tag, secKey: try KeychainKeys.findOrMake(tag, .rs256, protection))
    }

    /// Deletes the key from the keychain. Succeeds if it does not exist. Never prompts. The server still has its public half: remove the
    /// enrolment first (``DeviceAPI/delete()``).
    ///
    /// - Throws: ``GuardianError`` where the keychain refuses.
    public func delete() throws { try KeychainKeys.delete(tag) }

    /// Deletes the key with a tag, also one that cannot be read any more.
    ///
    /// - Throws: ``GuardianError`` where the keychain refuses.
    public static func delete(with tag: String) throws { try KeychainKeys.delete(tag) }
}

/// A P-256 key that the keychain keeps under a tag, in a chip where one is wanted. Ours: it signs ES256.
///
/// Unchecked because on Apple's systems `SecKey` is not marked: it never changes after it is made, and Apple lets all threads
/// use one.
public struct KeychainP256PrivateKey: SigningKey, @unchecked Sendable {
    /// The keychain's `kSecAttrApplicationTag`, in UTF-8. An app stores it in place of the key.
    public let tag: String
    /// The keychain's reference to the key, not its bytes; a key in a chip has none to give.
    public let secKey: SecKey

    /// The key with a tag. Throws as ``KeychainRSAPrivateKey/init(tag:)`` does.
    public init(tag: String) throws {
        guard let key = try KeychainKeys.find(tag, .es256) else {
            throw GuardianError.noPrivateKey("No key has the tag '\(tag)'.")
        }
        self.tag = tag
        secKey = key
    }

    /// The key with a tag; a new one where there is none. Never a second one: see ``KeychainRSAPrivateKey/new(with:accessible:)``.
    ///
    /// - Parameters:
    ///   - access: What each signature asks for: `.presentUserSigning`, or
    ///     `AccessControl(unconstrained: .afterFirstUnlockThisDeviceOnly)` for nothing (`import KeychainServices`).
    ///   - inHardware: Makes it in the Secure Enclave, or in what `KeychainVault.configure(hardware:)` named; refused where
    ///     there is none.
    /// - Throws: ``GuardianError`` where the keychain refuses, or a key has the tag that cannot be used now.
    public static func new(
        with tag: String, access: AccessControl, inHardware: Bool = false
    ) throws -> KeychainP256PrivateKey {
        let protection =
            inHardware || access.asksForFactor
            ? try KeychainKeys.protection(access, with: .privateKeyUsage) : try KeychainKeys.protection(access)
        #if canImport(Security)
            // Apple's flag for signing alone is the Secure Enclave's.
            let isInChip = inHardware || access.asksForFactor
        #else
            let isInChip = inHardware
        #endif
        _ = try KeychainKeys.findOrMake(tag, .es256, protection, inHardware: isInChip)
        return try KeychainP256PrivateKey(tag: tag)
    }

    /// Deletes the key from the keychain. Succeeds if it does not exist. Never prompts. The server still has its public half: remove the
    /// enrolment first (``DeviceAPI/delete()``).
    ///
    /// - Throws: ``GuardianError`` where the keychain refuses.
    public func delete() throws { try KeychainKeys.delete(tag) }

    /// Deletes the key with a tag, also one that cannot be read any more.
    ///
    /// - Throws: ``GuardianError`` where the keychain refuses.
    public static func delete(with tag: String) throws { try KeychainKeys.delete(tag) }
}
