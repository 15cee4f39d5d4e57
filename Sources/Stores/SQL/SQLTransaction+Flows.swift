import CountersignCore
import Foundation

extension FlowRecord: StoredRow {
    static let table = "flows"
    static let columns =
        "digest, user_id, purpose, attempts, revision, created_at, expires_at, finished_at, body, offered_factor"

    init(row: inout RowReader) throws {
        self.init(
            digest: try row.blob(), userID: try row.optionalText().map(UserID.init(rawValue:)),
            purpose: try row.text(), attempts: try row.integer(), revision: try row.integer(),
            createdAt: try row.date(), expiresAt: try row.date(), finishedAt: try row.optionalDate(),
            body: try row.blob(), offeredFactor: try row.optionalText().map(FactorID.init(rawValue:)))
    }

    var values: [SQLValue] {
        [
            SQLValue(digest), SQLValue(userID?.rawValue), SQLValue(purpose), SQLValue(attempts), SQLValue(revision),
            SQLValue(createdAt), SQLValue(expiresAt), SQLValue(finishedAt), SQLValue(body),
            SQLValue(offeredFactor?.rawValue),
        ]
    }
}

private enum Statements {
    static let byDigest = FlowRecord.selection("WHERE digest = $1", isByRow: true)
    // The cast tells PostgreSQL the parameter's type, which nothing else about a bare `IS NULL` does.
    static let insertion = FlowRecord.insertion(
        referring: "CAST($2 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM users WHERE users.id = $2)")
    static let update = RowUpdate(
        // A user that the row names is there, by its foreign key.
        keepingIndexes: SQLStatement(
            """
            UPDATE flows SET revision = revision + 1, attempts = $4, finished_at = $6, body = $7 \
            WHERE digest = $1 AND revision = $2 AND user_id IS $3 AND expires_at = $5
            """, isByRow: true),
        whole: SQLStatement(
            """
            UPDATE flows SET revision = revision + 1, user_id = $3, attempts = $4, expires_at = $5, \
            finished_at = $6, body = $7 \
            WHERE digest = $1 AND revision = $2 \
            AND (CAST($3 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM users WHERE users.id = $3))
            """, isByRow: true))
    static let deletion = SQLStatement("DELETE FROM flows WHERE digest = $1", isByRow: true)
    static let open = FlowRecord.selection(
        """
        WHERE user_id = $1 AND purpose = $2 AND finished_at IS NULL AND expires_at > $3 \
        ORDER BY created_at DESC, digest LIMIT $4
        """)
    static let offering = FlowRecord.selection(
        "WHERE offered_factor = $1 AND finished_at IS NULL AND expires_at > $2 ORDER BY created_at DESC LIMIT 1")
    static let ofUser = FlowRecord.selection("WHERE user_id = $1 LIMIT $2")
    static let revisions = SQLStatement("SELECT digest, revision FROM flows WHERE digest IN (\(KeyList.places))")
    static let expired = FlowRecord.deletion(key: "digest", "WHERE expires_at < $1 ORDER BY expires_at")
}

extension SQLTransaction {
    public func flow(digest: Data) throws -> FlowRecord? {
        try first(Statements.byDigest, SQLValue(digest))
    }

    public func insert(_ flow: FlowRecord) throws -> Bool {
        try locks.noteReference(to: flow.userID)
        return try inserts(Statements.insertion, flow.values)
    }

    public func update(_ flow: FlowRecord) throws -> Bool {
        try locks.note(.flows, flow.digest.hex)
        return try changes(
            Statements.update,
            SQLValue(flow.digest), SQLValue(flow.revision), SQLValue(flow.userID?.rawValue),
            SQLValue(flow.attempts), SQLValue(flow.expiresAt), SQLValue(flow.finishedAt), SQLValue(flow.body))
    }

    public func openFlows(of user: UserID, purpose: String, at now: Date, limit: Int) throws -> [FlowRecord] {
        try select(
            Statements.open, SQLValue(user.rawValue), SQLValue(purpose), SQLValue(now), SQLValue(limit: limit))
    }

    public func openFlow(offering factor: FactorID, at now: Date) throws -> FlowRecord? {
        try first(Statements.offering, SQLValue(factor.rawValue), SQLValue(now))
    }

    public func flows(of user: UserID, limit: Int) throws -> [FlowRecord] {
        try select(Statements.ofUser, SQLValue(user.rawValue), SQLValue(limit: limit))
    }

    public func flowRevisions(among digests: Set<Data>) throws -> [Data: Int] {
        var found: [Data: Int] = [:]
        try query(Statements.revisions, of: FlowRecord.table, among: digests.map { SQLValue($0) }) { row in
            let digest = try row.blob()
            found[digest] = try row.integer()
        }
        return found
    }

    public func deleteFlow(digest: Data) throws -> Bool {
        try locks.note(.flows, digest.hex)
        return try changes(Statements.deletion, SQLValue(digest))
    }

    public func deleteFlows(expiredBefore instant: Date, limit: Int) throws -> Int {
        try delete(Statements.expired, SQLValue(instant), SQLValue(limit: limit))
    }
}
