import CountersignCore
import Dispatch
import Logging
import StoreSQL

extension ColumnTypes {
    /// Texts compare by their bytes, whatever the database's locale.
    static let postgres = ColumnTypes(integer: "BIGINT", text: #"TEXT COLLATE "C""#, blob: "BYTEA")
}

extension PostgresStore {
    /// Connects to the database, which has to exist and to have the encoding UTF8, and brings its schema to the newest.
    ///
    /// Several servers may do so at once, also for a database that is still empty: the first brings it up to date, while
    /// the others wait. A database whose schema is the newest is only read, so that one that takes no writes can be opened.
    ///
    /// Where the database cannot be reached, or starts, or does not answer, this waits as long as
    /// ``Options/startPatience`` says, and tells the log so. What waiting does not cure – a wrong password, a database
    /// that does not exist – is thrown at once.
    /// - Parameters:
    ///   - url: `postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=…`, as libpq takes it. What
    ///     it leaves out comes from libpq's environment variables and `~/.pgpass`. Without an `sslmode` a database on
    ///     another machine has to speak TLS (`require`); only `verify-full` makes sure that it is the right one.
    ///   - random: jitter for retries, so that two transactions that failed together do not try again together.
    /// - Throws: `StoreError` of code `outdated` where a newer program has been here, `unavailable` where there is no
    ///   connection to be had, `readOnly` where the schema has to be changed and cannot; never with the password or the
    ///   URL in it. `CancellationError` where the task is cancelled while it waits.
    public static func open(
        url: Secret<String>, options: Options = Options(), random: any RandomSource = SystemRandom(),
        logger: Logger = Logger(label: "countersign.postgres")
    ) async throws -> PostgresStore {
        try await open(url: url, options: options, random: random, logger: logger, migrations: .all)
    }

    /// For tests: with other migrations than the program's.
    static func open(
        url: Secret<String>, options: Options = Options(), random: any RandomSource = SystemRandom(),
        logger: Logger = Logger(label: "countersign.postgres"), migrations: Migrations
    ) async throws -> PostgresStore {
        precondition(options.connections > 0, "transactions need a connection to run on")
        let url = try DatabaseURL(url)
        var wait = StartWait(patience: options.startPatience, logger: logger)
        while true {
            let outcome: Opening = try await onThreadOfItsOwn { try opening(url, options.link, migrations) }
            switch outcome {
            case .ready:
                wait.isOver()
                return PostgresStore(
                    threads: try ConnectionThreads(url: url, options: options, random: random, logger: logger))
            case .away(let failure):
                try await wait.goOn(because: failure)
            }
        }
    }

    private enum Opening: Sendable {
        case ready
        /// It may be there later.
        case away(PostgresFailure)
    }

    private static func opening(
        _ url: DatabaseURL, _ settings: PostgresLink.Settings, _ migrations: Migrations
    ) throws -> Opening {
        do {
            do {
                try bringUpToDate(try PostgresLink(url, settings), migrations)
            } catch let failure as PostgresFailure where failure.consequence == .reconnect {
                guard PostgresLink.isServed(url, settings) else { return .away(failure) }
                // It came up in between, or it refuses this user or this database: the second failure is the latter.
                try bringUpToDate(try PostgresLink(url, settings), migrations)
            }
            return .ready
        } catch let failure as PostgresFailure {
            if failure.consequence == .silence { return .away(failure) }
            throw failure.storeError
        }
    }

    /// Any number that no other program is likely to use: "countsgn".
    private static let migrationLock: Int64 = 0x636f_756e_7473_676e

    private static func bringUpToDate(_ link: PostgresLink, _ migrations: Migrations) throws {
        let hasSchema = "SELECT to_regclass('schema_migrations') IS NOT NULL"
        let isNewest =
            try link.run(hasSchema, []).firstValue == .integer(1)
            && migrations.areApplied(to: PostgresConnection(link))
        if isNewest { return }
        guard link.takesWrites else { throw migrations.readOnlyRefusal }
        try migrate(link, migrations)
    }

    /// READ COMMITTED, so that what is read after waiting for the lock is what its last holder has written.
    private static func migrate(_ link: PostgresLink, _ migrations: Migrations) throws {
        try link.run("BEGIN ISOLATION LEVEL READ COMMITTED")
        // Filling a large table again takes its time, and so does waiting for another server that does.
        try link.run("SET LOCAL statement_timeout = 0")
        try link.run("SELECT pg_advisory_xact_lock(\(migrationLock))", isBounded: false)
        try migrations.apply(to: PostgresConnection(link, isBounded: false), types: .postgres)
        try link.run("COMMIT", isBounded: false)
    }

    private static func onThreadOfItsOwn<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "countersign.postgres.open").async {
                continuation.resume(with: Result(catching: work))
            }
        }
    }
}

/// Waiting for a database that is away when the program starts.
private struct StartWait {
    /// Between two tries.
    private static let pause = Duration.milliseconds(500)
    /// Between two lines in the log.
    private static let reminder = Duration.seconds(10)

    /// Nil for as long as it takes.
    let patience: Duration?
    let logger: Logger
    private let begin = ContinuousClock.now
    private var toldAt: ContinuousClock.Instant?

    init(patience: Duration?, logger: Logger) {
        self.patience = patience
        self.logger = logger
    }

    /// Pauses before the next try.
    /// - Throws: `StoreError` where the time is up.
    mutating func goOn(because failure: PostgresFailure) async throws {
        let waited = begin.duration(to: .now)
        if let patience, waited >= patience { throw failure.storeError }
        if toldAt.map({ $0 + Self.reminder <= .now }) ?? true {
            logger.warning(
                "PostgreSQL cannot be reached; waiting for it",
                metadata: [
                    "reason": "\(failure.description)", "waited": "\(waited.components.seconds) s",
                    "atMost": "\(patience.map { "\($0.components.seconds) s" } ?? "until it is there")",
                ])
            toldAt = .now
        }
        try await Task.sleep(for: min(Self.pause, patience.map { max(.zero, $0 - waited) } ?? Self.pause))
    }

    func isOver() {
        if toldAt != nil { logger.notice("PostgreSQL can be reached") }
    }
}
