import CountersignCore
import Foundation

extension AuthorizationCodeRecord: StoredRow {
    static let table = "authorization_codes"
    static let columns = "digest, user_id, created_at, expires_at, redeemed_at, grant_id, body"

    init(row: inout RowReader) throws {
        self.init(
            digest: try row.blob(), userID: try row.optionalText().map(UserID.init(rawValue:)),
            createdAt: try row.date(), expiresAt: try row.date(), redeemedAt: try row.optionalDate(),
            grantID: try row.optionalText().map(GrantID.init(rawValue:)), body: try row.blob())
    }

    var values: [SQLValue] {
        [
            SQLValue(digest), SQLValue(userID?.rawValue), SQLValue(createdAt), SQLValue(expiresAt),
            SQLValue(redeemedAt), SQLValue(grantID?.rawValue), SQLValue(body),
        ]
    }
}

private enum Statements {
    static let byDigest = AuthorizationCodeRecord.selection("WHERE digest = $1")
    // The cast tells PostgreSQL the parameter's type, which nothing else about a bare `IS NULL` does.
    static let insertion = AuthorizationCodeRecord.insertion(
        where: "CAST($2 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM users WHERE users.id = $2)")
    static let redemption = SQLStatement(
        "UPDATE authorization_codes SET redeemed_at = $2, grant_id = $3 WHERE digest = $1 AND redeemed_at IS NULL")
    static let deletion = SQLStatement("DELETE FROM authorization_codes WHERE digest = $1")
    static let expired = AuthorizationCodeRecord.deletion(key: "digest", "WHERE expires_at < $1 ORDER BY expires_at")
}

extension SQLTransaction {
    public func authorizationCode(digest: Data) throws -> AuthorizationCodeRecord? {
        try first(Statements.byDigest, SQLValue(digest))
    }

    public func insert(_ code: AuthorizationCodeRecord) throws -> Bool {
        try locks.noteReference(to: code.userID)
        locks.noteNew(.authorizationCodes, code.digest.hex)
        return try connection.changes(Statements.insertion, code.values)
    }

    public func redeemAuthorizationCode(digest: Data, at instant: Date, making grant: GrantID?) throws -> Bool {
        try locks.note(.authorizationCodes, digest.hex)
        return try changes(
            Statements.redemption, SQLValue(digest), SQLValue(instant), SQLValue(grant?.rawValue))
    }

    public func deleteAuthorizationCode(digest: Data) throws -> Bool {
        try locks.note(.authorizationCodes, digest.hex)
        return try changes(Statements.deletion, SQLValue(digest))
    }

    public func deleteAuthorizationCodes(expiredBefore instant: Date, limit: Int) throws -> Int {
        try delete(Statements.expired, SQLValue(instant), SQLValue(limit: limit))
    }
}
