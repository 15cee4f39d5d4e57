import CPostgres

/// What was sent of a transaction up to its commit, before another was begun behind it.
struct LeadingTransaction {
    fileprivate(set) var commands: [SentCommand]
    /// Its time, which is that of the whole answer until its own is there.
    let deadlines: AnswerDeadlines
    /// Whether the server was told to answer without waiting for more.
    fileprivate var isFlushed = false

    /// For its answer, where it is sent now: what goes along may have taken its time.
    func wait(since now: ContinuousClock.Instant) -> AnswerWait {
        var deadlines = deadlines
        deadlines.leaveTimeForClosing(at: now)
        return deadlines.wait(since: now, isBounded: true)
    }
}

/// A transaction that begins with the commit of the one before it (`docs/decisions/0580`): both are sent at once, and one answer is waited for in
/// place of two.
///
/// The commit is done before the next transaction begins, and does not depend on it. Where it fails, the server passes over what was sent behind
/// it, of which nothing is done then.
extension PostgresLink {
    /// What is sent from here on is another transaction's, which begins behind the commit that was sent last.
    func beginFollowing() {
        leading = LeadingTransaction(commands: sent, deadlines: deadlines)
        sent = spare
        spare = []
    }

    /// Whether answers are to come.
    var isAwaited: Bool { posted != nil }

    /// Waits for the answer to the commit in front.
    /// - Returns: the command's tag; `ROLLBACK` where the transaction had failed before.
    /// - Throws: as ``collect()``. Then nothing of what was sent behind is to be answered, and nothing done, but for ``lostBehind``.
    func leadingCommitted() throws -> String {
        guard var leading else { throw PostgresFailure(lost: "nothing was asked") }
        self.leading = nil
        guard var batch = posted else { throw PostgresFailure(lost: "the commit was not sent") }
        posted = nil
        do {
            try readOwed(batch.wait)
            let count = leading.commands.count
            while !batch.answers.areWhole, batch.answers.results.count < count {
                batch.answers.take(try handle.nextResult(batch.wait), isConnected: handle.isConnected)
            }
            let last = try outcome(of: leading.commands, batch.answers.removeFirst(count)) { _, _ in }
            // To the server it begins when the one in front is over.
            deadlines.beginTransaction(at: .now)
            batch.wait = newWait()
            posted = batch
            // The memory itself, not a copy of it.
            swap(&spare, &leading.commands)
            spare.removeAll(keepingCapacity: true)
            return last.tag
        } catch {
            // Up to the mark, so that the next answer is of what is sent next.
            _ = try? results(of: batch.commands.count, after: batch.answers, batch.wait)
            for command in batch.commands { command.prepares.map { prepared[$0] = nil } }
            if let failure = error as? PostgresFailure, failure.leavesUnknown { lostBehind = failure }
            throw error
        }
    }

    /// Has the server answer the commit in front before it begins what may wait for rows that others have locked: by itself it answers when it
    /// comes to the mark.
    func flushLeading(before command: SentCommand) throws {
        guard leading?.isFlushed == false, !command.isBegin, command.asks == nil, command.prepares == nil else {
            return
        }
        leading?.isFlushed = true
        guard PQsendFlushRequest(handle.pointer) == 1 else { throw handle.loss }
    }
}
