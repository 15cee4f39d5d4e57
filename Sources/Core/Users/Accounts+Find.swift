import Foundation

/// What a user is looked up by.
public enum UserIdentifier: Sendable, Hashable {
    /// By id.
    case id(UserID)
    /// By address, in any spelling of the same one.
    case email(EmailAddress)
    /// By phone number.
    case phoneNumber(PhoneNumber)
}

/// A user and what is enrolled, from one snapshot.
public struct UserWithFactors: Sendable {
    /// The user as it is stored.
    public let user: User
    /// In the order of enrolment.
    public let factors: [FactorRecord]
}

/// Which users a listing shows, in which order.
public struct UserOrder: Sendable, Equatable {
    /// The property by which users are ordered.
    public enum Key: Sendable, Equatable {
        /// By id, whose bytes are compared.
        case id
        /// By address.
        case email
        /// By display name.
        case displayName
        /// By the instant of creation.
        case createdAt
        /// By the last sign-in that succeeded.
        case lastSignInAt
    }

    /// What users are ordered by.
    public var key: Key
    /// Whether the last ones come first.
    public var isDescending: Bool

    /// An order; without arguments, by id.
    public init(_ key: Key = .id, isDescending: Bool = false) {
        self.key = key
        self.isDescending = isDescending
    }

    /// Users without the property come first; where it is the same, the id decides.
    func precedes(_ a: User, _ b: User) -> Bool {
        let before: Bool
        switch key {
        case .id: before = a.id < b.id
        case .email: before = Self.compare(a, b, \.email?.canonical)
        case .displayName: before = Self.compare(a, b, \.profile.displayName)
        case .createdAt: before = Self.compare(a, b, \.createdAt)
        case .lastSignInAt: before = Self.compare(a, b, \.lastSignInAt)
        }
        return a.id == b.id ? false : isDescending ? !before : before
    }

    private static func compare<T: Comparable>(_ a: User, _ b: User, _ property: (User) -> T?) -> Bool {
        switch (property(a), property(b)) {
        case (let x?, let y?) where x != y: x < y
        case (nil, .some): true
        case (.some, nil): false
        default: a.id < b.id
        }
    }
}

extension UserID {
    /// By their bytes, as stores list them.
    static func < (a: UserID, b: UserID) -> Bool { a.rawValue.utf8.lexicographicallyPrecedes(b.rawValue.utf8) }
}

extension Accounts {
    /// The users with one of the identifiers, each once, in the order of the identifiers.
    public func find(_ identifiers: [UserIdentifier]) async throws -> [UserWithFactors] {
        try await realm.store.read { transaction in
            var seen: Set<UserID> = []
            return try identifiers.compactMap { identifier in
                let user =
                    switch identifier {
                    case .id(let id): try transaction.user(id)
                    case .email(let email): try transaction.user(email: email)
                    case .phoneNumber(let number): try transaction.user(phoneNumber: number)
                    }
                guard let user, seen.insert(user.id).inserted else { return nil }
                return UserWithFactors(user: user, factors: try transaction.factors(of: user.id))
            }
        }
    }

    /// A page of users with their factors, ordered by id.
    /// - Parameter limit: 1 to 1,000.
    /// - Returns: also whether there are more after them.
    public func page(after id: UserID?, limit: Int) async throws -> (users: [UserWithFactors], hasMore: Bool) {
        let limit = min(max(limit, 1), 1000)
        return try await realm.store.read { transaction in
            let users = try transaction.users(after: id, limit: limit + 1)
            let found = try users.prefix(limit).map { user in
                UserWithFactors(user: user, factors: try transaction.factors(of: user.id))
            }
            return (found, users.count > limit)
        }
    }

    /// How many users the realm has.
    public func count() async throws -> Int {
        try await realm.store.read { try $0.countUsers() }
    }

    /// The furthest that ``users(in:offset:limit:)`` goes into a listing.
    public static let longestOffset = 10_000

    /// Users in any order: all are read, a thousand at a time, and no more are kept than requested.
    /// - Parameters:
    ///   - offset: 0 to ``longestOffset``.
    ///   - limit: 1 to 1,000.
    public func users(in order: UserOrder, offset: Int, limit: Int) async throws -> [UserWithFactors] {
        let offset = min(max(offset, 0), Self.longestOffset)
        let wanted = offset + min(max(limit, 1), 1000)
        var kept: [User] = []
        var last: UserID?
        while true {
            let page = try await users(after: last, limit: 1000)
            guard let end = page.last else { break }
            last = end.id
            kept += page
            if order == UserOrder(.id) {
                if kept.count >= wanted { break }
            } else {
                kept.sort(by: order.precedes)
                kept = Array(kept.prefix(wanted))
            }
        }
        return try await find(kept.prefix(wanted).dropFirst(offset).map { .id($0.id) })
    }
}
