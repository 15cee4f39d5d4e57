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

    // What the files `PostgresLink+….swift` share. No other touches it, but to read the history.
    let handle: LibpqHandle
    let settings: Settings
    var prepared = PreparedNames()
    /// What the open transaction has asked ahead and changed.
    var history = TransactionHistory()
    /// Where parameters are put together, and the commands of the answers before: kept for their memory alone.
    var parameterBytes: [UInt8] = []
    var spare: [SentCommand] = []
    /// What was handed to libpq since the last answer, in order. libpq keeps small messages until they are waited for.
    var sent: [SentCommand] = []
    var posted: SentBatch?
    /// The transaction that ends in front of the one at hand (`PostgresLink+Following.swift`).
    var leading: LeadingTransaction?
    /// How the connection was lost where that leaves unknown whether what was sent behind a commit was done: that one may have been.
    var lostBehind: PostgresFailure?
    /// Commands that were sent with a mark behind them, and whose answers are waited for with the next ones.
    var owed: [SentCommand] = []
    var counts = Counts()
    var deadlines: AnswerDeadlines
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
        silence == nil && posted == nil && leading == nil && handle.isConnected
            && (!owed.isEmpty || handle.transactionStatus == PQTRANS_IDLE)
    }

    /// Whether the server is there, as far as is known, whatever it is doing.
    var isAlive: Bool { silence == nil && handle.isConnected }

    /// Looks, without waiting, whether the server has hung up.
    func isLost() -> Bool { handle.isLost() }

    func takeCounts() -> Counts {
        defer { counts = Counts() }
        return counts
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
}

extension Duration {
    /// Whole milliseconds, for settings of the server.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
