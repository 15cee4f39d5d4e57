import CountersignCore
import Foundation

extension ClientRecord.Kind {
    var table: String {
        switch self {
        case .registration: "client_registrations"
        case .checkState: "check_states"
        case .refreshFamily: "refresh_families"
        }
    }

    var locks: RowLocks.Table {
        switch self {
        case .registration: .clientRegistrations
        case .checkState: .checkStates
        case .refreshFamily: .refreshFamilies
        }
    }
}

extension ClientRecord {
    fileprivate static let columns = "digest, user_id, revision, created_at, expires_at, body"

    fileprivate init(_ kind: Kind, row: inout RowReader) throws {
        self.init(
            kind: kind, digest: try row.blob(), userID: try row.optionalText().map(UserID.init(rawValue:)),
            revision: try row.integer(), createdAt: try row.date(), expiresAt: try row.date(), body: try row.blob())
    }
}

/// The three tables have the same columns, so each query is written once.
extension SQLTransaction {
    public func clientRecord(_ kind: ClientRecord.Kind, digest: Data) throws -> ClientRecord? {
        try clientRecords(kind, "WHERE digest = $1", SQLValue(digest)).first
    }

    public func clientRecords(_ kind: ClientRecord.Kind, after digest: Data?, limit: Int) throws -> [ClientRecord] {
        try clientRecords(
            kind, "WHERE digest > $1 ORDER BY digest LIMIT $2", SQLValue(digest ?? Data()), SQLValue(limit: limit))
    }

    public func clientRecords(_ kind: ClientRecord.Kind, of user: UserID, limit: Int) throws -> [ClientRecord] {
        try clientRecords(kind, "WHERE user_id = $1 LIMIT $2", SQLValue(user.rawValue), SQLValue(limit: limit))
    }

    private func clientRecords(
        _ kind: ClientRecord.Kind, _ clauses: String, _ parameters: SQLValue...
    ) throws -> [ClientRecord] {
        let statement = "SELECT \(ClientRecord.columns) FROM \(kind.table) \(clauses)"
        return try connection.rows(statement, parameters).map { row in
            var reader = RowReader(row, table: kind.table)
            return try ClientRecord(kind, row: &reader)
        }
    }

    public func insert(_ record: ClientRecord) throws -> Bool {
        try locks.noteReference(to: record.userID)
        // The cast tells PostgreSQL the parameter's type, which nothing else about a bare `IS NULL` does.
        return try changes(
            """
            INSERT INTO \(record.kind.table) (\(ClientRecord.columns)) SELECT $1, $2, $3, $4, $5, $6 \
            WHERE CAST($2 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM users WHERE users.id = $2) ON CONFLICT DO NOTHING
            """,
            SQLValue(record.digest), SQLValue(record.userID?.rawValue), SQLValue(record.revision),
            SQLValue(record.createdAt), SQLValue(record.expiresAt), SQLValue(record.body))
    }

    public func update(_ record: ClientRecord) throws -> Bool {
        try locks.note(record.kind.locks, record.digest.hex)
        return try changes(
            """
            UPDATE \(record.kind.table) SET revision = revision + 1, user_id = $3, expires_at = $4, body = $5 \
            WHERE digest = $1 AND revision = $2 \
            AND (CAST($3 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM users WHERE users.id = $3))
            """,
            SQLValue(record.digest), SQLValue(record.revision), SQLValue(record.userID?.rawValue),
            SQLValue(record.expiresAt), SQLValue(record.body))
    }

    public func deleteClientRecord(_ kind: ClientRecord.Kind, digest: Data) throws -> Bool {
        try locks.note(kind.locks, digest.hex)
        return try changes("DELETE FROM \(kind.table) WHERE digest = $1", SQLValue(digest))
    }

    public func deleteClientRecords(
        _ kind: ClientRecord.Kind, expiredBefore instant: Date, limit: Int
    ) throws -> Int {
        try connection.execute(
            """
            DELETE FROM \(kind.table) WHERE digest IN \
            (SELECT digest FROM \(kind.table) WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
            """, [SQLValue(instant), SQLValue(limit: limit)])
    }
}
