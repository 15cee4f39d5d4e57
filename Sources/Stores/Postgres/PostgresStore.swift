import CountersignCore
import StoreSQL

/// The store for many machines: a PostgreSQL database, through libpq. Servers side by side on one database are one
/// server; none keeps any state of its own.
///
/// Writes are SERIALIZABLE, each as if it ran alone, on whatever server, but for those that say that they keep to their rows
/// (``Isolation/rows``). One that loses a race is undone and run
/// again, one that loses its connection before the commit runs again on a fresh one, and PostgreSQL may be restarted
/// meanwhile. Only where the connection ends while a commit is under way is it unknown whether it was done; it is then
/// not run again, and `outcomeUnknown` is thrown. After `unavailable`, as for every other failure of the database,
/// nothing was written.
///
/// Everything has a deadline: a database that is frozen, or a network that swallows packets, makes no caller wait for
/// longer than one of them, and holds no thread for ever. What was not answered in time before the commit was not done
/// (`unavailable`); while a commit was under way the outcome is unknown (`outcomeUnknown`).
///
/// A write has reached the disk when `write` returns; one of ``Durability/withNext`` has when the next that is durable at
/// once returns. It is refused as `readOnly` where the database takes none, and as `overloaded` where too many wait, where it has waited for too long, and where it has lost too many races.
///
/// A task that is cancelled while it waits still gets its result, because its write still happens: who hangs up after a
/// wrong guess is counted all the same.
///
/// Between the servers and the database a pooler must give each connection a session of its own: settings and prepared
/// statements belong to it.
public final class PostgresStore: Store {
    /// What to set for a machine; the defaults fit most.
    public struct Options: Sendable {
        /// Transactions that run at the same time, each on a connection; at least 1. All servers together must stay below the database's
        /// `max_connections`. One connection is left to reads. Of six or more, three fifths are for writes that keep to their rows, which
        /// one thread runs together; each other one has a thread of its own.
        public var connections = 10
        /// How many transactions may wait beside those, before more are refused as `overloaded`.
        public var waitingTransactions = 4096
        /// How long a transaction may wait for its turn, or for a lost race to be repeated: as long as a burst takes.
        public var patience = Duration.seconds(15)
        /// How long it may wait for a database that cannot be reached: as long as a restart takes, and no longer,
        /// because the client waits for an answer.
        public var outagePatience = Duration.seconds(5)
        /// How often a write that loses races, or connections, is run at most.
        public var attempts = 40
        /// How long one statement may take, waiting for others' rows included. The server ends it then; where it does not
        /// even say that, half a second later, the connection is given up.
        public var statementTimeout = Duration.seconds(5)
        /// How long a transaction may take from its beginning to its commit, waiting for its turn not included.
        public var transactionTimeout = Duration.seconds(5)
        /// How long a transaction may do nothing before the server ends it and lets its rows go. Bodies only compute; this
        /// is for a process that was stopped in the middle of one.
        public var idleTimeout = Duration.seconds(10)
        /// How long to try to connect to one address of one host; whole seconds, at least 2.
        public var connectTimeout = Duration.seconds(5)
        /// How long a thread that makes a connection is waited for, by a transaction at least and by closing at most: as long as one address and
        /// the first answers take.
        var linkPatience: Duration { connectTimeout + statementTimeout }
        /// How long opening the store waits for a database that cannot be reached; nil for as long as it takes.
        public var startPatience: Duration? = .zero

        public init() {}

        /// Connections of the thread that runs several writes; 0 where there are too few for one.
        var connectionsTogether: Int { connections < 6 ? 0 : connections * 3 / 5 }

        var link: PostgresLink.Settings {
            PostgresLink.Settings(
                connectTimeout: connectTimeout, statementTimeout: statementTimeout,
                transactionTimeout: transactionTimeout, idleTimeout: idleTimeout)
        }
    }

    /// What the store has done since it was opened, for metrics and tests.
    public struct Statistics: Sendable, Equatable {
        /// Transactions that were run to their end.
        public internal(set) var transactions = 0
        /// Times that a transaction waited for an answer.
        public internal(set) var roundTrips = 0
        /// Commands that were sent, those that begin and end transactions included.
        public internal(set) var statements = 0
        /// Those of them that are about no row: they begin and end transactions, lock a table as they begin, or say how durable they are.
        public internal(set) var transactionCommands = 0
        /// Times that a write was undone because of another, and run again.
        public internal(set) var lostRaces = 0
        /// Connections that were given up because there was no answer in time.
        public internal(set) var silences = 0
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
        _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await threads.run(.write(isolation, durability), body)
    }

    /// Waits for the transactions that were accepted and ends the connections. Reads and writes afterwards are refused as
    /// `unavailable`, as are those for which a connection is still looked for when the time for that is over. Closing again does nothing.
    public func close() async {
        threads.close()
        await threads.ended()
    }
}
