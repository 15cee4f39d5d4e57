import CountersignCore
import Foundation

/// The two documents that nearly every transaction wants beside its first row. A statement joins exactly two, as the last two of its
/// columns, so that they cost no statement of their own; any other number of documents is read after the row.
private struct JoinedDocuments {
    private let first: String
    private let second: String

    /// - Returns: nil where there are not two of them.
    init?(_ names: [String]) {
        guard names.count == 2 else { return nil }
        (first, second) = (names[0], names[1])
    }

    /// Their names, as the statements take them: after the row's key where there is one.
    var parameters: [SQLValue] { [SQLValue(first), SQLValue(second)] }

    /// The documents that are there, by name.
    /// - Parameter column: the first of the two columns.
    func read(_ columns: any SQLColumns, from column: Int) throws -> [String: Data] {
        var found: [String: Data] = [:]
        found[first] = try columns.blob(column)
        found[second] = try columns.blob(column + 1)
        return found
    }
}

private enum Statements {
    /// A row in any case, so that the documents come also where there is no such application.
    static let application = SQLStatement(
        """
        SELECT \(Application.columns(of: "application")), one.body, other.body FROM (SELECT 1 AS row) AS asked \
        LEFT JOIN applications AS application ON application.id = $1 \
        LEFT JOIN documents AS one ON one.name = $2 LEFT JOIN documents AS other ON other.name = $3
        """, isByRow: true, isStanding: true)
    /// A row in any case, as above.
    static let flow = SQLStatement(
        """
        SELECT \(FlowRecord.columns(of: "flow")), \(User.columns(of: "holder")), one.body, other.body \
        FROM (SELECT 1 AS row) AS asked LEFT JOIN flows AS flow ON flow.digest = $1 \
        LEFT JOIN users AS holder ON holder.id = flow.user_id \
        LEFT JOIN documents AS one ON one.name = $2 LEFT JOIN documents AS other ON other.name = $3
        """, isByRow: true)
    static let flowAlone = SQLStatement(
        """
        SELECT \(FlowRecord.columns(of: "flow")), \(User.columns(of: "holder")) FROM flows AS flow \
        LEFT JOIN users AS holder ON holder.id = flow.user_id WHERE flow.digest = $1
        """, isByRow: true)
    /// Without `IN`, as ``StoredRow/selectionOfEach(_:_:isByRow:)`` says.
    static let documents = SQLStatement(
        """
        SELECT name, body FROM documents WHERE name = $1 UNION ALL SELECT name, body FROM documents WHERE name = $2
        """, isByRow: true, isStanding: true)
    /// A grant that is there has a session and a user.
    static let heldGrant = SQLStatement(
        """
        SELECT \(heldColumns), one.body, other.body FROM (SELECT 1 AS row) AS asked \
        LEFT JOIN grants ON grants.id = $1 \
        LEFT JOIN sessions ON sessions.id = grants.session_id LEFT JOIN users ON users.id = grants.user_id \
        LEFT JOIN documents AS one ON one.name = $2 LEFT JOIN documents AS other ON other.name = $3
        """, isByRow: true)
    static let heldGrantAlone = SQLStatement(
        """
        SELECT \(heldColumns) FROM grants JOIN sessions ON sessions.id = grants.session_id \
        JOIN users ON users.id = grants.user_id WHERE grants.id = $1
        """, isByRow: true)
    private static let heldColumns = [
        Grant.columns(of: Grant.table), Session.columns(of: Session.table), User.columns(of: User.table),
    ].joined(separator: ", ")
    /// Where the user's columns begin beside a flow's.
    static let holderOfFlow = FlowRecord.columnCount
    // Where the joined documents begin.
    static let afterApplication = Application.columnCount
    static let afterFlow = FlowRecord.columnCount + User.columnCount
    static let afterHeldGrant = Grant.columnCount + Session.columnCount + User.columnCount
}

extension StoredRow {
    fileprivate static var columnCount: Int { columns.split(separator: ",").count }

