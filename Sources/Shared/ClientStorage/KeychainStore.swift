import ClientHTTP
import Foundation
import KeychainServices

/// Keeps a client module's data in the system's keychain, or in the process's vault where a system has none.
///
/// The items need no prompt, so that an app can read them when it starts: they can be read from the first unlock on and
/// never leave the device. Where a Linux process has not opened a vault (`KeychainVault.configure`), the data is kept
/// in memory.
package final class KeychainStore: Sendable {
    private let service: String
    private let accessGroup: String?
    private let memory = Locked<[String: Data]>([:])
    private let whenKeptInMemory: @Sendable () -> Void

    /// - Parameters:
    ///   - service: what sets these items apart from others of the keychain.
    ///   - accessGroup: the keychain access group, in full; nil for the app's first one. Passed over where a vault is the
    ///     keychain: it has the one group of its application.
    ///   - whenKeptInMemory: called with each write that only the memory takes.
    package init(
        service: String, accessGroup: String? = nil, whenKeptInMemory: @escaping @Sendable () -> Void
    ) {
        self.service = service
        self.accessGroup = accessGroup
        self.whenKeptInMemory = whenKeptInMemory
    }

    /// A status that is none of those that are expected.
    package struct Failure: Error, CustomStringConvertible {
        package let status: OSStatus

        package var description: String { "the keychain answered \(status)" }
    }

    /// The data of an account, or, where none is named, of any.
    package func data(for account: String?) throws -> Data? {
        var query = item(account)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: AnyObject?
        let status = withUnsafeMutablePointer(to: &found) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        switch status {
        case errSecSuccess: return found as? Data
        case errSecItemNotFound: return nil
        case errSecNotAvailable:
            return memory.withLock { memory in account.map { memory[$0] } ?? memory.first?.value }
        default: throw Failure(status: status)
        }
    }

    package func save(_ data: Data, for account: String) throws {
        var status = SecItemUpdate(item(account) as CFDictionary, [kSecValueData as String: data] as CFDictionary)
        if status == errSecItemNotFound {
            var new = item(account)
            new[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            new[kSecValueData as String] = data
            status = SecItemAdd(new as CFDictionary, nil)
        }
        switch status {
        case errSecSuccess: return
        case errSecNotAvailable:
            whenKeptInMemory()
            memory.withLock { $0[account] = data }
        default: throw Failure(status: status)
        }
    }

    /// Removes the data of an account, or, where none is named, of all.
    package func remove(_ account: String?) throws {
        memory.withLock { memory in
            if let account { memory[account] = nil } else { memory = [:] }
        }
        let status = SecItemDelete(item(account) as CFDictionary)
        guard [errSecSuccess, errSecItemNotFound, errSecNotAvailable].contains(status) else {
            throw Failure(status: status)
        }
    }

    private func item(_ account: String?) -> [String: Any] {
        var item: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service]
        if let account { item[kSecAttrAccount as String] = account }
        #if canImport(Security)
            if let accessGroup { item[kSecAttrAccessGroup as String] = accessGroup }
        #endif
        #if os(macOS)
            item[kSecUseDataProtectionKeychain as String] = true
        #endif
        return item
    }
}
