import CPostgres
import CountersignCore
import Foundation
import StoreSQL

/// One connection to PostgreSQL, by libpq: it is made and used on one thread, which does nothing else.
///
/// Making it blocks for as long as libpq's own `connect_timeout` allows. Everything afterwards is sent, and its answer
/// waited for, with a deadline: a server that is stopped in the middle, or a network that swallows packets, holds the
/// thread for no longer than that (``Silence``). The server's own limits are a little shorter, so that one that lives
/// ends a statement itself and keeps the connection.
final class PostgresLink {
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

    /// An answer that did not come in time. The connection is of no more use: the answer may come later, and be taken for
    /// another's.
    struct Silence: Sendable {
        /// When the question was sent.
        let since: ContinuousClock.Instant
        let reason: String
    }

    private let pointer: OpaquePointer
    private let settings: Settings
    /// The names of what is prepared, by the statements' numbers.
    private var prepared: [String?] = []
    /// When the transaction that is open has to be over; nil between transactions.
    private var transactionEnd: ContinuousClock.Instant?
    private(set) var silence: Silence?
    /// Whether transactions on it may write; as it was when the connection was made.
    private(set) var takesWrites = true
    let madeAt = ContinuousClock.now

    /// - Throws: ``PostgresFailure``. libpq's words name host, port, user and database, never the password.
    init(_ url: DatabaseURL, _ settings: Settings) throws {
        let connection = url.withParameters(connectTimeout: settings.connectTimeout) { PQconnectdbParams($0, $1, 1) }
        guard let connection else { throw PostgresFailure(lost: "no memory for a connection") }
        pointer = connection
        self.settings = settings
        guard PQstatus(connection) == CONNECTION_OK else { throw PostgresFailure(lost: Self.message(of: connection)) }
        // Notices, for instance that a table exists already, would go to standard error.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        guard PQsetnonblocking(connection, 1) == 0 else { throw PostgresFailure(lost: Self.message(of: connection)) }
        try prepareSession()
    }

    deinit {
        // It says good-bye without waiting for anything.
        PQfinish(pointer)
    }

    /// Whether a server is there that would take connections, whatever it thinks of this user and this database. Blocks as
    /// long as connecting does.
    static func isServed(_ url: DatabaseURL, _ settings: Settings) -> Bool {
        url.withParameters(connectTimeout: settings.connectTimeout) { PQpingParams($0, $1, 1) } == PQPING_OK
    }

    /// Whether the connection can be used for another transaction.
    var isUsable: Bool {
        silence == nil && PQstatus(pointer) == CONNECTION_OK && PQtransactionStatus(pointer) == PQTRANS_IDLE
    }

    /// Looks, without waiting, whether the server has hung up. Twice, because the first look may find its last words, and
    /// only the second that nothing follows them.
    func isLost() -> Bool {
        silence != nil || PQconsumeInput(pointer) == 0 || PQconsumeInput(pointer) == 0
            || PQstatus(pointer) != CONNECTION_OK
    }

    // MARK: Transactions

    /// Begins a transaction, and its time.
    func begin(_ command: String) throws {
        transactionEnd = .now + settings.transactionTimeout
        try run(command)
    }

    /// Commits.
    /// - Returns: the command's tag; `ROLLBACK` where the transaction had failed before.
    func commit() throws -> String {
        defer { transactionEnd = nil }
        let closing = ContinuousClock.now + settings.closingTime
        transactionEnd = transactionEnd.map { max($0, closing) }
        return try run("COMMIT")
    }

    /// Where it fails, the connection is of no use any more, and the server rolls back by itself.
    func rollBack() {
        defer { transactionEnd = nil }
        transactionEnd = .now + settings.closingTime
        _ = try? run("ROLLBACK")
    }

    /// Whether the open transaction has taken as long as it may.
    var isOverdue: Bool { transactionEnd.map { $0 <= .now } ?? false }

    var overdue: PostgresFailure {
        PostgresFailure(.giveUp, "PostgreSQL: the transaction took longer than \(settings.transactionTimeout)")
    }

    // MARK: Statements

    /// Runs a command without parameters.
    /// - Parameter isBounded: false for what may take its time, such as a migration.
    /// - Returns: its tag.
    @discardableResult
    func run(_ command: String, isBounded: Bool = true) throws -> String {
        try answered(in: command, isBounded: isBounded) { PQsendQuery(pointer, command) }.tag
    }

    /// Runs a statement. One that is kept is prepared the first time that this connection sees it.
    func run(_ statement: SQLStatement, _ parameters: [SQLValue], isBounded: Bool = true) throws -> PostgresResult {
        if isOverdue { throw overdue }
        let name = try statement.number.map { try nameOfPrepared(statement, $0, isBounded: isBounded) }
        return try answered(in: statement.text, isBounded: isBounded) {
            BinaryParameters(parameters).withPointers { count, values, lengths, formats in
                if let name {
                    PQsendQueryPrepared(pointer, name, count, values, lengths, formats, 1)
                } else {
                    PQsendQueryParams(pointer, statement.text, count, nil, values, lengths, formats, 1)
                }
            }
        }
    }

