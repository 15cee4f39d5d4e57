import CountersignCore
import Foundation

private enum Statements {
    /// A row in any case, so that the documents come also where there is no such application.
    static let application = SQLStatement(
        """
        SELECT \(Application.columns(of: "application")), one.body, other.body FROM (SELECT 1 AS row) AS asked \
        LEFT JOIN applications AS application ON application.id = $1 \
        LEFT JOIN documents AS one ON one.name = $2 LEFT JOIN documents AS other ON other.name = $3
        """, isByRow: true)
    static let documents = SQLStatement("SELECT name, body FROM documents WHERE name IN ($1, $2)", isByRow: true)
    static let heldGrant = SQLStatement(
        """
        SELECT \(Grant.columns(of: Grant.table)), \(Session.columns(of: Session.table)), \(User.columns(of: User.table)) \
        FROM grants JOIN sessions ON sessions.id = grants.session_id JOIN users ON users.id = grants.user_id \
        WHERE grants.id = $1
        """, isByRow: true)
}

extension StoredRow {
    /// The columns in a statement with several tables.
    fileprivate static func columns(of name: String) -> String {
        columns.split(separator: ", ").map { "\(name).\($0)" }.joined(separator: ", ")
    }
}

extension SQLTransaction {
    public func heldGrant(_ id: GrantID) throws -> HeldGrant? {
        try first(of: Grant.table, Statements.heldGrant, [SQLValue(id.rawValue)]) { row in
            HeldGrant(grant: try Grant(row: &row), session: try Session(row: &row), user: try User(row: &row))
        }
    }

    public func application(
        _ id: ClientID, beside documents: [String]
    ) throws -> (Application?, documents: [String: Data]) {
        guard documents.count == 2 else { return (try application(id), try self.documents(documents)) }
        let names = documents.map { SQLValue($0) }
        var application: Application?
        var found: [String: Data] = [:]
        try connection.query(Statements.application, [SQLValue(id.rawValue)] + names) { columns in
            var reader = RowReader(columns, table: Application.table)
            if try columns.text(0) != nil { application = try Application(row: &reader) }
            found[documents[0]] = try columns.blob(4)
            found[documents[1]] = try columns.blob(5)
        }
        return (application, found)
    }

    public func documents(_ names: [String]) throws -> [String: Data] {
        var found: [String: Data] = [:]
        guard names.count == 2 else {
            for name in names { found[name] = try document(name) }
            return found
        }
        try connection.query(Statements.documents, names.map { SQLValue($0) }) { columns in
            var reader = RowReader(columns, table: "documents")
            found[try reader.text()] = try reader.blob()
        }
        return found
    }
}