    /// The columns in a statement with several tables.
    fileprivate static func columns(of name: String) -> String {
        columns.split(separator: ",").map { "\(name).\($0.drop { $0 == " " })" }.joined(separator: ", ")
    }
}

extension SQLTransaction {
    public func heldGrant(
        _ id: GrantID, beside documents: [String]
    ) throws -> (HeldGrant?, documents: [String: Data]) {
        func read(_ columns: any SQLColumns) throws -> HeldGrant {
            var row = RowReader(columns, table: Grant.table)
            return HeldGrant(grant: try Grant(row: &row), session: try Session(row: &row), user: try User(row: &row))
        }
        var held: HeldGrant?
        var found: [String: Data] = [:]
        guard let joined = JoinedDocuments(documents) else {
            try connection.query(Statements.heldGrantAlone, [SQLValue(id.rawValue)]) { held = try read($0) }
            return (held, try self.documents(documents))
        }
        try connection.query(Statements.heldGrant, [SQLValue(id.rawValue)] + joined.parameters) { columns in
            if try columns.text(0) != nil { held = try read(columns) }
            found = try joined.read(columns, from: Statements.afterHeldGrant)
        }
        return (held, found)
    }

    public func application(
        _ id: ClientID, beside documents: [String]
    ) throws -> (Application?, documents: [String: Data]) {
        guard let joined = JoinedDocuments(documents) else {
            return (try application(id), try self.documents(documents))
        }
        var application: Application?
        var found: [String: Data] = [:]
        try connection.query(Statements.application, [SQLValue(id.rawValue)] + joined.parameters) { columns in
            var reader = RowReader(columns, table: Application.table)
            if try columns.text(0) != nil { application = try Application(row: &reader) }
            found = try joined.read(columns, from: Statements.afterApplication)
        }
        return (application, found)
    }

    public func flow(digest: Data, beside documents: [String]) throws -> HeldFlow {
        var (flow, user): (FlowRecord?, User?)
        var found: [String: Data] = [:]
        func read(_ columns: any SQLColumns) throws {
            if try columns.blob(0) != nil {
                var reader = RowReader(columns, table: FlowRecord.table)
                flow = try FlowRecord(row: &reader)
            }
            if try columns.text(Statements.holderOfFlow) != nil {
                var reader = RowReader(columns, table: User.table, from: Statements.holderOfFlow)
                user = try User(row: &reader)
            } else if flow != nil {
                StandIn.readUser()
            }
        }
        guard let joined = JoinedDocuments(documents) else {
            try connection.query(Statements.flowAlone, [SQLValue(digest)], read)
            return HeldFlow(flow: flow, user: user, documents: try self.documents(documents))
        }
        try connection.query(Statements.flow, [SQLValue(digest)] + joined.parameters) { columns in
            try read(columns)
            found = try joined.read(columns, from: Statements.afterFlow)
        }
        return HeldFlow(flow: flow, user: user, documents: found)
    }

    public var asksAhead: Bool { connection.asksAhead }

    public func expect(_ rows: ExpectedRows) throws {
        guard asksAhead else { return }
        switch rows {
        case .heldGrant(let id): try connection.ask(Statements.heldGrantAlone, [SQLValue(id.rawValue)])
        case .flow(let digest): try connection.ask(Statements.flowAlone, [SQLValue(digest)])
        case .factor(let id): try expectFactor(id)
        case .counters(let keys): try expectCounters(keys)
        case .presentTime: if let query = connection.timeQuery { try connection.ask(query, []) }
        }
    }

    public func documents(_ names: [String]) throws -> [String: Data] {
        var found: [String: Data] = [:]
        guard let joined = JoinedDocuments(names) else {
            for name in names { found[name] = try document(name) }
            return found
        }
        try connection.query(Statements.documents, joined.parameters) { columns in
            var reader = RowReader(columns, table: "documents")
            found[try reader.text()] = try reader.blob()
        }
        return found
    }
}
