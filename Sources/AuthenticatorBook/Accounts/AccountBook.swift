import Foundation
import KeychainServices
import OneTimePassword

/// The accounts of an authenticator, kept in the keychain of this process.
///
/// Each account is two items: what is known of it, which can be listed once the keychain is open, and its secret, which
/// asks for the passcode at each use where that was wished. A device's key is a third, see `AccountBook+Devices.swift`.
///
/// On Linux configure the keychain first: `KeychainVault.configure`.
public struct AccountBook: Sendable {
    enum Service {
        static let account = "countersign.authenticator.account"
        static let secret = "countersign.authenticator.secret"
    }

    /// The most accounts that a book has.
    public static let limit = 2000

    let keychain = Keychain()
    let lock: BookLock

    /// - Parameter lockFile: a file that processes with the same keychain lock while they change an account.
    public init(lockFile: String? = nil) {
        lock = BookLock(path: lockFile)
    }

    // MARK: Looking

    /// All accounts, by their labels. Never prompts.
    public func accounts() async throws(AccountBookError) -> [Account] {
        let ids: [String]
        do throws(KeychainError) {
            ids = try await keychain.accounts(service: Service.account)
        } catch {
            throw .keychain(error)
        }
        var accounts: [Account] = []
        for id in ids { accounts.append(try await account(id)) }
        return accounts.sorted { ($0.label.lowercased(), $0.id) < ($1.label.lowercased(), $1.id) }
    }

    /// The account that a user means. See `only(meant:)`. One that cannot be read is found by its id alone.
    public func account(meant selector: String) async throws(AccountBookError) -> Account {
        try await accounts().only(meant: selector)
    }

    func account(_ id: Account.ID) async throws(AccountBookError) -> Account {
        let bytes = try await kept { () throws(KeychainError) in
            try await keychain.read(account: id, service: Service.account)
        }
        guard let account = try? JSONDecoder().decode(Account.self, from: bytes.withBytes { Data($0) }) else {
            throw .damaged(id)
        }
        return account
    }

    // MARK: Adding

    /// Adds what a URI says. Never prompts.
    ///
    /// - Parameter asksEachTime: whether each use of the secret asks for the passcode.
    /// - Throws: ``AccountBookError/alreadyThere(_:)`` and ``AccountBookError/nameTaken(_:)``: nothing is replaced.
    @discardableResult
    public func add(
        _ uri: OTPAuthURI, asksEachTime: Bool = false, now: Date = Date()
    ) async throws(AccountBookError) -> Account {
        try await lock.whileLocked { () throws(AccountBookError) in
            try await add(uri, asksEachTime: asksEachTime, now: now, to: accounts())
        }
    }

    /// What came of each of several that are added at once, in their order.
    public enum Addition: Sendable, Equatable {
        case added(Account)
        case alreadyThere(Account)
        case refused(OTPAuthURI, AccountBookError)
    }

    /// Adds several. What is there already is left alone; a name with another secret is refused. Never prompts.
    public func add(
        _ uris: [OTPAuthURI], asksEachTime: Bool = false, now: Date = Date()
    ) async throws(AccountBookError) -> [Addition] {
        try await lock.whileLocked { () throws(AccountBookError) in
            var known = try await accounts()
            var additions: [Addition] = []
            for uri in uris {
                do throws(AccountBookError) {
                    let account = try await add(uri, asksEachTime: asksEachTime, now: now, to: known)
                    known.append(account)
                    additions.append(.added(account))
                } catch {
                    switch error {
                    case .alreadyThere(let account): additions.append(.alreadyThere(account))
                    case .nameTaken: additions.append(.refused(uri, error))
                    default: throw error
                    }
                }
            }
            return additions
        }
    }

    private func add(
        _ uri: OTPAuthURI, asksEachTime: Bool, now: Date, to known: [Account]
    ) async throws(AccountBookError) -> Account {
        let account = Account(
            id: Self.newID(), issuer: uri.issuer, name: uri.accountName, codes: Account.Codes(uri), device: nil,
            asksEachTime: asksEachTime, addedAt: now)
        try check(account, against: known)
        try await keep(LockedBytes(uri.secret), of: account)
        try await keep(account)
        return account
    }

    func check(_ account: Account, against known: [Account]) throws(AccountBookError) {
        guard known.count < Self.limit else {
            throw .keychain(.parameter("a book has at most \(Self.limit) accounts"))
        }
        guard let other = known.first(where: account.isNamed(like:)) else { return }
        let isSame =
            account.device == nil && other.device == nil && other.codes?.fingerprint == account.codes?.fingerprint
        throw isSame ? .alreadyThere(other) : .nameTaken(other)
    }

    func keep(_ secret: LockedBytes, of account: Account) async throws(AccountBookError) {
        try await kept { () throws(KeychainError) in
            try await keychain.store(
                secret, account: account.id, service: Service.secret, access: Self.access(asking: account.asksEachTime))
        }
    }

    /// Written last: an account is there when this is. What is left of one that was interrupted before is never found.
    func keep(_ account: Account) async throws(AccountBookError) {
        let bytes = try encoded(account)
        try await kept { () throws(KeychainError) in
            try await keychain.store(
                bytes, account: account.id, service: Service.account, access: Self.access(asking: false))
        }
    }

    func replace(_ account: Account) async throws(AccountBookError) {
        let bytes = try encoded(account)
        try await kept { () throws(KeychainError) in
            try await keychain.update(bytes, account: account.id, service: Service.account)
        }
    }

    private func encoded(_ account: Account) throws(AccountBookError) -> LockedBytes {
        guard let data = try? JSONEncoder().encode(account) else { throw .damaged(account.id) }
        return LockedBytes(data)
    }

    // MARK: Removing

    /// Removes an account, its secret and its key. Never prompts. An account that does not exist is no error.
    public func remove(_ id: Account.ID) async throws(AccountBookError) {
        let isThere = try await kept { () throws(KeychainError) in
            try await keychain.remove(
                account: id, services: [Service.account, Service.secret, Service.deviceToken], keyTag: Self.keyTag(id))
        }
        if !isThere { throw .notFound(id) }
    }

    // MARK: Common steps

    func kept<T: Sendable>(
        _ body: () async throws(KeychainError) -> T
    ) async throws(AccountBookError) -> T {
        do throws(KeychainError) { return try await body() } catch { throw .keychain(error) }
    }

    /// Every process that opens the keychain on this machine can read it; or each use prompts for the passcode.
    static func access(asking asksEachTime: Bool) -> AccessControl {
        asksEachTime ? .presentUser : AccessControl(unconstrained: .whenUnlockedThisDeviceOnly)
    }

    /// An id that is taken is refused by the keychain when it is stored; among 2000 that is one chance in two million.
    static func newID() -> Account.ID {
        UInt32.random(in: .min ... .max).hexadecimal
    }
}

extension UInt32 {
    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
