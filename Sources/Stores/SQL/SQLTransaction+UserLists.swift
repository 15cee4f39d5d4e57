import CountersignCore

/// Two statements for each order of users, forwards and backwards. Each reads one stretch of one index, and has one bound at each end:
/// of two, SQLite takes one for the index and goes through all rows up to the other.
private enum Statements {
    static let newest = User.selection(
        "WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3")
    static let oldest = User.selection("WHERE (created_at, id) > ($1, $2) ORDER BY created_at, id LIMIT $3")
    static let byEmail = User.selection(
        "WHERE email >= $1 AND email < $2 ORDER BY email LIMIT $3")
    static let byEmailBackwards = User.selection(
        "WHERE email >= $1 AND email < $2 ORDER BY email DESC LIMIT $3")
    static let byName = User.selection(
        "WHERE (name_key, id) > ($1, $2) AND name_key < $3 ORDER BY name_key, id LIMIT $4")
    static let byNameBackwards = User.selection(
        "WHERE name_key >= $1 AND (name_key, id) < ($2, $3) ORDER BY name_key DESC, id DESC LIMIT $4")
    static let byID = User.selection("WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3")
    static let byIDBackwards = User.selection("WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3")

    /// Both read the index alone. The second is run where the first has found nothing: it counts fewer than the first has skipped.
    static let skipped = SQLStatement(
        """
        SELECT created_at, id FROM users WHERE (created_at, id) > ($1, $2) ORDER BY created_at, id LIMIT 1 OFFSET $3
        """)
    static let rest = SQLStatement("SELECT COUNT(*) FROM users WHERE (created_at, id) > ($1, $2)")

    static let unfolded = User.selection("WHERE name_key IS NULL ORDER BY id LIMIT $1")
    static let fold = SQLStatement("UPDATE users SET name_key = $2 WHERE id = $1 AND name_key IS NULL")

    static let among = User.selection("WHERE id IN (\(KeyList.places))")
    static let kinds = SQLStatement("SELECT DISTINCT user_id, kind FROM factors WHERE user_id IN (\(KeyList.places))")
}

extension SQLTransaction {
    public func users(_ range: UserRange) throws -> [User] {
        let limit = SQLValue(limit: range.limit)
        let (prefix, end) = (SQLValue(range.prefix), SQLValue(range.end))
        let (key, id) = (range.place?.key, SQLValue(range.place?.id.rawValue ?? ""))
        // The least text behind a key: none has a zero byte.
        let start = SQLValue(key.map { $0 + "\u{1}" } ?? range.prefix)
        // Users without a name have an empty key, and are not listed by it.
        let name = range.prefix.isEmpty ? "\u{1}" : range.prefix
        // The order of creation is from the newest on.
        switch (range.index, range.isBackwards) {
        case (.creation, false):
            return try select(Statements.newest, .integer(key.flatMap(Int64.init) ?? .max), id, limit)
        case (.creation, true):
            return try select(Statements.oldest, .integer(key.flatMap(Int64.init) ?? .min), id, limit)
        case (.email, false): return try select(Statements.byEmail, start, end, limit)
        case (.email, true): return try select(Statements.byEmailBackwards, prefix, SQLValue(key ?? range.end), limit)
        case (.name, false): return try select(Statements.byName, SQLValue(key ?? name), id, end, limit)
        case (.name, true):
            return try select(Statements.byNameBackwards, SQLValue(name), SQLValue(key ?? range.end), id, limit)
        case (.id, false): return try select(Statements.byID, start, end, limit)
        case (.id, true): return try select(Statements.byIDBackwards, prefix, SQLValue(key ?? range.end), limit)
        }
    }

    public func countUsers(after place: UserPlace?, limit: Int) throws -> (count: Int, end: UserPlace?) {
        let start: [SQLValue] = [
            .integer(place.flatMap { Int64($0.key) } ?? .min), SQLValue(place?.id.rawValue ?? ""),
        ]
        let end = try first(of: User.table, Statements.skipped, start + [SQLValue(limit: limit - 1)]) { reader in
            UserPlace(key: String(try reader.integer()), id: UserID(rawValue: try reader.text()))
        }
        if let end { return (limit, end) }
        return (try first(of: User.table, Statements.rest, start) { try $0.integer() } ?? 0, nil)
    }

    public func fillNameKeys(limit: Int) throws -> Int {
        let users: [User] = try select(Statements.unfolded, SQLValue(limit: limit))
        for user in users {
            try locks.note(.users, user.id.rawValue)
            try send(
                Statements.fold, SQLValue(user.id.rawValue),
                SQLValue(UserNameKey.key(of: user.profile.displayName)))
        }
        return users.count
    }

    public func users(among ids: Set<UserID>) throws -> [User] {
        var users: [User] = []
        try query(Statements.among, of: User.table, among: ids.map { SQLValue($0.rawValue) }) { row in
            users.append(try User(row: &row))
        }
        return users
    }

    public func factorKinds(of users: [UserID]) throws -> [UserID: Set<FactorKind>] {
        var kinds: [UserID: Set<FactorKind>] = [:]
        try query(Statements.kinds, of: FactorRecord.table, among: users.map { SQLValue($0.rawValue) }) { row in
            let user = UserID(rawValue: try row.text())
            kinds[user, default: []].insert(FactorKind(rawValue: try row.text()))
        }
        return kinds
    }
}
