import Foundation
import JSON

/// An account that a browser was signed in to, whose user asked that the browser show it again.
public struct KnownAccount: Sendable, Equatable, Codable {
    /// The account's id. The account may have been removed since.
    public let id: UserID
    /// The address at that time.
    public let address: String
}

/// The accounts that a browser shows again, as its cookie keeps them: a list with a keyed digest, so that it says what this server wrote.
extension Sessions {
    /// Accounts that a browser keeps, the latest first.
    public static let mostKnownAccounts = 5
    /// Bytes of the cookie's value.
    public static let longestKnownAccounts = 3072
    private static let knownContext = "browser-known-accounts"

    /// - Parameter cookie: what the browser sent.
    /// - Returns: none where it is not of this server's making.
    public func knownAccounts(in cookie: String) throws -> [KnownAccount] {
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard cookie.utf8.count <= Self.longestKnownAccounts, parts.count == 2,
            let digest = [UInt8](base64URL: parts[1]),
            let list = [UInt8](base64URL: parts[0])
        else { return [] }
        do {
            guard try realm.sealer.matches(parts[0], Data(digest), for: Self.knownContext) else { return [] }
        } catch is SealingError {
            return []
        }
        return (try? JSONDecoder().decode([KnownAccount].self, from: Data(list))) ?? []
    }

    /// The cookie's next value: the user's account before the others. Nil for a user without an address.
    public func remember(_ user: User, in cookie: String?) async throws -> String? {
        guard let address = user.email?.canonical else { return nil }
        let others = try cookie.map { try knownAccounts(in: $0) }?.filter { $0.id != user.id && $0.address != address }
        var accounts = [KnownAccount(id: user.id, address: address)] + (others ?? [])
        accounts = Array(accounts.prefix(Self.mostKnownAccounts))
        let sealer = realm.sealer
        while true {
            let list = try [UInt8](JSONEncoder().encode(accounts)).base64URL
            let digest = try await realm.store.read { try sealer.digest(list, for: Self.knownContext, in: $0) }
            let value = "\(list).\([UInt8](digest).base64URL)"
            if value.utf8.count <= Self.longestKnownAccounts || accounts.count == 1 { return value }
            accounts.removeLast()
        }
    }
}
