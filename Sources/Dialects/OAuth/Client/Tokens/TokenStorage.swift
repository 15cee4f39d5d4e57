import ClientHTTP
import ClientStorage
import Foundation

/// Where a session keeps its tokens between two starts of an app.
public protocol TokenStorage: Sendable {
    /// What was saved for the account; nil where nothing was, or it was removed.
    func data(for account: String) throws -> Data?
    /// Keeps bytes for the account, in place of those of before. They have refresh tokens in them: encrypt them at rest.
    func save(_ data: Data, for account: String) throws
    /// Forgets what was saved for the account; nothing happens where nothing was.
    func remove(_ account: String) throws
}

/// The system's keychain; on Linux the vault that the process has opened (`KeychainVault.configure`), else its memory.
public struct KeychainTokenStorage: TokenStorage {
    private let store: KeychainStore

    /// - Parameter service: what sets these items apart from others of the keychain.
    public init(service: String = "countersign.client") {
        let once = Once()
        store = KeychainStore(service: service) {
            once.run {
                FileHandle.standardError.write(
                    Data("CountersignClient: no keychain is open, so tokens are kept in memory.\n".utf8))
            }
        }
    }

    /// What the keychain has for the account.
    /// - Throws: ``ClientFailure`` with the code `storage`, where the keychain refuses.
    public func data(for account: String) throws -> Data? {
        try Self.named { try store.data(for: account) }
    }

    /// Keeps bytes for the account in the keychain.
    /// - Throws: ``ClientFailure`` with the code `storage`, where the keychain refuses.
    public func save(_ data: Data, for account: String) throws {
        try Self.named { try store.save(data, for: account) }
    }

    /// Removes the account's item from the keychain.
    /// - Throws: ``ClientFailure`` with the code `storage`, where the keychain refuses.
    public func remove(_ account: String) throws {
        try Self.named { try store.remove(account) }
    }

    private static func named<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw ClientFailure(.storage, "The keychain refuses: \(error).", underlying: error)
        }
    }
}

/// For as long as the process lives.
public final class MemoryTokenStorage: TokenStorage {
    private let items = Locked<[String: Data]>([:])

    /// Makes one with nothing in it.
    public init() {}

    /// What was saved for the account; nil where nothing was.
    public func data(for account: String) -> Data? { items.current[account] }
    /// Keeps bytes for the account, in memory alone.
    public func save(_ data: Data, for account: String) { items.withLock { $0[account] = data } }
    /// Forgets what was saved for the account.
    public func remove(_ account: String) { items.withLock { $0[account] = nil } }
}
