import CountersignCore
import Foundation

extension Application: StoredRow {
    static let table = "applications"
    static let columns = "id, revision, created_at, registration"

    init(row: inout RowReader) throws {
        let id = try row.text()
        self.init(
            id: ClientID(rawValue: id), revision: try row.integer(), createdAt: try row.date(),
            kept: try row.document(of: id, knownFrom: Self.registrations))
    }

    /// Every request reads an application.
    private static let registrations = DecodedDocuments<ApplicationRegistration>(capacity: 256)

    var values: [SQLValue] {
        get throws {
            [SQLValue(id.rawValue), SQLValue(revision), SQLValue(createdAt), try Document.encode(registration)]
        }
    }
}

private enum Statements {
    static let byID = Application.selection("WHERE id = $1", isByRow: true)
    static let presence = SQLStatement("SELECT 1 FROM applications WHERE id = $1", isByRow: true)
    static let listed = ListStatements { Application.selection("WHERE id \($0) $1 ORDER BY id\($1) LIMIT $2") }
    static let beginning = ListStatements { _, order in
        Application.selection("WHERE id >= $1 AND id < $2 ORDER BY id\(order) LIMIT $3")
    }
    static let insertion = SQLStatement(
        """
        INSERT INTO applications (\(Application.columns), registered_at, unused_since, secret_ends_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
        """)
    static let registered = ListStatements(isDescending: true) { comparison, order in
        Application.selection(
            """
            WHERE registered_at IS NOT NULL AND (registered_at, id) \(comparison) ($1, $2) \
            ORDER BY registered_at\(order), id\(order) LIMIT $3
            """)
    }
    static let registeredCount = SQLStatement("SELECT COUNT(*) FROM applications WHERE registered_at IS NOT NULL")
    static let unused = SQLStatement(
        "SELECT id FROM applications WHERE unused_since < $1 ORDER BY unused_since, id LIMIT $2")
    static let keeping = SQLStatement(
        "UPDATE applications SET unused_since = NULL WHERE id = $1 AND unused_since IS NOT NULL")
    static let use = SQLStatement(
        """
        INSERT INTO application_uses (client_id, dialect, used_at) \
        SELECT applications.id, $2, CASE WHEN applications.created_at > $3 THEN applications.created_at ELSE $3 END \
        FROM applications WHERE applications.id = $1 AND applications.created_at <= $4 \
        ON CONFLICT (client_id, dialect) DO UPDATE SET used_at = excluded.used_at \
        WHERE excluded.used_at > application_uses.used_at
        """)
    static let uses = SQLStatement(
        "SELECT client_id, dialect, used_at FROM application_uses WHERE client_id IN (\(KeyList.places))")
    static let update = SQLStatement(
        """
        UPDATE applications SET revision = revision + 1, registration = $3, secret_ends_at = $4 \
        WHERE id = $1 AND revision = $2
        """)
    static let ending = Application.selection(
        "WHERE secret_ends_at > $1 AND secret_ends_at < $2 ORDER BY secret_ends_at, id LIMIT $3")
    static let deletion = SQLStatement("DELETE FROM applications WHERE id = $1")
}

extension SQLTransaction {
    public func application(_ id: ClientID) throws -> Application? {
        try first(Statements.byID, SQLValue(id.rawValue))
    }

    public func hasApplication(_ id: ClientID) throws -> Bool {
        try first(of: Application.table, Statements.presence, [SQLValue(id.rawValue)]) { _ in true } ?? false
    }

    public func applications(_ range: ListRange<ClientID>) throws -> [Application] {
        try select(Statements.listed[range], Statements.listed.place(range), SQLValue(limit: range.limit))
    }

    public func applications(beginningWith text: String, _ range: ListRange<ClientID>) throws -> [Application] {
        let (start, end) = ListStatements.bounds(beginningWith: text, range)
        return try select(Statements.beginning[range], start, end, SQLValue(limit: range.limit))
    }

    public func insert(_ application: Application) throws -> Bool {
        locks.noteNew(.applications, application.id.rawValue)
        let oauth = application.registration.oauth
        return try connection.changes(
            Statements.insertion,
            application.values + [
                SQLValue(oauth.selfRegistration?.at), SQLValue(oauth.isOfStranger ? application.createdAt : nil),
                SQLValue(oauth.formerSecretUntil),
            ])
    }

    public func update(_ application: Application) throws -> Bool {
        try locks.note(.applications, application.id.rawValue)
        return try changes(
            Statements.update, SQLValue(application.id.rawValue), SQLValue(application.revision),
            try Document.encode(application.registration),
            SQLValue(application.registration.oauth.formerSecretUntil))
    }

    public func applications(secretsEndingAfter start: Date, before end: Date, limit: Int) throws -> [Application] {
        try select(Statements.ending, SQLValue(start), SQLValue(end), SQLValue(limit: limit))
    }

    public func deleteApplication(_ id: ClientID) throws -> Bool {
        try locks.note(.applications, id.rawValue)
        return try changes(Statements.deletion, SQLValue(id.rawValue))
    }

    public func selfRegistered(_ range: ListRange<RegistrationPlace>) throws -> [Application] {
        let place = Statements.registered.place(range) { ($0.createdAt, $0.id.rawValue) }
        return try select(Statements.registered[range], place.instant, place.id, SQLValue(limit: range.limit))
    }

    public func countSelfRegistered() throws -> Int {
        try first(of: "applications", Statements.registeredCount, []) { try $0.integer() } ?? 0
    }

    public func unusedRegistrations(before instant: Date, limit: Int) throws -> [ClientID] {
        var ids: [ClientID] = []
        try connection.query(Statements.unused, [SQLValue(instant), SQLValue(limit: limit)]) { columns in
            var reader = RowReader(columns, table: "applications")
            ids.append(ClientID(rawValue: try reader.text()))
        }
        return ids
    }

    public func keepRegistration(_ id: ClientID) throws {
        try locks.note(.applications, id.rawValue)
        try send(Statements.keeping, SQLValue(id.rawValue))
    }

    public func note(_ use: ApplicationUse) throws {
        // The row of a use goes with its application's, which is locked before it.
        try locks.note(.applications, use.application.rawValue)
        try send(
            Statements.use, SQLValue(use.application.rawValue), SQLValue(use.dialect.rawValue), SQLValue(use.at),
            SQLValue(use.at + ApplicationUses.clockDifference))
    }

    public func applicationUses(of ids: [ClientID]) throws -> [ApplicationUse] {
        var uses: [ApplicationUse] = []
        try query(Statements.uses, of: "application_uses", among: ids.map { SQLValue($0.rawValue) }) { row in
            uses.append(
                ApplicationUse(
                    application: ClientID(rawValue: try row.text()), dialect: Dialect(rawValue: try row.text()),
                    at: try row.date()))
        }
        return uses
    }
}
