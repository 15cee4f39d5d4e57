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

    /// How far a body is that waits for nothing: where it would, it is let go, and later run again from its beginning, each time on a
    /// connection object of its own.
    enum Rerun {
        /// It repeats the changes that were sent when it was run before; they are compared, and nothing is sent. So begins a run that follows
        /// on changes, and it becomes `onward` with the last of them. One that ends before is another body.
        case repeating
        /// No change of before is left to repeat: what it changes is sent, and what it asks and is not answered yet is sent too. So begins a
        /// run that follows on none.
        case onward
        /// It was let go by a question without an answer: it is run again when that is there. It comes from both, and is final.
        case letGo
        /// It has asked or changed something else than when it was run before, and has to be run by itself. It comes from `repeating`, and is
        /// final.
        case fickle
    }

    /// Nil for a body that waits.
    private(set) var rerun: Rerun?
    /// Changes that the body has made; where it is run again, the first of them were sent before.
    private var passed = 0
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
        self.link = link
        self.isBounded = isBounded
        self.foresees = foresees
        self.keepsToRows = keepsToRows
        rerun = suspends ? (link.history.changes > 0 ? .repeating : .onward) : nil
    }

    func query(_ statement: SQLStatement, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void) throws {
        try noting(statement) {
            if rerun != nil { return try present(statement, parameters).read(read) }
            let result =
                try link.answered(statement, parameters)
                ?? link.run(statement, parameters, isBounded: isBounded)
            try result.read(read)
        }
    }

    /// The answer to a query, where it is there.
    /// - Throws: ``Suspension`` where it is not.
    private func present(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> PostgresResult {
        switch link.history.recollection(of: statement, parameters, after: passed) {
        case .answer(let result): return result
        case .asked: throw end(.letGo)
        case .unknown where rerun == .repeating: throw end(.fickle)
        case .unknown:
            try link.ask(statement, parameters)
            throw end(.letGo)
        }
    }

    private func end(_ end: Rerun) -> Suspension {
        rerun = end
        return Suspension()
    }

    private func passChange() {
        passed += 1
        if rerun == .repeating, passed == link.history.changes { rerun = .onward }
    }

    /// Whether a change was sent before, when the body was run up to here.
    private func isRepeated(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Bool {
        guard rerun == .repeating else { return false }
        guard link.history.wasChange(passed, statement, parameters) else { throw end(.fickle) }
        return true
    }

    /// A change that the body waits for.
    private func changedRows(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Int {
        guard try isRepeated(statement, parameters) else {
            try link.askChange(statement, parameters)
            throw end(.letGo)
        }
        guard case .answer(let result) = link.history.recollection(of: statement, parameters, after: passed) else {
            throw end(.fickle)
        }
        passChange()
        return result.changedRows
    }

    /// A change that is taken for done.
    private func send(_ statement: SQLStatement, _ parameters: [SQLValue], isForeseen: Bool) throws {
        guard rerun != nil else {
            link.passAsked()
            return try link.send(statement, parameters, isForeseen: isForeseen, isChecked: commitsAlong)
        }
        if try !isRepeated(statement, parameters) {
            link.noteChange(statement, parameters)
            try link.send(statement, parameters, isForeseen: isForeseen, isChecked: commitsAlong)
        }
        passChange()
    }

    /// Whether the body has changed anything.
    var hasChanged: Bool { passed > 0 }

    func execute(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Int {
        try noting(statement) {
            if rerun != nil { return try changedRows(statement, parameters) }
            link.passAsked()
            return try link.run(statement, parameters, isBounded: isBounded).changedRows
        }
    }

    func changes(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Bool {
        guard foresees else { return try execute(statement, parameters) > 0 }
        try noting(statement) { try send(statement, parameters, isForeseen: true) }
        return true
    }

    func send(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        guard foresees else { return _ = try execute(statement, parameters) }
        try noting(statement) { try send(statement, parameters, isForeseen: false) }
    }

    /// Whether what was foreseen need not be looked at before the commit: the server does that, and does not commit where
    /// it was not so.
    var commitsAlong: Bool { foresees && keepsToRows }

    let asksAhead = true

    func ask(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        // What may not be run is not run before it is asked for.
        guard failure == nil, !keepsToRows || statement.isByRow else { return }
        // What was asked when the body was run up to here is answered.
        if rerun == .repeating { return }
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
        if rerun == .letGo || rerun == .fickle { throw Suspension() }
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