    /// Runs a statement that is not kept.
    func run(_ text: String, _ parameters: [SQLValue]) throws -> PostgresResult {
        try run(.once(text), parameters)
    }

    private func nameOfPrepared(_ statement: SQLStatement, _ number: Int, isBounded: Bool) throws -> String {
        if number < prepared.count, let name = prepared[number] { return name }
        let name = "countersign_\(number)"
        // The server finds the types of parameters by itself.
        _ = try answered(in: statement.text, isBounded: isBounded) {
            PQsendPrepare(pointer, name, statement.text, 0, nil)
        }
        if number >= prepared.count {
            prepared += Array(repeating: nil, count: number + 1 - prepared.count)
        }
        prepared[number] = name
        return name
    }

    private func prepareSession() throws {
        guard let encoding = PQparameterStatus(pointer, "server_encoding"), String(cString: encoding) == "UTF8" else {
            throw PostgresFailure(.giveUp, "PostgreSQL: the database has to have the encoding UTF8")
        }
        // Durable when `write` returns, also where the server's default is to be faster than that. A server that waits
        // for replicas goes on doing so. And indices, not whole tables, even small ones: to a serializable transaction,
        // reading a whole table conflicts with every writer to it.
        try run(
            """
            SET statement_timeout = \(settings.statementTimeout.milliseconds);
            SET idle_in_transaction_session_timeout = \(settings.idleTimeout.milliseconds);
            SET enable_seqscan = off;
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
            """)
        let isReadOnly = "SELECT current_setting('transaction_read_only')::boolean"
        takesWrites = try run(isReadOnly, []).firstValue != .integer(1)
    }

    // MARK: Waiting

    /// Sends something and waits for the whole answer: the last result, as `PQexec` has it.
    private func answered(in statement: String, isBounded: Bool, _ send: () -> CInt) throws -> PostgresResult {
        if let silence { throw PostgresFailure(.silence, silence.reason) }
        let begin = ContinuousClock.now
        let end = begin + settings.statementTimeout
        let deadline = isBounded ? min(end, transactionEnd ?? end) + settings.answerMargin : nil
        guard send() == 1 else { throw PostgresFailure(lost: Self.message(of: pointer)) }
        // What the server sends meanwhile is read, so that neither waits for the other.
        while PQflush(pointer) == 1 {
            try wait(for: POLLIN | POLLOUT, since: begin, until: deadline)
            if PQconsumeInput(pointer) == 0 { break }
        }
        var last: PostgresResult?
        while true {
            // What ends here ends the connection, and the result says how.
            while PQisBusy(pointer) == 1 {
                try wait(for: POLLIN, since: begin, until: deadline)
                if PQconsumeInput(pointer) == 0 { break }
            }
            guard let result = PostgresResult(PQgetResult(pointer)) else { break }
            last = result
        }
        return try checked(last, in: statement)
    }

    /// Waits until the socket is ready, for a quarter of a second at most: what TLS has read ahead shows on no socket.
    private func wait(
        for events: Int32, since begin: ContinuousClock.Instant, until deadline: ContinuousClock.Instant?
    ) throws {
        let slice = Duration.milliseconds(250)
        let left = deadline.map { ContinuousClock.now.duration(to: $0) } ?? slice
        guard left > .zero else {
            let seconds = (begin.duration(to: .now) / .milliseconds(100)).rounded() / 10
            let reason = "PostgreSQL: no answer for \(seconds) s"
            silence = Silence(since: begin, reason: reason)
            throw PostgresFailure(.silence, reason)
        }
        // Where there is no socket any more, the next call of libpq says why.
        let socket = PQsocket(pointer)
        guard socket >= 0 else { return }
        var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
        // Rounded up, so that the last wait does not end just before the deadline again and again.
        _ = poll(&descriptor, 1, CInt(min(left, slice).milliseconds + 1))
    }

    private func checked(_ result: PostgresResult?, in statement: String) throws -> PostgresResult {
        guard let result else { throw PostgresFailure(lost: Self.message(of: pointer)) }
        guard let failure = result.failure(in: statement) else { return result }
        // Whatever the server said last, a lost connection is lost.
        guard PQstatus(pointer) == CONNECTION_OK else { throw PostgresFailure(.reconnect, failure.description) }
        throw failure
    }

    private static func message(of connection: OpaquePointer) -> String {
        PQerrorMessage(connection).map { String(cString: $0) } ?? "no message"
    }
}

extension DatabaseURL {
    /// Calls the body with what libpq's functions take: names and values, each ended by a null pointer.
    fileprivate func withParameters<T>(
        connectTimeout: Duration,
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> T
    ) -> T {
        let parameters = parameters(
            connectTimeout: connectTimeout, environment: ProcessInfo.processInfo.environment)
        let names = parameters.map { strdup($0.name) }
        let values = parameters.map { strdup($0.value) }
        defer { for copy in names + values { free(copy) } }
        return body(names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
    }
}

extension Duration {
    /// Whole milliseconds, for settings of the server.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
