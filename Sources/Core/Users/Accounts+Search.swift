import Foundation

extension Accounts {
    /// A page of users, and how many there are on all pages.
    public struct SearchPage: Sendable {
        /// The users of this page, in the order that was asked for.
        public let users: [User]
        /// How many users match, on all pages.
        public let total: Int

        /// A page with the number of all.
        public init(users: [User], total: Int) {
            self.users = users
            self.total = total
        }
    }

    /// Users by their display name, without regard to case. All users are read, a thousand at a time, and no more are
    /// held than requested: this is for administrators.
    /// - Parameters:
    ///   - name: nil matches every user.
    ///   - isBeginning: whether the name only has to begin so.
    ///   - offset: 0 to ``longestOffset``.
    ///   - limit: 1 to 1,000.
    public func search(
        name: String?, isBeginning: Bool = false, in order: UserOrder, offset: Int, limit: Int
    ) async throws -> SearchPage {
        let offset = min(max(offset, 0), Self.longestOffset)
        let wanted = offset + min(max(limit, 1), 1000)
        let name = name?.lowercased()
        var selected: [User] = []
        var total = 0
        var last: UserID?
        while true {
            let page = try await users(after: last, limit: 1000)
            guard let end = page.last else { break }
            last = end.id
            let matching = page.filter { user in
                guard let name else { return true }
                guard let own = user.profile.displayName?.lowercased() else { return false }
                return isBeginning ? own.hasPrefix(name) : own == name
            }
            total += matching.count
            selected += matching
            selected.sort(by: order.precedes)
            selected = Array(selected.prefix(wanted))
        }
        return SearchPage(users: Array(selected.dropFirst(offset)), total: total)
    }
}
