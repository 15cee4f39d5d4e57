import ClientHTTP
import Foundation
import KeychainServices

/// Keeps users in the system's keychain, or in the process's vault where a system has none.
///
/// The items ask for nobody, so that an app finds its user when it starts: they can be read from the first unlock on and
/// never leave the device. Where a Linux process has not opened a vault (`KeychainVault.configure`), users are kept in
/// memory, and the log says so once.
package final class KeychainUserStorage: UserStorage {
    private let service: String
    private let memory = InMemoryUserStorage()
    private static let hasSaidSo = Locked(false)

    /// - Parameter service: what sets these items apart from others of the keychain.
    package init(service: String = "firebase_auth_user") {
        self.service = service
    }

    /// A status that is none of those that are expected.
    struct Failure: Error, CustomStringConvertible {
        let status: OSStatus

        var description: String { "the keychain answered \(status)" }
    }

    package func user(forApp name: String) throws -> Data? {
        var query = item(name)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: AnyObject?
        let status = withUnsafeMutablePointer(to: &found) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        switch status {
        case errSecSuccess: return found as? Data
        case errSecItemNotFound: return nil
        case errSecNotAvailable: return memory.user(forApp: name)
        default: throw Failure(status: status)
        }
    }

    package func save(_ user: Data, forApp name: String) throws {
        var status = SecItemUpdate(item(name) as CFDictionary, [kSecValueData as String: user] as CFDictionary)
        if status == errSecItemNotFound {
            var new = item(name)
            new[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            new[kSecValueData as String] = user
            status = SecItemAdd(new as CFDictionary, nil)
        }
        switch status {
        case errSecSuccess: return
        case errSecNotAvailable:
            sayOnce()
            memory.save(user, forApp: name)
        default: throw Failure(status: status)
        }
    }

    package func removeUser(forApp name: String) throws {
        memory.removeUser(forApp: name)
        let status = SecItemDelete(item(name) as CFDictionary)
        guard [errSecSuccess, errSecItemNotFound, errSecNotAvailable].contains(status) else {
            throw Failure(status: status)
        }
    }

    private func item(_ name: String) -> [String: Any] {
        var item: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: name,
        ]
        #if os(macOS)
            item[kSecUseDataProtectionKeychain as String] = true
        #endif
        return item
    }

    private func sayOnce() {
        let isFirst = Self.hasSaidSo.withLock { hasSaidSo in
            defer { hasSaidSo = true }
            return !hasSaidSo
        }
        if isFirst {
            notice(
                "The signed-in user is kept in memory alone. Call KeychainVault.configure before Auth.auth() to keep it."
            )
        }
    }
}
