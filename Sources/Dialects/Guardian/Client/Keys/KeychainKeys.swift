import Foundation
import KeychainServices

/// Private keys of the keychain, by their tags: one tag, one key.
enum KeychainKeys {
    /// Looking and making is one step for the threads of this process.
    private static let making = NSLock()

    /// - Returns: nil where the keychain says that no key has the tag.
    /// - Throws: `….no.private_key` with the keychain's status for any other answer, and `….invalid.assymmetric_key` for a key
    ///   of another kind.
    static func find(_ tag: String, _ algorithm: JOSEAlgorithm) throws(GuardianError) -> SecKey? {
        guard let key = try find(tag) else { return nil }
        guard try PublicHalf(of: key).algorithm == algorithm else {
            throw .invalidKey("The key with the tag '\(tag)' is of another kind.")
        }
        return key
    }

    private static func find(_ tag: String) throws(GuardianError) -> SecKey? {
        var query = item(tag)
        query[kSecReturnRef as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        let (status, found) = copy(query)
        switch status {
        case errSecSuccess: break
        case errSecItemNotFound: return nil
        default:
            throw .noPrivateKey(
                "The keychain does not say whether a key has the tag '\(tag)'.", NSError.keychain(status))
        }
        #if canImport(Security)
            guard let found, CFGetTypeID(found) == SecKeyGetTypeID() else { return nil }
            return unsafeDowncast(found, to: SecKey.self)
        #else
            return found as? SecKey
        #endif
    }

    static func findOrMake(
        _ tag: String, _ algorithm: JOSEAlgorithm, _ protection: [String: Any], inHardware: Bool = false
    ) throws -> SecKey {
        making.lock()
        defer { making.unlock() }
        if let key = try find(tag, algorithm) { return key }
        var half = protection
        half[kSecAttrIsPermanent as String] = true
        half[kSecAttrApplicationTag as String] = Data(tag.utf8)
        var parameters: [String: Any] = [
            kSecAttrKeyType as String: algorithm == .rs256 ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeySizeInBits as String: algorithm == .rs256 ? 2048 : 256,
            kSecPrivateKeyAttrs as String: half,
        ]
        if inHardware { parameters[kSecAttrTokenID as String] = kSecAttrTokenIDSecureEnclave }
        #if os(macOS)
            parameters[kSecUseDataProtectionKeychain as String] = true
        #endif
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateRandomKey(parameters as CFDictionary, &error) else {
            throw GuardianError.failedCreation(error?.takeRetainedValue())
        }
        return try settled(key, tag, algorithm)
    }

    /// Another process may have made one with the same tag at the same moment: the first stays, and the second process
    /// removes its own.
    private static func settled(_ key: SecKey, _ tag: String, _ algorithm: JOSEAlgorithm) throws -> SecKey {
        let silent = LAContext()
        silent.interactionNotAllowed = true
        var query = item(tag)
        query[kSecReturnAttributes as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        query[kSecUseAuthenticationContext as String] = silent
        let (status, found) = copy(query)
        // Where looking would prompt, two processes are not distinguished.
        guard status == errSecSuccess, let all = found as? [NSDictionary], all.count > 1 else { return key }
        let keys = all.compactMap { item -> (created: Date, label: Data)? in
            guard let created = item[kSecAttrCreationDate as String] as? Date,
                let label = item[kSecAttrApplicationLabel as String] as? Data
            else { return nil }
            return (created, label)
        }
        let first = keys.min {
            $0.created != $1.created ? $0.created < $1.created : $0.label.lexicographicallyPrecedes($1.label)
        }
        let own = (SecKeyCopyAttributes(key) as NSDictionary?)?[kSecAttrApplicationLabel as String] as? Data
        guard let first, let own, first.label != own else { return key }
        var second = item(tag)
        second[kSecAttrApplicationLabel as String] = own
        _ = SecItemDelete(second as CFDictionary)
        guard let kept = try find(tag, algorithm) else { throw GuardianError.failedCreation(nil) }
        return kept
    }

    static func store(_ key: SecKey, tag: String, accessible: String) throws {
        making.lock()
        defer { making.unlock() }
        if let other = try find(tag) {
            guard try PublicHalf(of: other).external == PublicHalf(of: key).external else {
                throw GuardianError.failedStore("Another key has the tag '\(tag)': delete it first.")
            }
            return
        }
        var new = item(tag)
        new[kSecValueRef as String] = key
        new[kSecAttrAccessible as String] = accessible as CFString
        let status = SecItemAdd(new as CFDictionary, nil)
        guard status == errSecSuccess else {
            throw GuardianError.failedStore("The keychain did not take the key.", NSError.keychain(status))
        }
    }

    static func delete(_ tag: String) throws {
        let status = SecItemDelete(item(tag) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw GuardianError.failedStore("The keychain did not delete the key.", NSError.keychain(status))
        }
    }

    /// An access control for the attributes of a private key.
    static func protection(
        _ access: AccessControl, with more: AccessControl.Constraints = [],
        without less: AccessControl.Constraints = []
    ) throws -> [String: Any] {
        let flags = SecAccessControlCreateFlags(
            rawValue: access.constraints.union(more).subtracting(less).rawValue)
        var error: Unmanaged<CFError>?
        guard
            let object = SecAccessControlCreateWithFlags(
                nil, access.accessibility.rawValue as CFString, flags, &error)
        else { throw GuardianError.failedCreation(error?.takeRetainedValue()) }
        return [kSecAttrAccessControl as String: object]
    }

    private static func item(_ tag: String) -> [String: Any] {
        var item: [String: Any] = [
            kSecClass as String: kSecClassKey, kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            kSecAttrApplicationTag as String: Data(tag.utf8),
        ]
        #if os(macOS)
            item[kSecUseDataProtectionKeychain as String] = true
        #endif
        return item
    }

    private static func copy(_ query: [String: Any]) -> (OSStatus, AnyObject?) {
        var found: AnyObject?
        let status = withUnsafeMutablePointer(to: &found) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        return (status, found)
    }
}

extension NSError {
    /// The keychain's own error for a status.
    fileprivate static func keychain(_ status: OSStatus) -> NSError {
        let text = SecCopyErrorMessageString(status, nil).map { "\($0)" } ?? "status \(status)"
        return NSError(
            domain: NSOSStatusErrorDomain, code: Int(status), userInfo: [NSLocalizedDescriptionKey: text])
    }
}
