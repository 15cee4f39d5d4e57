import CPostgres
import CountersignCore
import Foundation
import StoreSQL

/// One connection to PostgreSQL, by libpq, whose functions block: it is made and used on one thread, which does nothing
/// else.
final class PostgresLink {
    /// What is said to the server when the connection is new.
    struct Settings: Sendable {
        var connectTimeout: Duration
        var statementTimeout: Duration
        var idleTimeout: Duration
        var preparedStatements = 256
    }

    private let pointer: OpaquePointer
    private var statements: StatementCache

    /// - Throws: ``PostgresFailure``. libpq's words name host, port, user and database, never the password.
    init(_ url: DatabaseURL, _ settings: Settings) throws {
        let parameters = url.parameters(
            connectTimeout: settings.connectTimeout, environment: ProcessInfo.processInfo.environment)
        let names = parameters.map { strdup($0.name) }
        let values = parameters.map { strdup($0.value) }
        defer { for copy in names + values { free(copy) } }
        let connection = PQconnectdbParams(
            names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
        guard let connection else { throw PostgresFailure(lost: "no memory for a connection") }
        pointer = connection
        statements = StatementCache(capacity: settings.preparedStatements)
        guard PQstatus(connection) == CONNECTION_OK else { throw PostgresFailure(lost: Self.message(of: connection)) }
        // Notices, for instance that a table exists already, would go to standard error.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        try prepareSession(settings)
    }

    deinit {
        PQfinish(pointer)
    }

    /// Whether the connection can be used for another transaction.
    var isUsable: Bool { PQstatus(pointer) == CONNECTION_OK && PQtransactionStatus(pointer) == PQTRANS_IDLE }

    /// Looks, without waiting, whether the server has hung up. Twice, because the first look may find its last words, and
    /// only the second that nothing follows them.
    func isLost() -> Bool {
        PQconsumeInput(pointer) == 0 || PQconsumeInput(pointer) == 0 || PQstatus(pointer) != CONNECTION_OK
    }

    /// Runs a command without parameters.
    /// - Returns: its tag.
    @discardableResult
    func run(_ command: String) throws -> String {
        try checked(PQexec(pointer, command), in: command).tag
    }

    /// Runs a statement, prepared the first time that this connection sees it.
    func run(_ statement: String, _ parameters: [SQLValue]) throws -> PostgresResult {
        let prepared = statements.name(of: statement)
        if let evicted = prepared.evicted { try run("DEALLOCATE \(evicted)") }
        if prepared.isNew {
            do {
                // The server finds the types of parameters by itself.
                _ = try checked(PQprepare(pointer, prepared.name, statement, 0, nil), in: statement)
            } catch {
                statements.forget(statement)
                throw error
            }
        }
        return try BinaryParameters(parameters).withPointers { count, values, lengths, formats in
            try checked(PQexecPrepared(pointer, prepared.name, count, values, lengths, formats, 1), in: statement)
        }
    }

    private func prepareSession(_ settings: Settings) throws {
        guard let encoding = PQparameterStatus(pointer, "server_encoding"), String(cString: encoding) == "UTF8" else {
            throw PostgresFailure(.giveUp, "PostgreSQL: the database has to have the encoding UTF8")
        }
        // Durable when `write` returns, also where the server's default is to be faster than that. A server that waits
        // for replicas goes on doing so. And indices, not whole tables, even small ones: to a serializable transaction,
        // having read a whole table is to be in the way of everybody who writes to it.
        try run(
            """
            SET statement_timeout = \(settings.statementTimeout.milliseconds);
            SET idle_in_transaction_session_timeout = \(settings.idleTimeout.milliseconds);
            SET enable_seqscan = off;
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
            """)
    }

    private func checked(_ result: OpaquePointer?, in statement: String) throws -> PostgresResult {
        guard let result = PostgresResult(result) else { throw PostgresFailure(lost: Self.message(of: pointer)) }
        guard let failure = result.failure(in: statement) else { return result }
        // Whatever the server said last, a connection that is gone is gone.
        guard PQstatus(pointer) == CONNECTION_OK else { throw PostgresFailure(.reconnect, failure.description) }
        throw failure
    }

    private static func message(of connection: OpaquePointer) -> String {
        PQerrorMessage(connection).map { String(cString: $0) } ?? "no message"
    }
}

extension Duration {
    /// Whole milliseconds, for settings of the server.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
