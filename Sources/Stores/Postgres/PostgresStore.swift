import CountersignCore
import StoreSQL

/// The store for many machines: a PostgreSQL database, through libpq. Servers side by side on one database are one
/// server; none keeps any state of its own.
///
/// Writes are SERIALIZABLE: each is as if it ran alone, on whatever server. One that loses a race is undone and run
/// again, one that loses its connection before the commit runs again on a fresh one, and PostgreSQL may be restarted
/// meanwhile. Only where the connection ends while a commit is under way does nobody know whether it was done; it is then
/// not run again, and `outcomeUnknown` is thrown. After `unavailable`, as for every other failure of the database, nothing
/// was written.
///
/// A write has reached the disk when `write` returns. It is refused as `overloaded` where too many wait, where it has
/// waited for too long, and where it has lost too many races.
///
/// A task that is cancelled while it waits still gets its result, because its write still happens: who hangs up after a
/// wrong guess is counted all the same.
///
/// Between the servers and the database a pooler must give each connection a session of its own: settings and prepared
/// statements belong to it.
public final class PostgresStore: Store {
    /// What to set for a machine; the defaults fit most.
    public struct Options: Sendable {
        /// Transactions that run at the same time, each on a connection and a thread of its own; at least 1. All servers
        /// together must stay below the database's `max_connections`. One connection is left to reads.
        public var connections = 8
        /// How many transactions may wait beside those, before more are refused as `overloaded`.
        public var waitingTransactions = 4096
        /// How long a transaction may wait for its turn, or for a lost race to be repeated: as long as a burst takes.
        public var patience = Duration.seconds(15)
        /// How long it may wait for a database that cannot be reached: as long as a restart takes, and no longer, because
        /// whoever asks is to be told.
        public var outagePatience = Duration.seconds(5)
        /// How often a write that loses races, or connections, is run at most.
        public var attempts = 40
        /// How long one statement may take, waiting for others' rows included.
        public var statementTimeout = Duration.seconds(5)
        /// How long a transaction may do nothing before the server ends it and lets its rows go. Bodies only compute; this
        /// is for a process that was stopped in the middle of one.
        public var idleTimeout = Duration.seconds(10)
        /// How long to try to connect to one host; whole seconds, at least 2.
        public var connectTimeout = Duration.seconds(5)

        public init() {}

        var link: PostgresLink.Settings {
            PostgresLink.Settings(
                connectTimeout: connectTimeout, statementTimeout: statementTimeout, idleTimeout: idleTimeout)
        }
    }

    /// What the store has done since it was opened, for metrics and tests.
    public struct Statistics: Sendable, Equatable {
        /// Transactions that were run to their end.
        public internal(set) var transactions = 0
        /// Times that a write was undone because of another, and run again.
        public internal(set) var lostRaces = 0
        /// Connections that were made.
        public internal(set) var connectionsMade = 0
        /// Transactions that wait now.
        public internal(set) var waiting = 0
    }

    private let threads: ConnectionThreads

    init(threads: ConnectionThreads) {
        self.threads = threads
    }

    deinit {
        threads.close()
    }

    public var statistics: Statistics { threads.statistics }

    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await threads.run(.read, body)
    }

    public func write<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await threads.run(.write, body)
    }

    /// Waits for the transactions that were accepted and ends the connections. Reads and writes afterwards are refused as
    /// `unavailable`. Closing again does nothing.
    public func close() async {
        threads.close()
        await threads.ended()
    }
}
