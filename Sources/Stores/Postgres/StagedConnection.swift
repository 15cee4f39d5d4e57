import StoreSQL

/// The driver of a body that waits for nothing (``StagedTransaction``): where it would, it is let go, and later run again from its beginning, each
/// time on a driver of its own (`docs/decisions/0558`).
///
/// Its transaction is isolated by rows. Changes are taken for done, and found out by the commit.
final class StagedConnection: PostgresDriver {
    /// How far a body is.
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

    private let link: PostgresLink
    private(set) var rerun: Rerun
    /// Changes that the body has made; where it is run again, the first of them were sent before.
    private var passed = 0
    let keepsToRows = true
    var failure: PostgresFailure?

    init(_ link: PostgresLink) {
        self.link = link
        rerun = link.history.changes > 0 ? .repeating : .onward
    }

    /// Whether the body has changed anything.
    var hasChanged: Bool { passed > 0 }

    // MARK: Questions

    func query(_ statement: SQLStatement, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void) throws {
        try notingUnlessEnded(statement) { try present(statement, parameters).read(read) }
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

    func ask(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        // What may not be run is not run before it is asked for.
        guard failure == nil, statement.isByRow else { return }
        // What was asked when the body was run up to here is answered.
        if rerun == .repeating { return }
        try notingUnlessEnded(statement) { try link.ask(statement, parameters) }
    }

    // MARK: Changes

    func execute(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Int {
        try notingUnlessEnded(statement) { try changedRows(statement, parameters) }
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

    func changes(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Bool {
        try send(statement, parameters, isForeseen: true)
        return true
    }

    func send(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        try send(statement, parameters, isForeseen: false)
    }

    /// A change that is taken for done.
    private func send(_ statement: SQLStatement, _ parameters: [SQLValue], isForeseen: Bool) throws {
        try notingUnlessEnded(statement) {
            if try !isRepeated(statement, parameters) {
                link.noteChange(statement, parameters)
                try link.send(statement, parameters, isForeseen: isForeseen, isChecked: true)
            }
            passChange()
        }
    }

    /// Whether a change was sent before, when the body was run up to here.
    private func isRepeated(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Bool {
        guard rerun == .repeating else { return false }
        guard link.history.wasChange(passed, statement, parameters) else { throw end(.fickle) }
        return true
    }

    private func passChange() {
        passed += 1
        if rerun == .repeating, passed == link.history.changes { rerun = .onward }
    }

    // MARK: Being let go

    private func end(_ end: Rerun) -> Suspension {
        rerun = end
        return Suspension()
    }

    /// As ``noting(_:_:)``. A body that goes on after it was let go is not heard.
    private func notingUnlessEnded<T>(_ statement: SQLStatement, _ run: () throws -> T) throws -> T {
        try noting(statement) {
            if rerun == .letGo || rerun == .fickle { throw Suspension() }
            return try run()
        }
    }
}

/// Lets a body go that would have to wait. It is no failure, and reaches no caller.
private struct Suspension: Error {}
