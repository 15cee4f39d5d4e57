import ClientHTTP
import Foundation

/// Where the signed-in user of each app is kept from one run of the program to the next.
///
/// The functions are called while a lock is held: they must not wait for long and must not call ``Auth``. What they
/// throw reaches the app as `keychainError`.
package protocol UserStorage: Sendable {
    func user(forApp name: String) throws -> Data?
    func save(_ user: Data, forApp name: String) throws
    func removeUser(forApp name: String) throws
}

/// Keeps users for as long as the program runs.
package final class InMemoryUserStorage: UserStorage {
    private let users = Locked<[String: Data]>([:])

    package init() {}

    package func user(forApp name: String) -> Data? { users.withLock { $0[name] } }
    package func save(_ user: Data, forApp name: String) { users.withLock { $0[name] = user } }
    package func removeUser(forApp name: String) { users.withLock { $0[name] = nil } }
}
