import CountersignCore
import Foundation

extension UsedToken: StoredRow {
    static let table = "used_tokens"
    static let columns = "digest, kind, expires_at"

    init(row: inout RowReader) throws {
        let digest = try row.blob()
        let name = try row.text()
        guard let kind = Kind(rawValue: name) else {
            throw StoreError(.corrupt, "a used token is of the unknown kind \(name)")
        }
        self.init(kind: kind, digest: digest, expiresAt: try row.date())
    }

    var values: [SQLValue] { [SQLValue(digest), SQLValue(kind.rawValue), SQLValue(expiresAt)] }
}

private enum Statements {
    static let insertion = UsedToken.insertion(isByRow: true)
    static let deletion = SQLStatement("DELETE FROM used_tokens WHERE digest = $1")
    static let expired = UsedToken.deletion(key: "digest", "WHERE expires_at < $1 ORDER BY expires_at")
}

extension SQLTransaction {
    public func insert(_ used: UsedToken) throws -> Bool {
        locks.noteNew(.usedTokens, used.digest.hex)
        return try connection.changes(Statements.insertion, used.values)
    }

    public func deleteUsedToken(digest: Data) throws -> Bool {
        try locks.note(.usedTokens, digest.hex)
        return try changes(Statements.deletion, SQLValue(digest))
    }

    public func deleteUsedTokens(expiredBefore instant: Date, limit: Int) throws -> Int {
        try delete(Statements.expired, SQLValue(instant), SQLValue(limit: limit))
    }
}
