/// How long an answer is waited for.
struct AnswerWait {
    /// When the question was sent.
    let since: ContinuousClock.Instant
    /// Nil for what may take its time.
    let until: ContinuousClock.Instant?
}

/// Until when the answers of one connection are waited for, and its transaction may go on.
///
/// The server's own limits are a little shorter (``PostgresLink/Settings/answerMargin``), so that one that lives ends a statement itself and keeps
/// the connection.
struct AnswerDeadlines {
    private let settings: PostgresLink.Settings
    /// When the transaction that is open has to be over; nil between transactions.
    private var transactionEnd: ContinuousClock.Instant?

    init(_ settings: PostgresLink.Settings) {
        self.settings = settings
    }

    mutating func beginTransaction(at now: ContinuousClock.Instant) {
        transactionEnd = now + settings.transactionTimeout
    }

    /// However late the transaction is, its end has some time left.
    mutating func leaveTimeForClosing(at now: ContinuousClock.Instant) {
        let closing = now + settings.closingTime
        transactionEnd = transactionEnd.map { max($0, closing) }
    }

    /// A transaction that is undone takes no more time than that, however much it had left.
    mutating func beginRollback(at now: ContinuousClock.Instant) {
        transactionEnd = now + settings.closingTime
    }

    mutating func endTransaction() {
        transactionEnd = nil
    }

    /// Whether the open transaction has taken as long as it may.
    func isOverdue(at now: ContinuousClock.Instant) -> Bool { transactionEnd.map { $0 <= now } ?? false }

    /// For the answers of what is sent now: for as long as a statement may take, and the open transaction has left.
    /// - Parameter isBounded: false for what may take its time, such as a migration.
    func wait(since now: ContinuousClock.Instant, isBounded: Bool) -> AnswerWait {
        guard isBounded else { return AnswerWait(since: now, until: nil) }
        let end = now + settings.statementTimeout
        return AnswerWait(since: now, until: min(end, transactionEnd ?? end) + settings.answerMargin)
    }
}
