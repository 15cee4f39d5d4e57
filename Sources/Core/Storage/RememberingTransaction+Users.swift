import Foundation

extension RememberingTransaction {
    func user(_ id: UserID) throws -> User? { try row(&users, id) { try $0.user(id) } }

    func user(email: EmailAddress) throws -> User? { remember(try base.user(email: email)) }

    func user(phoneNumber: PhoneNumber) throws -> User? { remember(try base.user(phoneNumber: phoneNumber)) }

    private func remember(_ user: User?) -> User? {
        if let user { users[user.id] = .some(user) }
        return user
    }

    func users(among ids: Set<UserID>) throws -> [User] { try base.users(among: ids) }
    func users(after id: UserID?, limit: Int) throws -> [User] { try base.users(after: id, limit: limit) }

    func users(_ range: UserRange) throws -> [User] { try base.users(range) }

    func fillNameKeys(limit: Int) throws -> Int { try base.fillNameKeys(limit: limit) }

    func insert(_ user: User) throws -> Bool {
        users[user.id] = nil
        return try base.insert(user)
    }

    func update(_ user: User) throws -> Bool {
        let before = try self.user(user.id)
        users[user.id] = nil
        guard try base.update(user) else { return false }
        if let before { notes.ended(try SessionEnding.all(from: before, to: user, in: base)) }
        var kept = user
        kept.revision += 1
        users[user.id] = .some(kept)
        return true
    }

    func touch(_ id: UserID, signedInAt: Date?, refreshedAt: Date?) throws {
        try base.touch(id, signedInAt: signedInAt, refreshedAt: refreshedAt)
        guard var user = users[id].flatMap({ $0 }) else { return }
        user.lastSignInAt = signedInAt.map(\.kept) ?? user.lastSignInAt
        user.lastRefreshAt = refreshedAt.map(\.kept) ?? user.lastRefreshAt
        users[id] = .some(user)
    }

    func deleteUser(_ id: UserID) throws -> Bool {
        let factors = try factors(of: id).map(\.id)
        if let before = try user(id) { notes.ended(try SessionEnding.all(from: before, to: nil, in: base)) }
        forgetAll()
        guard try base.deleteUser(id) else { return false }
        notes.removed(factors: factors)
        return true
    }

    func countUsers() throws -> Int { try base.countUsers() }

    func countUsers(after place: UserPlace?, limit: Int) throws -> (count: Int, end: UserPlace?) {
        try base.countUsers(after: place, limit: limit)
    }

    func users(deletionDueBy instant: Date, limit: Int) throws -> [UserID] {
        try base.users(deletionDueBy: instant, limit: limit)
    }
}

extension Date {
    /// The instant as a store gives it back.
    fileprivate var kept: Date { Date(microseconds: microseconds) }
}
