import CPostgres
import Foundation

/// libpq's connection, and the waiting at its socket. What is sent on it, and what the answers mean, is for ``PostgresLink``.
///
/// Making it blocks for as long as libpq's own `connect_timeout` allows. Everything afterwards waits with a deadline: a server that is stopped in
/// the middle, or a network that swallows packets, holds the thread for no longer than that (``Silence``).
final class LibpqHandle {
    /// An answer that did not come in time. The connection is of no more use: the answer may come later, and be taken for
    /// another's.
    struct Silence: Sendable {
        /// When the question was sent.
        let since: ContinuousClock.Instant
        let reason: String
    }

    let pointer: OpaquePointer
    private(set) var silence: Silence?

    /// - Throws: ``PostgresFailure``. libpq's words name host, port, user and database, never the password.
    init(_ url: DatabaseURL, connectTimeout: Duration) throws {
        let connection = url.withParameters(connectTimeout: connectTimeout) { PQconnectdbParams($0, $1, 1) }
        guard let connection else { throw PostgresFailure(lost: "no memory for a connection") }
        pointer = connection
        guard isConnected else { throw loss }
        // Notices, for instance that a table exists already, would go to standard error.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        guard PQsetnonblocking(connection, 1) == 0 else { throw loss }
    }

    deinit {
        // It says good-bye without waiting for anything.
        PQfinish(pointer)
    }

    /// Whether a server is there that would take connections, whatever it thinks of this user and this database. Blocks as
    /// long as connecting does.
    static func isServed(_ url: DatabaseURL, connectTimeout: Duration) -> Bool {
        url.withParameters(connectTimeout: connectTimeout) { PQpingParams($0, $1, 1) } == PQPING_OK
    }

    /// As far as libpq knows by now.
    var isConnected: Bool { PQstatus(pointer) == CONNECTION_OK }

    /// What is open on the server, as far as it has answered.
    var transactionStatus: PGTransactionStatusType { PQtransactionStatus(pointer) }

    /// Negative where there is none any more.
    var socket: CInt { PQsocket(pointer) }

    /// Looks, without waiting, whether the server has hung up. Twice, because the first look may find its last words, and
    /// only the second that nothing follows them.
    func isLost() -> Bool {
        if silence != nil || !isConnected { return true }
        // Who hangs up is heard of at the socket: where that has nothing to say, libpq need not look.
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        if poll(&descriptor, 1, 0) == 0 { return false }
        return !readInput() || !readInput() || !isConnected
    }

    /// The failure of what libpq refused last: the connection is lost.
    var loss: PostgresFailure {
        PostgresFailure(lost: PQerrorMessage(pointer).map { String(cString: $0) } ?? "no message")
    }

    /// Before anything is sent.
    func refuseIfSilent() throws {
        if let silence { throw PostgresFailure(.silence, silence.reason) }
    }

    // MARK: Sending

    /// Sends the mark that has all answered that was sent before it, and with it what libpq has kept.
    func endBatch(_ wait: AnswerWait) throws {
        guard PQpipelineSync(pointer) == 1 else { throw loss }
        try flush(wait)
    }

    /// Sends what libpq has kept.
    func flush(_ wait: AnswerWait) throws {
        // What the server sends meanwhile is read, so that neither waits for the other.
        while PQflush(pointer) == 1 {
            try waitForSocket(POLLIN | POLLOUT, wait)
            if !readInput() { break }
        }
    }

    // MARK: Waiting

    /// Takes what has come, without waiting.
    /// - Returns: false where the connection ended.
    func readInput() -> Bool { PQconsumeInput(pointer) != 0 }

    /// Whether ``takeResult()`` would block.
    var isBusy: Bool { PQisBusy(pointer) == 1 }

    /// One result of the command at hand, which is there; nil at the end of its results.
    func takeResult() -> PostgresResult? { PostgresResult(PQgetResult(pointer)) }

    /// One result of the command at hand; nil at the end of its results.
    func nextResult(_ wait: AnswerWait) throws -> PostgresResult? {
        // What ends here ends the connection, and the result says how.
        while isBusy {
            try waitForSocket(POLLIN, wait)
            if !readInput() { break }
        }
        return takeResult()
    }

    /// Milliseconds for `poll` where so much time is left: a quarter of a second at most, as what TLS has read ahead shows on no socket.
    static func pollTime(_ left: Duration) -> CInt {
        // Rounded up, so that the last wait does not end just before the deadline again and again.
        CInt(min(max(.zero, left), longestPoll).milliseconds + 1)
    }

    static let longestPoll = Duration.milliseconds(250)

    /// Waits until the socket is ready, for as long as one `poll` may take.
    private func waitForSocket(_ events: Int32, _ wait: AnswerWait) throws {
        let left = wait.until.map { ContinuousClock.now.duration(to: $0) } ?? Self.longestPoll
        guard left > .zero else {
            let seconds = (wait.since.duration(to: .now) / .milliseconds(100)).rounded() / 10
            let reason = "PostgreSQL: no answer for \(seconds) s"
            silence = Silence(since: wait.since, reason: reason)
            throw PostgresFailure(.silence, reason)
        }
        // Where there is no socket any more, the next call of libpq says why.
        guard socket >= 0 else { return }
        var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
        _ = poll(&descriptor, 1, Self.pollTime(left))
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
