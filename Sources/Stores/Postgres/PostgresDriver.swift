import CountersignCore
import StoreSQL

/// What the two drivers have in common: one whose body waits on its own thread (``PostgresConnection``), and one whose body is let go where it
/// would wait, and run again (``StagedConnection``).
///
/// A statement that fails ends the transaction on the server, which then refuses all others and commits nothing. The
/// first failure is kept here, so that a body that swallows it is not taken for done.
///
/// Only queries are waited for. What changes rows is sent along with the next query, or before the commit, and its body
/// is told beforehand that it did (`docs/decisions/0150`).
protocol PostgresDriver: AnyObject, SQLConnection {
    /// The first. It is set by ``noting(_:_:)`` alone.
    var failure: PostgresFailure? { get set }
    /// Whether the transaction is isolated by rows, and may run only what is about rows by their keys.
    var keepsToRows: Bool { get }
}

extension PostgresDriver {
    var locksRows: Bool { true }
    var rewritesNamedIndexes: Bool { false }
    var asksAhead: Bool { true }
    var timeQuery: SQLStatement? { Statements.clock }

    func takesWrites() throws -> Bool {
        // Of the transaction itself it says nothing: one that only reads is read-only everywhere.
        try rows(
            "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean", []
        ).first?.values.first != .integer(1)
    }

    /// Runs what asks the server, and keeps its failure.
    /// - Parameter statement: what is to be run; nil where nothing new is.
    func noting<T>(_ statement: SQLStatement?, _ run: () throws -> T) throws -> T {
        if failure == nil, keepsToRows, let statement, !statement.isByRow { failure = .beyondRows }
        if let failure { throw failure.storeError }
        do {
            return try run()
        } catch let failure as PostgresFailure {
            self.failure = failure
            throw failure.storeError
        }
    }
}

private enum Statements {
    static let clock = SQLStatement(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", isByRow: true)
}
