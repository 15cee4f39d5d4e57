import CPostgres
import StoreSQL

/// The pipeline: commands are sent one after the other, then a mark behind them (``post(isBounded:)``), and the answers up to the mark are taken
/// together (``collect()``). Answers that are not waited for are owed: they come before those of the next.
extension PostgresLink {
    /// Most that is sent before the answers are waited for.
    static let mostSent = 256

    func send(_ command: SentCommand) throws {
        try send(command) { PQsendQueryParams(handle.pointer, command.text, 0, nil, nil, nil, nil, 1) }
    }

    func send(_ command: SentCommand, _ send: () -> CInt) throws {
        try handle.refuseIfSilent()
        try flushLeading(before: command)
        guard send() == 1 else { throw handle.loss }
        sent.append(command)
        if command.prepares == nil { counts.statements += 1 }
        if command.isBegin || command.isEnd { counts.transactionCommands += 1 }
    }

    /// Whether anything was sent that is taken to change a row, and may not have done so.
    var foresees: Bool { sent.contains { $0.isForeseen } }

    /// Waits for the answers of what was sent, if anything was.
    func settle() throws {
        if !sent.isEmpty { _ = try answer(isBounded: true) }
    }

    /// Waits for the answers of all that was sent.
    /// - Returns: the last command's.
    /// - Throws: the first failure. The server passes over what follows one, and so does this.
    func answer(isBounded: Bool) throws -> PostgresResult {
        try post(isBounded: isBounded)
        return try collect()
    }

    /// Sends all that is still to be sent, with the mark that has it answered, and waits for no answer: for ``collect()`` to take.
    func post(isBounded: Bool = true) throws {
        // What is answered, in the memory of what was answered before.
        var commands = spare
        spare = []
        swap(&commands, &sent)
        let wait = leading?.wait(since: .now) ?? newWait(isBounded: isBounded)
        try handle.refuseIfSilent()
        counts.roundTrips += 1
        try handle.endBatch(wait)
        posted = SentBatch(commands: commands, wait: wait)
    }

    /// Where to wait for the answer of what was posted, and until when. Negative where there is no socket any more: then there is nothing to
    /// wait for.
    var awaited: (socket: CInt, deadline: ContinuousClock.Instant?) { (handle.socket, posted?.wait.until) }

    /// Whether ``collect()`` would find all the answers, or the end of the connection, or no time left: so that it waits for nothing. Where one
    /// leads, whether ``leadingCommitted()`` would.
    ///
    /// One answer is not all of them: where they fill the server's buffer, it sends what it has, and may wait for a row then.
    func isAnswered(at now: ContinuousClock.Instant) -> Bool {
        guard let posted else { return true }
        // Read with those of the one in front.
        if posted.answers.areWhole { return true }
        if !handle.readInput() || posted.wait.until.map({ $0 <= now }) ?? false { return true }
        // What is owed comes before.
        guard owed.isEmpty else { return !handle.isBusy }
        var answers = posted.answers
        while !answers.areWhole, !handle.isBusy {
            answers.take(handle.takeResult(), isConnected: handle.isConnected)
        }
        self.posted?.answers = answers
        return answers.areWhole || leading.map { $0.commands.count <= answers.results.count } ?? false
    }

    /// Waits for the answers of what was posted, and notes those that were asked ahead.
    /// - Returns: the last command's.
    /// - Throws: the first failure. The server passes over what follows one, and so does this.
    @discardableResult
    func collect() throws -> PostgresResult {
        guard var posted else { throw PostgresFailure(lost: "nothing was asked") }
        self.posted = nil
        var commands: [SentCommand] = []
        swap(&commands, &posted.commands)
        defer {
            commands.removeAll(keepingCapacity: true)
            spare = commands
        }
        try readOwed(posted.wait)
        let results = try results(of: commands.count, after: posted.answers, posted.wait)
        return try outcome(of: commands, results) { history.note($0, to: $1) }
    }

    /// The last command's result.
    /// - Parameter note: what is done with the answer to a question.
    /// - Throws: the first failure.
    func outcome(
        of commands: [SentCommand], _ results: [PostgresResult], note: (PostgresResult, _ question: Int) -> Void
    ) throws -> PostgresResult {
        var failure: (any Error)?
        var last: PostgresResult?
        for (place, (command, result)) in zip(commands, results).enumerated() {
            do {
                if failure == nil { last = try checked(result, of: command) }
            } catch var lost as PostgresFailure where lost.consequence == .runAgain {
                lost.row = ContestedRow(key: command.key)
                failure = lost
            } catch var lost as PostgresFailure where lost.consequence == .reconnect {
                // What the server says in place of an answer is said before anything that was sent behind is begun.
                lost.isBeforeLast = result.isRefusal && place < commands.count - 1
                failure = lost
            } catch let error {
                failure = error
            }
            if failure == nil, let question = command.asks { note(result, question) }
            // What failed or was passed over is not prepared.
            if let prepares = command.prepares, result.failure(in: nil) != nil { prepared[prepares] = nil }
        }
        if let failure { throw failure }
        guard let last, results.count == commands.count else { throw handle.loss }
        return last
    }

    /// Reads the answers that were not waited for.
    func readOwed(_ wait: AnswerWait) throws {
        if owed.isEmpty { return }
        let commands = owed
        owed = []
        let results = try results(of: commands.count, wait)
        // A transaction that did not end is none that another can begin after.
        guard results.count == commands.count, results.allSatisfy({ $0.failure(in: nil) == nil }) else {
            throw PostgresFailure(lost: "the end of a transaction was not answered")
        }
    }

    /// For the answers of what is sent now.
    func newWait(isBounded: Bool = true) -> AnswerWait { deadlines.wait(since: .now, isBounded: isBounded) }

    /// All answers up to the mark.
    /// - Parameter arrived: those that were taken before.
    func results(
        of count: Int, after arrived: BatchAnswers = BatchAnswers(), _ wait: AnswerWait
    ) throws -> [PostgresResult] {
        var answers = arrived
        answers.reserveCapacity(count)
        while !answers.areWhole {
            answers.take(try handle.nextResult(wait), isConnected: handle.isConnected)
        }
        return answers.results
    }

    private func checked(_ result: PostgresResult, of command: SentCommand) throws -> PostgresResult {
        do {
            let result = try checked(result, in: command.text)
            // One with a check of its own gives no count.
            if command.isForeseen, !command.isChecked, result.changedRows == 0 { throw PostgresFailure.unforeseen }
            return result
        } catch let failure as PostgresFailure where command.isChecked && failure.state == Self.nothingChanged {
            throw PostgresFailure.unforeseen
        } catch let failure as PostgresFailure where command.isBegin && failure.state == "0A000" {
            // A standby has no serializable transactions.
            throw PostgresFailure(.readOnly, failure.description)
        } catch let failure as PostgresFailure where command.isBegin && failure.state == Self.lockNotAvailable {
            // One that waits for no lock as it begins has to be run in a way that does.
            guard command.text == TransactionMode.withoutWaitingForOthers.text else { throw failure }
            throw PostgresFailure.unforeseen
        }
    }

    func checked(_ result: PostgresResult?, in statement: String) throws -> PostgresResult {
        guard let result else { throw handle.loss }
        guard let failure = result.failure(in: statement) else { return result }
        // Whatever the server said last, a lost connection is lost.
        guard handle.isConnected else { throw PostgresFailure(.reconnect, failure.description) }
        throw failure
    }
}
