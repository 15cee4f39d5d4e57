import CPostgres
import CountersignCore
import Foundation
import StoreSQL

/// One connection to PostgreSQL, by libpq: it is used on one thread, which does nothing else.
///
/// Commands are sent without waiting for the answers of those before, and their answers waited for together, each time with a deadline
/// (``LibpqHandle``, ``AnswerDeadlines``).
final class PostgresLink: @unchecked Sendable {
    /// What is said to the server when the connection is new, and how long its answers are waited for.
    struct Settings: Sendable {
        var connectTimeout: Duration
        var statementTimeout: Duration
        var transactionTimeout: Duration
        var idleTimeout: Duration
        /// How much longer than the server's own limit an answer is waited for.
        var answerMargin = Duration.milliseconds(500)

        /// What a transaction has left for its `COMMIT` or `ROLLBACK`, however late it is.
        var closingTime: Duration { min(statementTimeout, .seconds(1)) }
    }

    /// What was done on the connection since that was asked last.
    struct Counts {
        /// Times that answers were waited for.
        var roundTrips = 0
        /// Commands that were sent.
        var statements = 0
        /// Those of them that begin and end transactions.
        var transactionCommands = 0
    }

    private let handle: LibpqHandle
    private let settings: Settings
    private var prepared = PreparedNames()
    /// What the open transaction has asked ahead and changed.
    private(set) var history = TransactionHistory()
    /// Where parameters are put together, and the commands of the answers before: kept for their memory alone.
    private var parameterBytes: [UInt8] = []
    private var spare: [SentCommand] = []
    /// What was handed to libpq since the last answer, in order. libpq keeps small messages until they are waited for.
    private var sent: [SentCommand] = []
    private var posted: SentBatch?
    /// Commands that were sent with a mark behind them, and whose answers are waited for with the next ones.
    private var owed: [SentCommand] = []
    private var counts = Counts()
    /// Most that is sent before the answers are waited for.
    private static let mostSent = 256
    private var deadlines: AnswerDeadlines
    /// Whether transactions on it may write; as it was when the connection was made.
    private(set) var takesWrites = true
    let madeAt = ContinuousClock.now

    /// - Throws: ``PostgresFailure``. libpq's words name host, port, user and database, never the password.
    init(_ url: DatabaseURL, _ settings: Settings) throws {
        handle = try LibpqHandle(url, connectTimeout: settings.connectTimeout)
        self.settings = settings
        deadlines = AnswerDeadlines(settings)
        try prepareSession()
        _ = takeCounts()
    }

    /// From here on commands are sent without waiting for the answers of those before (libpq's pipeline mode).
    private func enterPipeline() throws {
        guard PQenterPipelineMode(handle.pointer) == 1 else { throw handle.loss }
    }

    /// Whether a server is there that would take connections, whatever it thinks of this user and this database. Blocks as
    /// long as connecting does.
    static func isServed(_ url: DatabaseURL, _ settings: Settings) -> Bool {
        LibpqHandle.isServed(url, connectTimeout: settings.connectTimeout)
    }

    var silence: LibpqHandle.Silence? { handle.silence }

    /// Whether the connection can be used for another transaction.
    var isUsable: Bool {
        silence == nil && posted == nil && handle.isConnected
            && (!owed.isEmpty || handle.transactionStatus == PQTRANS_IDLE)
    }

    /// Looks, without waiting, whether the server has hung up.
    func isLost() -> Bool { handle.isLost() }

