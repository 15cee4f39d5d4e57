import StoreSQL

/// The driver of a body that waits on its own thread: statements of the one schema, run by PostgreSQL in one open transaction.
final class PostgresConnection: PostgresDriver {
    private let link: PostgresLink
    private let isBounded: Bool
    /// Whether changes are taken for done; otherwise each is waited for.
    private let foresees: Bool
    let keepsToRows: Bool
    var failure: PostgresFailure?

    /// - Parameters:
    ///   - isBounded: false for what may take its time, such as a migration.
    ///   - foresees: whether changes are taken for done before the server says so.
    ///   - keepsToRows: whether it refuses what a transaction isolated by rows may not run.
    init(_ link: PostgresLink, isBounded: Bool = true, foresees: Bool = false, keepsToRows: Bool = false) {
        self.link = link
        self.isBounded = isBounded
        self.foresees = foresees
        self.keepsToRows = keepsToRows
    }

    func query(_ statement: SQLStatement, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void) throws {
        try noting(statement) {
            let result =
                try link.answered(statement, parameters)
                ?? link.run(statement, parameters, isBounded: isBounded)
            try result.read(read)
        }
    }

    func execute(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Int {
        try noting(statement) {
            link.passAsked()
            return try link.run(statement, parameters, isBounded: isBounded).changedRows
        }
    }

    func changes(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Bool {
        guard foresees else { return try execute(statement, parameters) > 0 }
        try send(statement, parameters, isForeseen: true)
        return true
    }

    func send(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        guard foresees else { return _ = try execute(statement, parameters) }
        try send(statement, parameters, isForeseen: false)
    }

    /// A change that is taken for done.
    private func send(_ statement: SQLStatement, _ parameters: [SQLValue], isForeseen: Bool) throws {
        try noting(statement) {
            link.passAsked()
            try link.send(statement, parameters, isForeseen: isForeseen, isChecked: commitsAlong)
        }
    }

    /// Whether what was foreseen need not be looked at before the commit: the server does that, and does not commit where
    /// it was not so.
    var commitsAlong: Bool { foresees && keepsToRows }

    func ask(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        // What may not be run is not run before it is asked for.
        guard failure == nil, !keepsToRows || statement.isByRow else { return }
        try noting(statement) { try link.ask(statement, parameters) }
    }

    /// Waits for the answers on which a decision of the body may rest, or for all.
    func settle(all: Bool) {
        if failure == nil, all || link.foresees { try? noting(nil) { try link.settle() } }
    }
}
