/// What a driver offers: one open transaction on one connection.
///
/// Statements number their parameters `$1`, `$2`, … A driver whose database spells them otherwise translates; `$` means
/// nothing else in them. It prepares a statement once and keeps it: there are few, and their text never holds data.
///
/// Failures are thrown as `StoreError`: nothing of a driver's library leaves it. A statement never fails because a key
/// is taken (they say `ON CONFLICT`); where one does – two transactions raced – the driver runs the whole body again.
public protocol SQLConnection {
    /// Runs a query and gives all its rows.
    func rows(_ statement: String, _ parameters: [SQLValue]) throws -> [SQLRow]

    /// Runs a statement and gives the number of rows that it inserted, changed or deleted itself; rows that went by a
    /// cascade do not count.
    @discardableResult
    func execute(_ statement: String, _ parameters: [SQLValue]) throws -> Int

    /// A query of one row and one column that tells the database's present time, in microseconds since 1970; nil where
    /// the database has no clock but that of its one machine.
    var timeQuery: String? { get }

    /// Whether the database takes writes; the transaction at hand may be one that only reads.
    func takesWrites() throws -> Bool

    /// Whether writers lock single rows, so that `SELECT … FOR UPDATE` means something.
    var locksRows: Bool { get }
}

extension SQLConnection {
    public var timeQuery: String? { nil }

    public func takesWrites() throws -> Bool { true }

    public var locksRows: Bool { false }

    @discardableResult
    func execute(_ statement: String) throws -> Int {
        try execute(statement, [])
    }
}
