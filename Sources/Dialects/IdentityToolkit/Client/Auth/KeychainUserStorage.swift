import ClientHTTP
import ClientStorage
import Foundation

/// Keeps users in the system's keychain, or in the process's vault where a system has none. Where a Linux process has
/// not opened a vault, users are kept in memory, and the log says so once.
package final class KeychainUserStorage: UserStorage {
    private let store: KeychainStore
    private static let says = Once()

    /// - Parameter service: what sets these items apart from others of the keychain.
    package init(service: String = "firebase_auth_user") {
        store = KeychainStore(service: service) {
            Self.says.run {
                notice(
                    "The signed-in user is kept in memory alone. "
                        + "Call KeychainVault.configure before Auth.auth() to keep it.")
            }
        }
    }

    package func user(forApp name: String) throws -> Data? { try store.data(for: name) }
    package func save(_ user: Data, forApp name: String) throws { try store.save(user, for: name) }
    package func removeUser(forApp name: String) throws { try store.remove(name) }
}
