import StoreSQL

/// Queries that are sent before they are asked, and changes that a body may repeat (``TransactionHistory``).
extension PostgresLink {
    /// Sends a query whose answer the transaction is going to want; it comes with the next answers.
    func ask(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        // A body that is run again says again what it is going to ask for.
        guard sent.count < Self.mostSent, history.question(statement, parameters, after: history.changes) == nil else {
            return
        }
        try sendAsked(statement, parameters)
    }

    private func sendAsked(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        let question = history.ask(statement, parameters)
        try sendKept(statement, parameters, asks: question)
    }

    /// The answer to a query that was asked ahead; nil where it was not, or something was changed since.
    func answered(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> PostgresResult? {
        guard let question = history.question(statement, parameters, after: history.changes) else { return nil }
        if history.answer(to: question) == nil {
            if isOverdue { throw overdue }
            try settle()
        }
        return history.answer(to: question)
    }

    /// Counts a change: whatever was asked ahead may be of what was before.
    func passAsked() {
        history.countChange()
    }

    /// Notes a change that is about to be sent, for a body that may be run again.
    func noteChange(_ statement: SQLStatement, _ parameters: [SQLValue]) {
        history.noteChange(statement, parameters)
    }

    /// Sends a change of which the body wants to know how many rows it is about.
    func askChange(_ statement: SQLStatement, _ parameters: [SQLValue]) throws {
        try flushLeading(before: SentCommand(text: statement.text))
        try sendAsked(statement, parameters)
        noteChange(statement, parameters)
    }
}
