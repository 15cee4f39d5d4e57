import CountersignCore
import Foundation

extension User: StoredRow {
    static let table = "users"
    static let columns = """
        id, revision, email, is_disabled, profile, created_at, last_sign_in_at, last_refresh_at, \
        password_changed_at, tokens_valid_after, token_epoch, phone_number
        """

    init(row: inout RowReader) throws {
        self.init(
            id: UserID(rawValue: try row.text()), revision: try row.integer(),
            email: try row.optionalText().map(EmailAddress.init(kept:)), isDisabled: try row.flag(),
            profile: try row.document(), createdAt: try row.date(), lastSignInAt: try row.optionalDate(),
            lastRefreshAt: try row.optionalDate(), passwordChangedAt: try row.optionalDate(),
            tokensValidAfter: try row.date(), tokenEpoch: try row.integer())
    }

    var values: [SQLValue] {
        get throws {
            [
                SQLValue(id.rawValue), SQLValue(revision), SQLValue(email?.canonical), SQLValue(isDisabled),
                try Document.encode(profile), SQLValue(createdAt), SQLValue(lastSignInAt), SQLValue(lastRefreshAt),
                SQLValue(passwordChangedAt), SQLValue(tokensValidAfter), SQLValue(tokenEpoch),
                // What is read comes from the profile; the column makes the number unique and finds its user.
                SQLValue(profile.phoneNumber),
            ]
        }
    }
}

extension SQLTransaction {
    public func user(_ id: UserID) throws -> User? {
        try row(where: "id", SQLValue(id.rawValue))
    }

    public func user(email: EmailAddress) throws -> User? {
        try row(where: "email", SQLValue(email.canonical))
    }

    public func user(phoneNumber: PhoneNumber) throws -> User? {
        try row(where: "phone_number", SQLValue(phoneNumber.canonical))
    }

    public func users(after id: UserID?, limit: Int) throws -> [User] {
        try select("WHERE id > $1 ORDER BY id LIMIT $2", SQLValue(id?.rawValue ?? ""), SQLValue(limit: limit))
    }

    public func insert(_ user: User) throws -> Bool {
        try insert(user, where: nil)
    }

    // Asking for address and number first keeps the statement from failing on a unique index; what an index still
    // catches is a race of two transactions, and the loser's driver runs the body again.
    public func update(_ user: User) throws -> Bool {
        try changes(
            """
            UPDATE users SET revision = revision + 1, email = $3, is_disabled = $4, profile = $5, created_at = $6, \
            last_sign_in_at = $7, last_refresh_at = $8, password_changed_at = $9, tokens_valid_after = $10, \
            token_epoch = $11, phone_number = $12 \
            WHERE id = $1 AND revision = $2 \
            AND NOT EXISTS (SELECT 1 FROM users AS other WHERE other.email = $3 AND other.id <> $1) \
            AND NOT EXISTS (SELECT 1 FROM users AS other WHERE other.phone_number = $12 AND other.id <> $1)
            """, try user.values)
    }

    public func touch(_ id: UserID, signedInAt: Date?, refreshedAt: Date?) throws {
        _ = try changes(
            """
            UPDATE users SET last_sign_in_at = COALESCE($2, last_sign_in_at), \
            last_refresh_at = COALESCE($3, last_refresh_at) WHERE id = $1
            """, SQLValue(id.rawValue), SQLValue(signedInAt), SQLValue(refreshedAt))
    }

    public func deleteUser(_ id: UserID) throws -> Bool {
        try changes("DELETE FROM users WHERE id = $1", SQLValue(id.rawValue))
    }

    public func countUsers() throws -> Int {
        guard let row = try connection.rows("SELECT COUNT(*) FROM users", []).first else { return 0 }
        var reader = RowReader(row, table: "users")
        return try reader.integer()
    }
}
