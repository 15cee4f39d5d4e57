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
private struct Statements {
    let byDigest, ofUser, insertion, deletion, expired: SQLStatement
    let update: RowUpdate
    let listed: ListStatements

    private init(_ kind: ClientRecord.Kind) {
        let (table, columns) = (kind.table, ClientRecord.columns)
        func selection(_ clauses: String) -> SQLStatement { SQLStatement("SELECT \(columns) FROM \(table) \(clauses)") }
        byDigest = selection("WHERE digest = $1")
        listed = ListStatements { selection("WHERE digest \($0) $1 ORDER BY digest\($1) LIMIT $2") }
        ofUser = selection("WHERE user_id = $1 LIMIT $2")
        // The cast tells PostgreSQL the parameter's type, which nothing else about a bare `IS NULL` does.
        insertion = SQLStatement(
            """
            INSERT INTO \(table) (\(columns)) SELECT $1, $2, $3, $4, $5, $6 \
            WHERE CAST($2 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM users WHERE users.id = $2) ON CONFLICT DO NOTHING
            """)
        update = RowUpdate(
            // Its end moves with nearly every change, and its user does not. A user that the row names is there, by its foreign key.
            keepingIndexes: SQLStatement(
                """
                UPDATE \(table) SET revision = revision + 1, expires_at = $4, body = $5 \
                WHERE digest = $1 AND revision = $2 AND user_id IS $3
                """),
            whole: SQLStatement(
                """
                UPDATE \(table) SET revision = revision + 1, user_id = $3, expires_at = $4, body = $5 \
                WHERE digest = $1 AND revision = $2 \
                AND (CAST($3 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM users WHERE users.id = $3))
                """))
        deletion = SQLStatement("DELETE FROM \(table) WHERE digest = $1")
        expired = SQLStatement(
            """
            DELETE FROM \(table) WHERE digest IN \
            (SELECT digest FROM \(table) WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
            """)
    }

    private static let registrations = Statements(.registration)
    private static let checkStates = Statements(.checkState)
    private static let refreshFamilies = Statements(.refreshFamily)

    static func of(_ kind: ClientRecord.Kind) -> Statements {
        switch kind {
        case .registration: registrations
        case .checkState: checkStates
        case .refreshFamily: refreshFamilies
        }
    }
}

extension SQLTransaction {
    public func clientRecord(_ kind: ClientRecord.Kind, digest: Data) throws -> ClientRecord? {
        try first(of: kind.table, Statements.of(kind).byDigest, [SQLValue(digest)]) {
            try ClientRecord(kind, row: &$0)
        }
    }

    public func clientRecords(_ kind: ClientRecord.Kind, _ range: ListRange<Data>) throws -> [ClientRecord] {
        let listed = Statements.of(kind).listed
        return try clientRecords(kind, listed[range], listed.place(range), SQLValue(limit: range.limit))
    }

    public func clientRecords(_ kind: ClientRecord.Kind, of user: UserID, limit: Int) throws -> [ClientRecord] {
        try clientRecords(kind, Statements.of(kind).ofUser, SQLValue(user.rawValue), SQLValue(limit: limit))
    }

    private func clientRecords(
        _ kind: ClientRecord.Kind, _ selection: SQLStatement, _ parameters: SQLValue...
    ) throws -> [ClientRecord] {
        var records: [ClientRecord] = []
        try connection.query(selection, parameters) { columns in
            var reader = RowReader(columns, table: kind.table)
            records.append(try ClientRecord(kind, row: &reader))
        }
        return records
    }

    public func insert(_ record: ClientRecord) throws -> Bool {
        try locks.noteReference(to: record.userID)
        return try changes(
            Statements.of(record.kind).insertion,
            SQLValue(record.digest), SQLValue(record.userID?.rawValue), SQLValue(record.revision),
            SQLValue(record.createdAt), SQLValue(record.expiresAt), SQLValue(record.body))
    }

    public func update(_ record: ClientRecord) throws -> Bool {
        try locks.note(record.kind.locks, record.digest.hex)
        return try changes(
            Statements.of(record.kind).update,
            SQLValue(record.digest), SQLValue(record.revision), SQLValue(record.userID?.rawValue),
            SQLValue(record.expiresAt), SQLValue(record.body))
    }

    public func deleteClientRecord(_ kind: ClientRecord.Kind, digest: Data) throws -> Bool {
        try locks.note(kind.locks, digest.hex)
        return try changes(Statements.of(kind).deletion, SQLValue(digest))
    }

    public func deleteClientRecords(
        _ kind: ClientRecord.Kind, expiredBefore instant: Date, limit: Int
    ) throws -> Int {
        try delete(Statements.of(kind).expired, SQLValue(instant), SQLValue(limit: limit))
    }
}
