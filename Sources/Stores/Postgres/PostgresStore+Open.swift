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
    /// the others wait.
    /// - Parameters:
    ///   - url: `postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=…`, as libpq takes it. What
    ///     it leaves out comes from libpq's environment variables and `~/.pgpass`. Without an `sslmode` a database on
    ///     another machine has to speak TLS (`require`); only `verify-full` makes sure that it is the right one.
    ///   - random: for the lots that keep two who failed together from trying again together.
    /// - Throws: `StoreError` of code `outdated` where a newer program has been here, `unavailable` where there is no
    ///   connection to be had; never with the password or the URL in it.
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
        try await onThreadOfItsOwn {
            do {
                try migrate(try PostgresLink(url, options.link), migrations)
            } catch let failure as PostgresFailure {
                throw failure.storeError
            }
        }
        return PostgresStore(
            threads: ConnectionThreads(url: url, options: options, random: random, logger: logger))
    }

    /// Any number that nobody else is likely to take: "countsgn".
    private static let migrationLock: Int64 = 0x636f_756e_7473_676e

    /// READ COMMITTED, so that what is read after waiting for the lock is what its last holder has written.
    private static func migrate(_ link: PostgresLink, _ migrations: Migrations) throws {
        try link.run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        // Filling a large table anew takes its time.
        try link.run("SET LOCAL statement_timeout = 0")
        try link.run("SELECT pg_advisory_xact_lock(\(migrationLock))")
        try migrations.apply(to: PostgresConnection(link), types: .postgres)
        try link.run("COMMIT")
    }

    private static func onThreadOfItsOwn(_ work: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "countersign.postgres.open").async {
                continuation.resume(with: Result(catching: work))
            }
        }
    }
}
