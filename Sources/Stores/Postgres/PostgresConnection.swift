import CountersignCore
import StoreSQL

/// The driver: statements of the one schema, run by PostgreSQL in one open transaction.
///
/// A statement that fails ends the transaction on the server, which then refuses all others and commits nothing. The
/// first failure is kept here, so that a body that swallows it is not taken for done.
///
/// Only queries are waited for. What changes rows is sent along with the next query, or before the commit, and its body
/// is told beforehand that it did (`docs/decisions/0150`).
final class PostgresConnection: SQLConnection {
    private let link: PostgresLink
    private let isBounded: Bool
    /// Whether changes are taken for done; otherwise each is waited for.
    private let foresees: Bool
    /// Whether the transaction is isolated by rows, and may run only what is about rows by their keys.
    private let keepsToRows: Bool
    private(set) var failure: PostgresFailure?
    /// Whether a query that would have to be waited for is asked ahead instead, and the body let go.
    private let suspends: Bool
    /// Whether the body was let go, to be run again when what it asked for is there.
    private(set) var isSuspended = false
    /// Whether the body has to be run again by itself, because it waits after it has changed something.
    private(set) var needsToWait = false
    /// Whether anything was sent that changes something.
    private(set) var hasChanged = false
    let locksRows = true
    let rewritesNamedIndexes = false

    /// - Parameters:
    ///   - isBounded: false for what may take its time, such as a migration.
    ///   - foresees: whether changes are taken for done before the server says so.
    ///   - keepsToRows: whether it refuses what a transaction isolated by rows may not run.
    ///   - suspends: whether the body is let go where it would wait (``StagedTransaction``).
    init(
        _ link: PostgresLink, isBounded: Bool = true, foresees: Bool = false, keepsToRows: Bool = false,
        suspends: Bool = false
    ) {
        self.suspends = suspends
        self.link = link
        self.isBounded = isBounded
        self.foresees = foresees
        self.keepsToRows = keepsToRows
    }

    func query(_ statement: SQLStatement, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void) throws {
        try noting(statement) {
            if suspends { return try present(statement, parameters).read(read) }
            let result =
                try link.answered(statement, parameters)
                ?? link.run(statement, parameters, isBounded: isBounded)
            try result.read(read)
        }
    }

    /// The answer, where it is there.
    /// - Throws: ``Suspension`` where it is not.
    private func present(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> PostgresResult {
        if let result = link.present(statement, parameters) { return result }
        guard !hasChanged else { throw suspension(waits: true) }
        try link.ask(statement, parameters)
        throw suspension(waits: !link.hasAsked(statement, parameters))
    }

    private func suspension(waits: Bool) -> Suspension {
        if waits { needsToWait = true }
        isSuspended = true
        return Suspension()
    }

    func execute(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Int {
        if suspends { return try noting(statement) { throw suspension(waits: true) } }
        link.passAsked()
        return try noting(statement) { try link.run(statement, parameters, isBounded: isBounded).changedRows }
    }

    func changes(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Bool {
        guard foresees else { return try execute(statement, parameters) > 0 }
        hasChanged = true
        link.passAsked()
        try noting(statement) { try link.send(statement, parameters, isForeseen: true, isChecked: commitsAlong) }
        return true
    }

    func send(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        guard foresees else { return _ = try execute(statement, parameters) }
        hasChanged = true
        link.passAsked()
        try noting(statement) { try link.send(statement, parameters, isForeseen: false) }
    }

    /// Whether what was foreseen need not be looked at before the commit: the server does that, and does not commit where
    /// it was not so.
    var commitsAlong: Bool { foresees && keepsToRows }

    let asksAhead = true

    func ask(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        // What may not be run is not run before it is asked for.
        guard failure == nil, !keepsToRows || statement.isByRow else { return }
        try noting(statement) { try link.ask(statement, parameters) }
    }

    /// Waits for the answers on which a decision of the body may rest, or for all.
    func settle(all: Bool) {
        if failure == nil, all || link.foresees { try? noting(nil) { try link.settle() } }
    }

    private static let clock = SQLStatement(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", isByRow: true)
    var timeQuery: SQLStatement? { Self.clock }

    func takesWrites() throws -> Bool {
        // Of the transaction itself it says nothing: one that only reads is read-only everywhere.
        try rows(
            "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean", []
        ).first?.values.first != .integer(1)
    }

    /// - Parameter statement: what is to be run; nil where nothing new is.
    private func noting<T>(_ statement: SQLStatement?, _ run: () throws -> T) throws -> T {
        if failure == nil, keepsToRows, let statement, !statement.isByRow { failure = .beyondRows }
        if let failure { throw failure.storeError }
        // A body that goes on all the same is not heard.
        if isSuspended { throw Suspension() }
        do {
            return try run()
        } catch let failure as PostgresFailure {
            self.failure = failure
            throw failure.storeError
        }
    }
}

/// Lets a body go that would have to wait. It is no failure, and reaches no caller.
private struct Suspension: Error {}
