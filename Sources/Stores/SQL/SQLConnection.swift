/// What a driver offers: one open transaction on one connection.
///
/// A driver prepares a numbered statement once a connection and keeps it (``SQLStatement``).
///
/// Failures are thrown as `StoreError`: nothing of a driver's library leaves it. A statement never fails because a key
/// is taken (they say `ON CONFLICT`); where one does – two transactions raced – the driver runs the whole body again.
public protocol SQLConnection {
    /// Runs a query and calls the reader with each of its rows, in order. The reader may run other statements, and this one.
    func query(_ statement: SQLStatement, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void) throws

    /// Runs a statement and gives the number of rows that it inserted, changed or deleted itself; rows that went by a
    /// cascade do not count.
    func execute(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Int

    /// Whether a statement inserted, changed or deleted anything.
    ///
    /// Where each answer costs a round trip, a driver may say yes ahead of the database. Should the database then say no,
    /// it undoes the transaction and runs the body again, with exact answers.
    func changes(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Bool

    /// Inserts one row by a statement without a condition, where a statement that fails leaves the transaction as it was.
    /// - Parameter columns: in which NULL stands for a row that is missing: `table.column`.
    /// - Returns: false where a key is taken, where a row is missing that the new one refers to, and where one of the columns would be NULL; nil,
    ///   with nothing done, where such a failure would end the transaction.
    func insertsReferring(
        _ statement: SQLStatement, _ parameters: [SQLValue], refusing columns: [String]
    ) throws -> Bool?

    /// Runs a statement whose count nothing depends on; a driver may send it later, before the next query or the commit.
    func send(_ statement: SQLStatement, _ parameters: [SQLValue]) throws

    /// Whether ``ask(_:_:)`` does anything.
    var asksAhead: Bool { get }

    /// Says that the transaction is going to run a query. Where each answer costs a round trip, a driver may ask at once, so
    /// that the answer comes with that of another.
    func ask(_ statement: SQLStatement, _ parameters: [SQLValue]) throws

    /// A query of one row and one column that tells the database's present time, in microseconds since 1970; nil where
    /// the database has no clock but that of its one machine.
    var timeQuery: SQLStatement? { get }

    /// Whether the database takes writes; the transaction at hand may be one that only reads.
    func takesWrites() throws -> Bool

    /// Whether writers lock single rows, so that `SELECT … FOR UPDATE` means something.
    var locksRows: Bool { get }

    /// Whether an update writes anew the index entries of each column that it names, also where the value stays as it is
    /// (``RowUpdate``). SQLite does; PostgreSQL compares the values.
    var rewritesNamedIndexes: Bool { get }
}

extension SQLConnection {
    public func changes(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Bool {
        try execute(statement, parameters) > 0
    }

    public func insertsReferring(
        _ statement: SQLStatement, _ parameters: [SQLValue], refusing columns: [String]
    ) throws -> Bool? { nil }

    public func send(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        _ = try execute(statement, parameters)
    }

    public var asksAhead: Bool { false }

    public func ask(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {}

    public var timeQuery: SQLStatement? { nil }

    public func takesWrites() throws -> Bool { true }

    public var locksRows: Bool { false }

    public var rewritesNamedIndexes: Bool { true }

    /// All rows of a statement that is not kept.
    public func rows(_ text: String, _ parameters: [SQLValue]) throws -> [SQLRow] {
        var rows: [SQLRow] = []
        try query(.once(text), parameters) { columns in
            rows.append(SQLRow(try (0..<columns.count).map(columns.value)))
        }
        return rows
    }

    /// Runs a statement that is not kept.
    @discardableResult
    func execute(_ text: String, _ parameters: [SQLValue] = []) throws -> Int {
        try execute(.once(text), parameters)
    }
}