    // MARK: Transactions

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
        try postCommit()
        return try committed()
    }

    /// Sends the commit, and waits for nothing.
    func postCommit() throws {
        deadlines.leaveTimeForClosing(at: .now)
        // Nothing is sent that could be refused as overdue: that was asked before.
        try sendKept(Self.ending, [], isEnd: true)
        try post()
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

    /// Whether the server has refused a statement of the open transaction, which is to be rolled back.
    var isFailed: Bool { handle.transactionStatus == PQTRANS_INERROR }

    /// Where it fails, the connection is of no use any more, and the server rolls back by itself.
    func rollBack() {
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

    // MARK: Statements

    /// Runs a command without parameters.
    /// - Parameter isBounded: false for what may take its time, such as a migration.
    /// - Returns: its tag.
    @discardableResult
    func run(_ command: String, isBounded: Bool = true) throws -> String {
        try send(SentCommand(text: command))
        return try answer(isBounded: isBounded).tag
    }

    /// Runs a statement and waits for its answer.
    func run(_ statement: SQLStatement, _ parameters: [SQLValue], isBounded: Bool = true) throws -> PostgresResult {
        try send(statement, parameters, isForeseen: false)
        return try answer(isBounded: isBounded)
    }

    /// Runs a statement that is not kept.
    func run(_ text: String, _ parameters: [SQLValue]) throws -> PostgresResult {
        try run(.once(text), parameters)
    }

    /// Sends a statement without waiting. One that is kept is prepared the first time that this connection sees it.
    /// - Parameters:
    ///   - isForeseen: whether it is taken to change a row, which is found out with the next answer.
    ///   - isChecked: whether the server itself fails where a statement that is foreseen changes none, and with it all that
    ///     was sent behind it: so that the commit may be.
    func send(
        _ statement: SQLStatement, _ parameters: [SQLValue], isForeseen: Bool, isChecked: Bool = false,
        isBegin: Bool = false
    ) throws {
        if isOverdue { throw overdue }
        if sent.count >= Self.mostSent { try settle() }
        try sendKept(
            statement, parameters, isForeseen: isForeseen, isChecked: isForeseen && isChecked, isBegin: isBegin)
    }

    private func sendKept(
        _ statement: SQLStatement, _ parameters: [SQLValue], isForeseen: Bool = false, isChecked: Bool = false,
        isBegin: Bool = false, isEnd: Bool = false, asks: Int? = nil
    ) throws {
        let name = try statement.number.map { try nameOfPrepared(statement, $0, isChecked: isChecked) }
        let command = SentCommand(
            text: statement.text, key: parameters.first, isForeseen: isForeseen, isChecked: isChecked,
            isBegin: isBegin, isEnd: isEnd, asks: asks)
        try send(command) {
            BinaryParameters.withPointers(to: parameters, in: &parameterBytes) { count, values, lengths, formats in
                if let name {
                    PQsendQueryPrepared(handle.pointer, name, count, values, lengths, formats, 1)
                } else {
                    PQsendQueryParams(
                        handle.pointer, isChecked ? Self.withCheck(statement.text) : statement.text, count, nil, values,
                        lengths, formats, 1)
                }
            }
        }
    }

    /// The change, and a failure where it changed nothing. It gives no row and no column.
    static func withCheck(_ change: String) -> String {
        "WITH changed AS (\(change) RETURNING 1) SELECT FROM changed HAVING 1 / count(*) < 0"
    }

    /// What ``withCheck(_:)`` fails with: a division by zero.
    private static let nothingChanged = "22012"

    // MARK: Asking ahead

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
        try sendAsked(statement, parameters)
        noteChange(statement, parameters)
    }

    /// Waits for the answers of what was sent, if anything was.
    func settle() throws {
        if !sent.isEmpty { _ = try answer(isBounded: true) }
    }

    func takeCounts() -> Counts {
        defer { counts = Counts() }
        return counts
    }

    /// Whether anything was sent that is taken to change a row, and may not have done so.
    var foresees: Bool { sent.contains { $0.isForeseen } }

    private func nameOfPrepared(_ statement: SQLStatement, _ number: Int, isChecked: Bool) throws -> String {
        let preparation = PreparedStatement(number: number, isChecked: isChecked)
        if let name = prepared[preparation] { return name }
        let name = preparation.name
        let text = isChecked ? Self.withCheck(statement.text) : statement.text
        // The server finds the types of parameters by itself.
        try send(SentCommand(text: statement.text, prepares: preparation)) {
            PQsendPrepare(handle.pointer, name, text, 0, nil)
        }
        prepared[preparation] = name
        return name
    }

    private func send(_ command: SentCommand) throws {
        try send(command) { PQsendQueryParams(handle.pointer, command.text, 0, nil, nil, nil, nil, 1) }
    }

    private func send(_ command: SentCommand, _ send: () -> CInt) throws {
        try handle.refuseIfSilent()
        guard send() == 1 else { throw handle.loss }
        sent.append(command)
        if command.prepares == nil { counts.statements += 1 }
        if command.isBegin || command.isEnd { counts.transactionCommands += 1 }
    }

    private func prepareSession() throws {
        guard let encoding = PQparameterStatus(handle.pointer, "server_encoding"), String(cString: encoding) == "UTF8"
        else {
            throw PostgresFailure(.giveUp, "PostgreSQL: the database has to have the encoding UTF8")
        }
        // Durable when `write` returns, also where the server's default is to be faster than that. A server that waits
        // for replicas goes on doing so. And indices, not whole tables, even small ones: to a serializable transaction,
        // reading a whole table conflicts with every writer to it.
        let session = """
            SET statement_timeout = \(settings.statementTimeout.milliseconds);
            SET idle_in_transaction_session_timeout = \(settings.idleTimeout.milliseconds);
            SET enable_seqscan = off;
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
            """
        // Several commands in one are not for a pipeline.
        let wait = newWait()
        guard PQsendQuery(handle.pointer, session) == 1 else { throw handle.loss }
        try handle.flush(wait)
        var last: PostgresResult?
        while let result = try handle.nextResult(wait) { last = result }
        _ = try checked(last, in: session)
        try enterPipeline()
        let isReadOnly = "SELECT current_setting('transaction_read_only')::boolean"
        takesWrites = try run(isReadOnly, []).firstValue != .integer(1)
    }

    // MARK: Waiting

    /// Waits for the answers of all that was sent.
    /// - Returns: the last command's.
    /// - Throws: the first failure. The server passes over what follows one, and so does this.
    private func answer(isBounded: Bool) throws -> PostgresResult {
        try post(isBounded: isBounded)
        return try collect()
    }

    /// Sends all that is still to be sent, with the mark that has it answered, and waits for no answer: for ``collect()`` to take.
    func post(isBounded: Bool = true) throws {
        // What is answered, in the memory of what was answered before.
        var commands = spare
        spare = []
        swap(&commands, &sent)
        let wait = newWait(isBounded: isBounded)
        try handle.refuseIfSilent()
        counts.roundTrips += 1
        try handle.endBatch(wait)
        posted = SentBatch(commands: commands, wait: wait)
    }

    /// Where to wait for the answer of what was posted, and until when. Negative where there is no socket any more: then there is nothing to
    /// wait for.
    var awaited: (socket: CInt, deadline: ContinuousClock.Instant?) { (handle.socket, posted?.wait.until) }

    /// Whether ``collect()`` would find all the answers, or the end of the connection, or no time left: so that it waits for nothing.
    ///
    /// One answer is not all of them: where they fill the server's buffer, it sends what it has, and may wait for a row then.
    func isAnswered(at now: ContinuousClock.Instant) -> Bool {
        guard let posted else { return true }
        if !handle.readInput() || posted.wait.until.map({ $0 <= now }) ?? false { return true }
        // What is owed comes before.
        guard owed.isEmpty else { return !handle.isBusy }
        var answers = posted.answers
        while !answers.areWhole, !handle.isBusy {
            answers.take(handle.takeResult(), isConnected: handle.isConnected)
        }
        self.posted?.answers = answers
        return answers.areWhole
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
            if failure == nil, let question = command.asks { history.note(result, to: question) }
            // What failed or was passed over is not prepared.
            if let prepares = command.prepares, result.failure(in: nil) != nil { prepared[prepares] = nil }
        }
        if let failure { throw failure }
        guard let last, results.count == commands.count else { throw handle.loss }
        return last
    }

    /// Reads the answers that were not waited for.
    private func readOwed(_ wait: AnswerWait) throws {
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
    private func newWait(isBounded: Bool = true) -> AnswerWait { deadlines.wait(since: .now, isBounded: isBounded) }

    /// All answers up to the mark.
    /// - Parameter arrived: those that were taken before.
    private func results(
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
        }
    }

    private func checked(_ result: PostgresResult?, in statement: String) throws -> PostgresResult {
        guard let result else { throw handle.loss }
        guard let failure = result.failure(in: statement) else { return result }
        // Whatever the server said last, a lost connection is lost.
        guard handle.isConnected else { throw PostgresFailure(.reconnect, failure.description) }
        throw failure
    }
}

extension Duration {
    /// Whole milliseconds, for settings of the server.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
