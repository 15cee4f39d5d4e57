import CountersignCore
import Foundation

extension Administrator: StoredRow {
    static let table = "administrators"
    static let columns = "user_id, role, granted_by, created_at"

    init(row: inout RowReader) throws {
        let id = UserID(rawValue: try row.text())
        let name = try row.text()
        guard let role = AdministratorRole(rawValue: name) else {
            throw row.corrupt("is the unknown role \(name)")
        }
        self.init(userID: id, role: role, grantedBy: try row.optionalText(), createdAt: try row.date())
    }

    var values: [SQLValue] {
        [SQLValue(userID.rawValue), SQLValue(role.rawValue), SQLValue(grantedBy), SQLValue(createdAt)]
    }
}

extension MachineToken: StoredRow {
    static let table = "machine_tokens"
    static let columns = "id, digest, name, scopes, created_by, created_at, expires_at, last_used_at"

    init(row: inout RowReader) throws {
        let (id, digest, name) = (try row.text(), try row.blob(), try row.text())
        // A scope of a later version opens nothing here.
        let scopes = try row.text().split(separator: " ").compactMap { AdministrationScope(String($0)) }
        self.init(
            id: id, digest: digest, name: name, scopes: Set(scopes), createdBy: try row.optionalText(),
            createdAt: try row.date(), expiresAt: try row.date(), lastUsedAt: try row.optionalDate())
    }

    var values: [SQLValue] {
        [
            SQLValue(id), SQLValue(digest), SQLValue(name),
            SQLValue(scopes.map(\.description).sorted().joined(separator: " ")), SQLValue(createdBy),
            SQLValue(createdAt), SQLValue(expiresAt), SQLValue(lastUsedAt),
        ]
    }
}

private enum Statements {
    static let byUser = Administrator.selection("WHERE user_id = $1")
    static let listed = ListStatements {
        Administrator.selection("WHERE user_id \($0) $1 ORDER BY user_id\($1) LIMIT $2")
    }
    static let beside = SQLStatement(
        """
        SELECT administrators.user_id FROM administrators JOIN users ON users.id = administrators.user_id \
        WHERE administrators.role = $1 AND administrators.user_id <> $2 AND users.is_disabled = 0 \
        AND users.deletion_due_at IS NULL LIMIT 1
        """)
    static let replacement = SQLStatement(
        """
        INSERT INTO administrators (user_id, role, granted_by, created_at) SELECT $1, $2, $3, $4 \
        WHERE EXISTS (SELECT 1 FROM users WHERE users.id = $1) \
        ON CONFLICT (user_id) DO UPDATE SET role = excluded.role, granted_by = excluded.granted_by, \
        created_at = excluded.created_at
        """)
    static let deletion = SQLStatement("DELETE FROM administrators WHERE user_id = $1")

    static let tokenByDigest = MachineToken.selection("WHERE digest = $1")
    static let tokensListed = ListStatements {
        MachineToken.selection("WHERE id \($0) $1 ORDER BY id\($1) LIMIT $2")
    }
    static let tokenInsertion = MachineToken.insertion()
    /// Another server's clock may have been ahead.
    static let tokenTouch = SQLStatement(
        "UPDATE machine_tokens SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)")
    static let tokenDeletion = SQLStatement("DELETE FROM machine_tokens WHERE id = $1")
}

extension SQLTransaction {
    public func administrator(_ user: UserID) throws -> Administrator? {
        try first(Statements.byUser, SQLValue(user.rawValue))
    }

    public func administrators(_ range: ListRange<UserID>) throws -> [Administrator] {
        try select(Statements.listed[range], Statements.listed.place(range), SQLValue(limit: range.limit))
    }

    public func administrator(with role: AdministratorRole, beside user: UserID) throws -> UserID? {
        try first(of: Administrator.table, Statements.beside, [SQLValue(role.rawValue), SQLValue(user.rawValue)]) {
            UserID(rawValue: try $0.text())
        }
    }

    public func put(_ administrator: Administrator) throws -> Bool {
        try locks.noteReference(to: administrator.userID)
        try locks.note(.administrators, administrator.userID.rawValue)
        return try connection.changes(Statements.replacement, administrator.values)
    }

    public func deleteAdministrator(_ user: UserID) throws -> Bool {
        try locks.note(.administrators, user.rawValue)
        return try changes(Statements.deletion, SQLValue(user.rawValue))
    }

    public func machineToken(digest: Data) throws -> MachineToken? {
        try first(Statements.tokenByDigest, SQLValue(digest))
    }

    public func machineTokens(_ range: ListRange<String>) throws -> [MachineToken] {
        try select(Statements.tokensListed[range], Statements.tokensListed.place(range), SQLValue(limit: range.limit))
    }

    public func insert(_ token: MachineToken) throws -> Bool {
        locks.noteNew(.machineTokens, token.id)
        return try connection.changes(Statements.tokenInsertion, token.values)
    }

    public func touchMachineToken(_ id: String, usedAt instant: Date) throws {
        try locks.note(.machineTokens, id)
        try send(Statements.tokenTouch, SQLValue(id), SQLValue(instant))
    }

    public func deleteMachineToken(_ id: String) throws -> Bool {
        try locks.note(.machineTokens, id)
        return try changes(Statements.tokenDeletion, SQLValue(id))
    }
}
