import CountersignCore
import Foundation

/// Every query of the store, written once, over whatever driver runs it. The queries stand in one file for each entity.
///
/// Each is keyed by one user, one handle or one name, or serves cleaning and listing, so that the tables can be spread
/// over machines by those keys.
public struct SQLTransaction: StoreTransaction {
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

extension SQLTransaction {
    /// The rows that the clauses after `FROM` select.
    func select<Row: StoredRow>(_ clauses: String, _ parameters: SQLValue...) throws -> [Row] {
        try select(clauses, parameters)
    }

    /// The row whose key is the value.
    func row<Row: StoredRow>(where key: String, _ value: SQLValue) throws -> Row? {
        let rows: [Row] = try select("WHERE \(key) = $1", [value])
        return rows.first
    }

    private func select<Row: StoredRow>(_ clauses: String, _ parameters: [SQLValue]) throws -> [Row] {
        let statement = "SELECT \(Row.columns) FROM \(Row.table) \(clauses)"
        return try connection.rows(statement, parameters).map { row in
            var reader = RowReader(row, table: Row.table)
            return try Row(row: &reader)
        }
    }

    /// Inserts the row, where no row has one of its keys and the condition holds.
    ///
    /// The condition is how a row that hangs on a user is refused when the user was deleted: failing on the foreign key
    /// would abort the transaction in PostgreSQL.
    func insert<Row: StoredRow>(_ row: Row, where condition: String? = nil) throws -> Bool {
        let values = try row.values
        let places = (1...values.count).map { "$\($0)" }.joined(separator: ", ")
        let source = if let condition { "SELECT \(places) WHERE \(condition)" } else { "VALUES (\(places))" }
        return try changes(
            "INSERT INTO \(Row.table) (\(Row.columns)) \(source) ON CONFLICT DO NOTHING", values)
    }

    /// Whether the statement inserted, changed or deleted anything.
    func changes(_ statement: String, _ parameters: SQLValue...) throws -> Bool {
        try changes(statement, parameters)
    }

    func changes(_ statement: String, _ parameters: [SQLValue]) throws -> Bool {
        try connection.execute(statement, parameters) > 0
    }

    /// Deletes the rows that the clauses pick, at most `limit`, so that cleaning a large table holds no long lock.
    func delete<Row: StoredRow>(
        _ type: Row.Type, key: String, _ clauses: String, _ instant: Date, limit: Int
    ) throws -> Int {
        try connection.execute(
            "DELETE FROM \(Row.table) WHERE \(key) IN (SELECT \(key) FROM \(Row.table) \(clauses) LIMIT $2)",
            [SQLValue(instant), SQLValue(limit: limit)])
    }
}

extension SQLValue {
    /// A `LIMIT`. A negative one would mean "no limit" to SQLite and an error to PostgreSQL; here it is none.
    init(limit: Int) {
        self.init(max(0, limit))
    }
}
