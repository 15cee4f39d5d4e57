import CPostgres
import StoreSQL

/// Transactions, and their time.
extension PostgresLink {
    /// Begins a transaction, and its time. The command goes with the first statement.
    func begin(_ command: SQLStatement) throws {
        history.removeAll()
        deadlines.beginTransaction(at: .now)
        try send(command, [], isForeseen: false, isBegin: true)
    }

    private static let ending = SQLStatement("COMMIT", isByRow: true)

    /// Commits, together with what is still to be sent, where the commit does not depend on the answer.
    /// - Returns: the command's tag; `ROLLBACK` where the transaction had failed before.
    func commit() throws -> String {
        try sendCommit()
        try post()
        return try committed()
    }

    /// Sends the commit, which goes with what is sent next, or with ``post(isBounded:)``.
    func sendCommit() throws {
        deadlines.leaveTimeForClosing(at: .now)
        // Nothing is sent that could be refused as overdue: that was asked before.
        try sendKept(Self.ending, [], isEnd: true)
    }

    /// Sends what is still to be sent of a transaction that is to be undone, and waits for nothing; ``rollBack()`` takes the answers.
    /// - Returns: whether there are answers to come.
    func postUndone() -> Bool {
        guard !sent.isEmpty else { return false }
        deadlines.leaveTimeForClosing(at: .now)
        return (try? post()) != nil
    }

    /// Waits for the answer to the commit.
    /// - Returns: as ``commit()``.
    func committed() throws -> String {
        defer { deadlines.endTransaction() }
        return try collect().tag
    }

    /// Ends a transaction that only read, without waiting for the answer: there is nothing more to learn of it. It is read
    /// with the next answers.
    func endReading() throws {
        deadlines.endTransaction()
        try sendKept(Self.ending, [], isEnd: true)
        try handle.endBatch(newWait())
        (owed, sent) = (sent, [])
    }

    /// Whether the server has refused a statement of the open transaction, which is to be rolled back. While answers are to come, that is not
    /// known.
    var isFailed: Bool { posted == nil && handle.transactionStatus == PQTRANS_INERROR }

    /// Where it fails, the connection is of no use any more, and the server rolls back by itself.
    func rollBack() {
        // What could not even be sent behind another's commit: there is nothing to undo, and the connection is of no use.
        if leading != nil { return }
        defer { deadlines.endTransaction() }
        deadlines.beginRollback(at: .now)
        // Behind a statement that fails it would be passed over.
        if posted != nil { _ = try? collect() }
        _ = try? settle()
        guard (try? send(SentCommand(text: "ROLLBACK", isEnd: true))) != nil else { return }
        _ = try? answer(isBounded: true)
    }

    /// Whether the open transaction has taken as long as it may.
    var isOverdue: Bool { deadlines.isOverdue(at: .now) }

    var overdue: PostgresFailure {
        PostgresFailure(.giveUp, "PostgreSQL: the transaction took longer than \(settings.transactionTimeout)")
    }
}
