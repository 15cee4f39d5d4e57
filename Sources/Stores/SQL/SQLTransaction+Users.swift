import CountersignCore
import Foundation

extension User: StoredRow {
    static let table = "users"
    static let columns = """
        id, revision, email, is_disabled, profile, created_at, last_sign_in_at, last_refresh_at, \
        password_changed_at, tokens_valid_after, token_epoch, phone_number, tokens_refused_before, deletion_due_at, \
        name_key
        """

    init(row: inout RowReader) throws {
        let (id, revision) = (UserID(rawValue: try row.text()), try row.integer())
        let (email, isDisabled) = (try row.optionalText().map(EmailAddress.init(keptAtAnyTime:)), try row.flag())
        let (profile, createdAt): (UserProfile, Date) = (try row.document(), try row.date())
        let (signedIn, refreshed, passwordChanged) = (
            try row.optionalDate(), try row.optionalDate(), try row.optionalDate()
        )
        let (validAfter, epoch) = (try row.date(), try row.integer())
        // The phone number is read from the profile.
        row.skip()
        self.init(
            id: id, revision: revision, email: email, isDisabled: isDisabled, profile: profile, createdAt: createdAt,
            lastSignInAt: signedIn, lastRefreshAt: refreshed, passwordChangedAt: passwordChanged,
            tokensValidAfter: validAfter, tokenEpoch: epoch,
            // A user of before the column was judged by the other.
            tokensRefusedBefore: try row.optionalDate() ?? validAfter, deletionDueAt: try row.optionalDate())
    }

    var values: [SQLValue] {
        get throws {
            [
                // As the row has it: where two rows are two spellings of one address, neither takes the other's.
                SQLValue(id.rawValue), SQLValue(revision), SQLValue(email?.kept), SQLValue(isSuspended),
                try Document.encode(profile), SQLValue(createdAt), SQLValue(lastSignInAt), SQLValue(lastRefreshAt),
                SQLValue(passwordChangedAt), SQLValue(tokensValidAfter), SQLValue(tokenEpoch),
                // What is read comes from the profile; the column makes the number unique and finds its user.
                SQLValue(profile.phoneNumber), SQLValue(tokensRefusedBefore), SQLValue(deletionDueAt),
                // For searches alone; the name is read from the profile.
                SQLValue(UserNameKey.key(of: profile.displayName)),
            ]
        }
    }
}

private enum Statements {
    static let byID = User.selection("WHERE id = $1", isByRow: true)
    static let byEmail = User.selection("WHERE email = $1", isByRow: true)
    static let byPhoneNumber = User.selection("WHERE phone_number = $1")
    static let listed = User.selection("WHERE id > $1 ORDER BY id LIMIT $2")
    static let insertion = User.insertion()
    // Asking for address and number first keeps the statement from failing on a unique index; what an index still
    // catches is a race of two transactions, and the loser's driver runs the body again.
    static let update = SQLStatement(
        """
        UPDATE users SET revision = revision + 1, email = $3, is_disabled = $4, profile = $5, created_at = $6, \
        last_sign_in_at = $7, last_refresh_at = $8, password_changed_at = $9, tokens_valid_after = $10, \
        token_epoch = $11, phone_number = $12, tokens_refused_before = $13, deletion_due_at = $14, name_key = $15 \
        WHERE id = $1 AND revision = $2 \
        AND NOT EXISTS (SELECT 1 FROM users AS other WHERE other.email = $3 AND other.id <> $1) \
        AND NOT EXISTS (SELECT 1 FROM users AS other WHERE other.phone_number = $12 AND other.id <> $1)
        """)
    static let touch = SQLStatement(
        """
        UPDATE users SET last_sign_in_at = COALESCE($2, last_sign_in_at), \
        last_refresh_at = COALESCE($3, last_refresh_at) WHERE id = $1
        """, isByRow: true)
    static let deletion = SQLStatement("DELETE FROM users WHERE id = $1")
    static let count = SQLStatement("SELECT COUNT(*) FROM users")
    static let deletionDue = SQLStatement(
        "SELECT id FROM users WHERE deletion_due_at <= $1 ORDER BY deletion_due_at, id LIMIT $2")
}

extension SQLTransaction {
    public func user(_ id: UserID) throws -> User? {
        try first(Statements.byID, SQLValue(id.rawValue))
    }

    public func user(email: EmailAddress) throws -> User? {
        var found: User? = try first(Statements.byEmail, SQLValue(email.canonical))
        if let ascii = email.asciiSpelling {
            // Asked for whether or not there is one, so that both take as long.
            let earlier: User? = try first(Statements.byEmail, SQLValue(ascii))
            found = found ?? earlier
        }
        if found == nil { StandIn.readUser() }
        return found
    }

    public func user(phoneNumber: PhoneNumber) throws -> User? {
        try first(Statements.byPhoneNumber, SQLValue(phoneNumber.canonical))
    }

    public func users(after id: UserID?, limit: Int) throws -> [User] {
        try select(Statements.listed, SQLValue(id?.rawValue ?? ""), SQLValue(limit: limit))
    }

    public func insert(_ user: User) throws -> Bool {
        locks.noteNew(.users, user.id.rawValue)
        return try connection.changes(Statements.insertion, user.values)
    }

    public func update(_ user: User) throws -> Bool {
        try locks.note(.users, user.id.rawValue)
        return try connection.changes(Statements.update, user.values)
    }

    public func touch(_ id: UserID, signedInAt: Date?, refreshedAt: Date?) throws {
        try locks.note(.users, id.rawValue)
        try send(Statements.touch, SQLValue(id.rawValue), SQLValue(signedInAt), SQLValue(refreshedAt))
    }

    public func deleteUser(_ id: UserID) throws -> Bool {
        try locks.note(.users, id.rawValue)
        return try changes(Statements.deletion, SQLValue(id.rawValue))
    }

    public func users(deletionDueBy instant: Date, limit: Int) throws -> [UserID] {
        var found: [UserID] = []
        try connection.query(Statements.deletionDue, [SQLValue(instant), SQLValue(limit: limit)]) { columns in
            var reader = RowReader(columns, table: User.table)
            found.append(UserID(rawValue: try reader.text()))
        }
        return found
    }

    public func countUsers() throws -> Int {
        try first(of: User.table, Statements.count, []) { try $0.integer() } ?? 0
    }
}
