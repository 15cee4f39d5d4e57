import Foundation
import Guardian
import KeychainServices

/// A device's key in the keychain, with the text that its prompt shows.
///
/// Unchecked because on Apple's systems `SecKey` is not marked: it never changes after it is made, and Apple lets all threads
/// use one.
struct DeviceSigningKey: SigningKey, @unchecked Sendable {
    let secKey: SecKey

    /// - Parameter reason: shown where the key asks for the passcode.
    init(tag: String, reason: String) throws(DeviceFailure) {
        let context = LAContext()
        context.localizedReason = reason
        var query: [String: Any] = [
            kSecClass as String: kSecClassKey, kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
            kSecAttrApplicationTag as String: Data(tag.utf8), kSecReturnRef as String: true,
            kSecMatchLimit as String: kSecMatchLimitOne, kSecUseAuthenticationContext as String: context,
        ]
        #if os(macOS)
            query[kSecUseDataProtectionKeychain as String] = true
        #endif
        var found: AnyObject?
        let status = withUnsafeMutablePointer(to: &found) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        #if canImport(Security)
            let key = found.flatMap { CFGetTypeID($0) == SecKeyGetTypeID() ? unsafeDowncast($0, to: SecKey.self) : nil }
        #else
            let key = found as? SecKey
        #endif
        guard status == errSecSuccess, let key else {
            throw DeviceFailure(.keychain, "The device's key cannot be had from the keychain (\(status)).")
        }
        secKey = key
    }
}
