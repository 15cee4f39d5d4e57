import Foundation

/// Which users a list of administrators shows.
public enum UserFilter: String, Sendable, CaseIterable {
    /// Users who are disabled.
    case disabled
    /// Users without a second factor.
    case noSecondFactor = "no-second-factor"
    /// Users with an address that was never confirmed.
    case unverified
    /// Users who never signed in.
    case neverSignedIn = "never-signed-in"
}

extension Accounts {
    /// What is looked for.
    public struct UserQuery: Sendable {
        /// What an address, a name or an id begins with; nil: every user, the newest first.
        public var text: String?
        /// Which of the users are shown; nil shows all.
        public var filter: UserFilter?
        /// The order of a list without a text; nil: the newest first. Orders by address and by name leave out users who have none.
        public var order: UserIndex?
        /// Where the page begins, as another page said it.
        public var place: UserListPlace?
        /// Whether the page ends there instead.
        public var isBackwards: Bool
        /// 1 to 1,000.
        public var limit: Int

        /// What a list asks for; without arguments, the newest users.
        public init(
            text: String? = nil, filter: UserFilter? = nil, order: UserIndex? = nil, from place: UserListPlace? = nil,
            isBackwards: Bool = false, limit: Int = 50
        ) {
            self.text = text
            self.filter = filter
            self.order = order
            self.place = place
            self.isBackwards = isBackwards
            self.limit = limit
        }
    }

    /// A page of a list.
    public struct UserListPage: Sendable {
        /// In the list's order.
        public var users: [User] = []
        /// Where the page before ends; nil on the first.
        public var before: UserListPlace?
        /// Where the page after begins; nil on the last.
        public var after: UserListPlace?
        /// Whether the filter let so few through that the look ended at its bound: there may be more, although the page is not full.
        public var isPartial = false
    }

    /// Users that one look goes through at most, for a filter that lets few through.
    public static let mostLookedThrough = 1000

    /// A page of a list of users, by indexes alone: it costs the same wherever it is in the list and however many users there are, and
    /// users who come and go meanwhile move no other from page to page.
    ///
    /// A search lists first whose address begins with the text, then whose name does, then whose id does. A filter has no index: a
    /// look goes through ``mostLookedThrough`` users, and says where it ended (docs/decisions/0331).
    public func browse(_ query: UserQuery) async throws -> UserListPage {
        let proofs = realm.proofs
        return try await realm.store.read { transaction in
            func page(_ query: UserQuery) throws -> UserListPage {
                var look = UserLook(query, proofs: proofs)
                if let first = look.first, let user = try transaction.user(first) {
                    try look.takeFirst(user, in: transaction)
                }
                while let range = look.next { try look.take(transaction.users(range), in: transaction) }
                return look.page
            }
            var found = try page(query)
            // What was on the other side of the page may have gone since its place was given.
            var behind = query
            (behind.place, behind.isBackwards, behind.limit) = (
                query.isBackwards ? found.after : found.before, !query.isBackwards, 1
            )
            guard behind.place != nil else { return found }
            let other = try page(behind)
            if other.users.isEmpty, !other.isPartial {
                if query.isBackwards { found.after = nil } else { found.before = nil }
            }
            return found
        }
    }
}

extension Accounts {
    /// A page of the users who have a role, ordered by id. They have a table of their own, so the page costs what administrators there
    /// are; of more than ``mostLookedThrough`` it says that it is partial.
    public func browse(_ query: UserQuery, administering role: AdministratorRole) async throws -> UserListPage {
        let looked = Self.mostLookedThrough
        let (all, isCut) = try await realm.store.read { transaction in
            let found = try transaction.administrators(after: nil, limit: looked)
            let users = try found.filter { $0.role == role }.compactMap { try transaction.user($0.userID) }
            return (users, found.count == looked)
        }
        let wanted = query.text.map { $0.trimmingCharacters(in: .whitespaces).lowercased() } ?? ""
        let users = all.filter { user in
            wanted.isEmpty
                || [user.email?.canonical, user.profile.displayName?.lowercased(), user.id.rawValue.lowercased()]
                    .contains { $0?.hasPrefix(wanted) == true }
        }
        let start = query.place?.place.id
        let rest = users.filter { user in
            guard let start else { return true }
            return query.isBackwards ? user.id.rawValue < start.rawValue : user.id.rawValue > start.rawValue
        }
        let shown = query.isBackwards ? Array(rest.suffix(query.limit)) : Array(rest.prefix(query.limit))
        func place(_ user: User?) -> UserListPlace? {
            user.map { UserListPlace(.id, UserPlace(key: $0.id.rawValue, id: $0.id)) }
        }
        var page = UserListPage()
        page.users = shown
        page.before = shown.first.flatMap { first in users.first == first ? nil : place(first) }
        page.after = shown.last.flatMap { last in users.last == last ? nil : place(last) }
        page.isPartial = isCut
        return page
    }
}

/// A place in a list: in which of its orders, and where in that.
public struct UserListPlace: Sendable, Equatable {
    let index: UserIndex
    let place: UserPlace
    /// Whether the user of this place is on the other side of it: where a page is empty, and both its neighbours lie at one place.
    let isIncluded: Bool

    /// As pages and commands write it: characters of Base64 for URLs, and dots.
    public var text: String {
        "\(index.rawValue).\(Array(place.key.utf8).base64URL).\(Array(place.id.rawValue.utf8).base64URL)"
            + (isIncluded ? ".1" : "")
    }

    init(_ index: UserIndex, _ place: UserPlace, isIncluded: Bool = false) {
        self.index = index
        self.place = place
        self.isIncluded = isIncluded
    }

