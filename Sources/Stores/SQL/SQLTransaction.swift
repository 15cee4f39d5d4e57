import CountersignCore
import Foundation

/// Every query of the store, written once, over whatever driver runs it. The queries stand in one file for each entity.
///
/// Each is keyed by one user, one handle or one name, or serves cleaning and listing, so that the tables can be spread
/// over machines by those keys.
public final class SQLTransaction: StoreTransaction {
    let connection: any SQLConnection
    let counters = CounterChanges()
    let locks = RowLocks()

    init(_ connection: any SQLConnection) {
        self.connection = connection
    }

    /// Runs the body of a transaction.
    /// - Parameter connection: a connection with a transaction open on it; beginning and ending that is the driver's.
    public static func run<T>(
        on connection: any SQLConnection, _ body: (any StoreTransaction) throws -> T
    ) throws -> T {
        let transaction = SQLTransaction(connection)
        let result = try body(transaction)
        try transaction.writeCounters()
        return result
    }
}

/// An entity as a row: the one place where its columns, reading and writing stand side by side.
protocol StoredRow {
    static var table: String { get }
    /// In the order in which `values` gives and `init(row:)` takes them, the key first.
    static var columns: String { get }

    init(row: inout RowReader) throws

    var values: [SQLValue] { get throws }
}

/// The statements that an entity's file names once, as `static let`.
extension StoredRow {
    /// Selects rows by the clauses after `FROM`.
    static func selection(_ clauses: String, isByRow: Bool = false) -> SQLStatement {
        SQLStatement("SELECT \(columns) FROM \(table) \(clauses)", isByRow: isByRow)
    }

    /// Selects the rows with the values of one column, as many as there are places: a row comes as often as its value is named.
    ///
    /// With `IN` SQLite makes a table of the values each time that the statement runs, which costs several times what the search does.
    static func selectionOfEach(_ column: String, _ places: Int, isByRow: Bool = false) -> SQLStatement {
        let selections = (1...places).map { "SELECT \(columns) FROM \(table) WHERE \(column) = $\($0)" }
        return SQLStatement(selections.joined(separator: " UNION ALL "), isByRow: isByRow)
    }

    /// Inserts a row, where no row has one of its keys and the condition holds.
    ///
    /// The condition is how a row that hangs on a user is refused when the user was deleted: failing on the foreign key
    /// would abort the transaction in PostgreSQL.
    static func insertion(where condition: String? = nil, isByRow: Bool = false) -> SQLStatement {
        let count = columns.split(separator: ",").count
        let places = (1...count).map { "$\($0)" }.joined(separator: ", ")
        let source = if let condition { "SELECT \(places) WHERE \(condition)" } else { "VALUES (\(places))" }
        return SQLStatement("INSERT INTO \(table) (\(columns)) \(source) ON CONFLICT DO NOTHING", isByRow: isByRow)
    }

    /// Deletes the rows that the clauses pick by an instant, at most a number, so that cleaning a large table holds no long
    /// lock.
    static func deletion(key: String, _ clauses: String) -> SQLStatement {
        SQLStatement("DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) \(clauses) LIMIT $2)")
    }
}

extension SQLTransaction {
    /// The rows that a selection of their type finds.
    func select<Row: StoredRow>(_ selection: SQLStatement, _ parameters: SQLValue...) throws -> [Row] {
        var rows: [Row] = []
        try connection.query(selection, parameters) { columns in
            var reader = RowReader(columns, table: Row.table)
            rows.append(try Row(row: &reader))
        }
        return rows
    }

    /// The first row that a selection of its type finds.
    func first<Row: StoredRow>(_ selection: SQLStatement, _ parameters: SQLValue...) throws -> Row? {
        try first(of: Row.table, selection, parameters) { try Row(row: &$0) }
    }

    /// What is read of the first row that a query finds.
    func first<T>(
        of table: String, _ query: SQLStatement, _ parameters: [SQLValue], _ read: (inout RowReader) throws -> T
    ) throws -> T? {
        var first: T?
        try connection.query(query, parameters) { columns in
            guard first == nil else { return }
            var reader = RowReader(columns, table: table)
            first = try read(&reader)
        }
        return first
    }

    /// Whether the statement inserted, changed or deleted anything.
    func changes(_ statement: SQLStatement, _ parameters: SQLValue...) throws -> Bool {
        try connection.changes(statement, parameters)
    }

    /// Runs a statement whose count nothing depends on.
    func send(_ statement: SQLStatement, _ parameters: SQLValue...) throws {
        try connection.send(statement, parameters)
    }

    /// How many rows a deletion took.
    func delete(_ deletion: SQLStatement, _ parameters: SQLValue...) throws -> Int {
        try connection.execute(deletion, parameters)
    }
}

extension SQLValue {
    /// A `LIMIT`. A negative one would mean "no limit" to SQLite and an error to PostgreSQL; here it is none.
    init(limit: Int) {
        self.init(max(0, limit))
    }
}
