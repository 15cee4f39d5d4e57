import CountersignCore

extension Application: StoredRow {
    static let table = "applications"
    static let columns = "id, revision, created_at, registration"

    init(row: inout RowReader) throws {
        self.init(
            id: ClientID(rawValue: try row.text()), revision: try row.integer(), createdAt: try row.date(),
            registration: try row.document(knownFrom: Self.registrations))
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
    static let listed = Application.selection("WHERE id > $1 ORDER BY id LIMIT $2")
    static let insertion = Application.insertion()
    static let update = SQLStatement(
        "UPDATE applications SET revision = revision + 1, registration = $3 WHERE id = $1 AND revision = $2")
    static let deletion = SQLStatement("DELETE FROM applications WHERE id = $1")
}

extension SQLTransaction {
    public func application(_ id: ClientID) throws -> Application? {
        try first(Statements.byID, SQLValue(id.rawValue))
    }

    public func applications(after id: ClientID?, limit: Int) throws -> [Application] {
        try select(Statements.listed, SQLValue(id?.rawValue ?? ""), SQLValue(limit: limit))
    }

    public func insert(_ application: Application) throws -> Bool {
        locks.noteNew(.applications, application.id.rawValue)
        return try connection.changes(Statements.insertion, application.values)
    }

    public func update(_ application: Application) throws -> Bool {
        try locks.note(.applications, application.id.rawValue)
        return try changes(
            Statements.update, SQLValue(application.id.rawValue), SQLValue(application.revision),
            try Document.encode(application.registration))
    }

    public func deleteApplication(_ id: ClientID) throws -> Bool {
        try locks.note(.applications, id.rawValue)
        return try changes(Statements.deletion, SQLValue(id.rawValue))
    }
}