    /// The same place, looked at from an empty page towards the page that led there.
    fileprivate var opposite: UserListPlace { UserListPlace(index, place, isIncluded: !isIncluded) }

    /// Nil where the text is no place.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 2048, (3...4).contains(parts.count), parts.count == 3 || parts[3] == "1",
            let index = UserIndex(rawValue: String(parts[0])),
            let key = [UInt8](base64URL: String(parts[1])), let id = [UInt8](base64URL: String(parts[2]))
        else { return nil }
        self.index = index
        place = UserPlace(
            key: PlainText.key(String(decoding: key, as: UTF8.self)),
            id: UserID(rawValue: String(decoding: id, as: UTF8.self)))
        isIncluded = parts.count == 4
    }
}

/// One look through a list: which part of which order is read next, and which users of it are shown. It knows no store.
struct UserLook {
    private let query: Accounts.UserQuery
    private let proofs: ProofRegistry
    private let limit: Int
    /// The orders that the list consists of, with what keys begin with, in the direction of the look.
    private let orders: [(index: UserIndex, prefix: String)]
    private var order = 0
    private var place: UserPlace?
    private var left = Accounts.mostLookedThrough
    /// What is shown, in the direction of the look, and one more where there is one.
    private var found: [(user: User, place: UserListPlace)] = []
    private var lastSeen: UserListPlace?

    init(_ query: Accounts.UserQuery, proofs: ProofRegistry) {
        self.query = query
        self.proofs = proofs
        limit = min(max(query.limit, 1), 1000)
        let all = Self.orders(of: query.text, without: query.order ?? .creation)
        orders = query.isBackwards ? all.reversed() : all
        if let start = query.place, let index = orders.firstIndex(where: { $0.index == start.index }) {
            order = index
            place = start.place
        }
    }

    /// - Parameter order: of a list that no text is looked for in.
    private static func orders(
        of text: String?, without order: UserIndex
    ) -> [(index: UserIndex, prefix: String)] {
        guard let text, !text.isEmpty else { return [(order, "")] }
        let address = text.trimmingCharacters(in: .whitespaces).precomposedStringWithCanonicalMapping.lowercased()
            .precomposedStringWithCanonicalMapping
        return [(.email, PlainText.key(address)), (.name, UserNameKey.key(of: text)), (.id, PlainText.key(text))]
            .filter { !$0.1.isEmpty }
    }

    /// The user that the look begins with, where its place is theirs.
    var first: UserID? { query.place.flatMap { $0.isIncluded ? $0.place.id : nil } }

    /// What is read next; nil at the end.
    var next: UserRange? {
        guard order < orders.count, found.count <= limit, left > 0 else { return nil }
        let wanted = limit + 1 - found.count
        // A filter lets few through: more are read at once.
        let count = min(left, query.filter == nil ? wanted : max(wanted, 250))
        return UserRange(
            orders[order].index, prefix: orders[order].prefix, from: place, isBackwards: query.isBackwards,
            limit: count)
    }

    /// Takes what was read.
    mutating func take(_ users: [User], in transaction: any StoreTransaction) throws {
        guard let range = next else { return }
        try see(users, in: transaction)
        if users.count < range.limit {
            order += 1
            place = nil
        }
    }

    /// Takes the user whose place the look begins at, where the user is still there.
    mutating func takeFirst(_ user: User, in transaction: any StoreTransaction) throws {
        guard order < orders.count, let own = UserPlace(user, in: orders[order].index), own == query.place?.place,
            own.key.utf8.starts(with: orders[order].prefix.utf8)
        else { return }
        try see([user], in: transaction)
    }

    private mutating func see(_ users: [User], in transaction: any StoreTransaction) throws {
        let index = orders[order].index
        let admitted = try admitted(users, in: transaction)
        for user in users {
            guard found.count <= limit, let place = UserPlace(user, in: index) else { continue }
            self.place = place
            left -= 1
            lastSeen = UserListPlace(index, place)
            guard admitted.contains(user.id), !isListedBefore(user) else { continue }
            found.append((user, UserListPlace(index, place)))
        }
    }

    /// Whether an order that comes first in the list has the user already.
    private func isListedBefore(_ user: User) -> Bool {
        let earlier = query.isBackwards ? orders[(order + 1)...] : orders[..<order]
        return earlier.contains { candidate in
            UserPlace(user, in: candidate.index)?.key.utf8.starts(with: candidate.prefix.utf8) ?? false
        }
    }

    private func admitted(_ users: [User], in transaction: any StoreTransaction) throws -> Set<UserID> {
        let admitted: [User]
        switch query.filter {
        case nil: admitted = users
        case .disabled: admitted = users.filter(\.isDisabled)
        case .unverified: admitted = users.filter { $0.email != nil && !$0.profile.emailVerified }
        case .neverSignedIn: admitted = users.filter { $0.lastSignInAt == nil }
        case .noSecondFactor:
            let kinds = try transaction.factorKinds(of: users.map(\.id))
            admitted = users.filter { user in !(kinds[user.id] ?? []).contains(where: proofs.isGivenAsSecond) }
        }
        return Set(admitted.map(\.id))
    }

    /// What the look has come to.
    var page: Accounts.UserListPage {
        let shown = found.prefix(limit)
        var page = Accounts.UserListPage()
        page.users = query.isBackwards ? shown.reversed().map(\.user) : shown.map(\.user)
        page.isPartial = order < orders.count && found.count <= limit && left == 0
        let ahead = found.count > limit ? shown.last?.place : page.isPartial ? lastSeen : nil
        let behind = query.place.flatMap { start in shown.first?.place ?? start.opposite }
        (page.before, page.after) = query.isBackwards ? (ahead, behind) : (behind, ahead)
        return page
    }
}
