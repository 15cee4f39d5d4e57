import ClientHTTP
import ClientStorage
import Foundation

/// Where accounts are kept from one run of the program to the next. What is thrown is logged.
package protocol AccountStorage: Sendable {
    /// The data of an account, or, where none is named, of any.
    func data(for account: String?) throws -> Data?
    func save(_ data: Data, for account: String) throws
    /// Removes the data of an account, or, where none is named, of all.
    func remove(_ account: String?) throws
}

extension KeychainStore: AccountStorage {}

/// The account that is signed in, by authority, client id and account: one item of the keychain each. Source: MSAL for iOS.
struct AccountCache: Sendable {
    private let storage: any AccountStorage
    /// Held while an item is read and written back.
    private let lock: Locked<Void>

    /// One for all applications of a process with the same server and client id.
    private static let shared = Locked<[String: (storage: KeychainStore, lock: Locked<Void>)]>([:])
    private static let says = Once()

    init(_ settings: ClientSettings, _ storage: (any AccountStorage)?) {
        if let storage {
            self.storage = storage
            lock = Locked(())
            return
        }
        let service = "msal_native_auth|\(settings.authority.url.absoluteString)|\(settings.clientID)"
        let group = settings.keychainGroup
        let (store, lock) = Self.shared.withLock { shared in
            let key = "\(group ?? "")|\(service)"
            if let known = shared[key] { return known }
            let made = (
                storage: KeychainStore(service: service, accessGroup: group) { Self.noticeMemory() }, lock: Locked(())
            )
            shared[key] = made
            return made
        }
        self.storage = store
        self.lock = lock
    }

    private static func noticeMemory() {
        says.run {
            Log.notice(
                "The account and its tokens are kept in memory alone. "
                    + "Call KeychainVault.configure before the application is made to keep them.")
        }
    }

    /// The account with this identifier, or, where none is named, any.
    func account(_ identifier: String?, _ correlationID: UUID) -> StoredAccount? {
        lock.withLock { _ in read(identifier, correlationID) }
    }

    /// A user signed in: the previous account is removed.
    func begin(_ account: StoredAccount, _ correlationID: UUID) {
        lock.withLock { _ in
            attempt("clear", correlationID) { try storage.remove(nil) }
            write(account, correlationID)
        }
    }

    /// Writes the account that the body makes of the one that is there, if any. What the body answers is answered.
    func update(
        _ identifier: String, _ correlationID: UUID, _ body: (StoredAccount?) -> StoredAccount?
    ) -> StoredAccount? {
        lock.withLock { _ in
            let before = read(identifier, correlationID)
            let after = body(before)
            if let after, after != before { write(after, correlationID) }
            return after
        }
    }

    func forget(_ identifier: String, _ correlationID: UUID) {
        lock.withLock { _ in attempt("forget", correlationID) { try storage.remove(identifier) } }
    }

    private func read(_ identifier: String?, _ correlationID: UUID) -> StoredAccount? {
        var account: StoredAccount?
        attempt("read", correlationID) {
            guard let data = try storage.data(for: identifier) else { return }
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .secondsSince1970
            account = try decoder.decode(StoredAccount.self, from: data)
        }
        return account
    }

    private func write(_ account: StoredAccount, _ correlationID: UUID) {
        attempt("write", correlationID) {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .secondsSince1970
            encoder.outputFormatting = .sortedKeys
            try storage.save(encoder.encode(account), for: account.homeAccountID)
        }
    }

    /// A cache that fails does not fail what it is for.
    private func attempt(_ what: String, _ correlationID: UUID, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            Log.write(.error, correlationID, "The cache could not \(word: what) the account: \(word: "\(error)")")
        }
    }
}
