import CountersignCore
import Foundation
import GRDB
import StoreSQL
import Synchronization

/// The embedded store: one SQLite database in one file, with nothing to install.
///
/// A write has reached the disk when `write` returns (write-ahead log, `synchronous=FULL`). Writes that arrive while a
/// commit is under way go into the next one together, each in its own savepoint, so that a flood of sign-ins costs few
/// waits for the disk and one failing write fails alone. Reads run beside writes, each on one snapshot.
///
/// Several processes may have the same file open: the command line works while the server runs. Between machines a file
/// cannot be shared; that is what PostgreSQL is for.
///
/// A task that is cancelled while it waits still gets its result, because its write still happens: who hangs up after a
/// wrong guess is counted all the same.
public final class SQLiteStore: Store {
    /// What to set for a machine; the defaults fit most.
    public struct Options: Sendable {
        /// How many writes may wait, beside those being committed, before more are refused as `overloaded`.
        public var waitingWrites = 4096
        /// How many writes go into one commit at most.
        public var groupSize = 256
        /// How long to wait for another process that writes, before a write is refused as `unavailable`.
        public var busyTimeout = Duration.seconds(5)
        /// How many reads run at the same time; more wait.
        public var readers = 5

        public init() {}
    }

    /// What the store has done since it was opened, for metrics and tests.
    public struct Statistics: Sendable, Equatable {
        /// Commits made, each of which waited for the disk once.
        public internal(set) var commits = 0
        /// Writes made durable by them.
        public internal(set) var writes = 0
        /// Writes that wait now.
        public internal(set) var waiting = 0
    }

    let pool: DatabasePool
    /// Whether the file is not to be written.
    let isReadOnly: Bool
    private let queue: Mutex<WriteQueue<PendingWrite>>
    private let counts = Mutex(Statistics())
    private let temporaryDirectory: TemporaryDirectory?
    let dataVersion: DataVersion

    /// - Parameter temporaryDirectory: what to remove when the store is closed.
    init(pool: DatabasePool, options: Options, temporaryDirectory: TemporaryDirectory? = nil) {
        self.pool = pool
        isReadOnly = pool.configuration.readonly
        self.temporaryDirectory = temporaryDirectory
        dataVersion = DataVersion(path: pool.path)
        queue = Mutex(WriteQueue(capacity: options.waitingWrites, groupSize: options.groupSize))
    }

    public var statistics: Statistics {
        var result = counts.withLock { $0 }
        result.waiting = queue.withLock { $0.waiting.count }
        return result
    }

    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncRead { [isReadOnly] access in
                continuation.resume(
                    with: Result {
                        let database = try translatingErrors { try access.get() }
                        return try SQLTransaction.run(
                            on: SQLiteConnection(database: database, isReadOnly: isReadOnly), body)
                    })
            }
        }
    }

    public func write<T: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let write = PendingWrite(body, continuation)
            follow(queue.withLock { $0.add(write) }, of: write)
        }
    }

    /// Waits for the writes that were accepted and closes the database. Reads and writes afterwards are refused as
    /// `unavailable`. Closing again does nothing.
    public func close() async throws {
        let isFirst = try await withCheckedThrowingContinuation { continuation in
            // The last write changes nothing; it comes after all others, which is its only purpose.
            let last = PendingWrite(
                run: { _ in { continuation.resume(returning: true) } },
                fail: { _ in continuation.resume(returning: true) })
            if let admission = queue.withLock({ $0.close(with: last) }) {
                follow(admission, of: last)
            } else {
                continuation.resume(returning: false)
            }
        }
        guard isFirst else { return }
        try await blocking { [pool, isReadOnly, dataVersion] in
            try translatingErrors { try dataVersion.close() }
            try translatingErrors { try pool.close() }
            // Where another process is at work, the log is its to tidy away.
            if !isReadOnly { try? Self.removeLog(of: pool.path) }
        }
    }

    /// Moves the log into the database and removes it, which is what the last connection does when it goes. The last of
    /// a pool is a reader, which cannot; so another, that may write, comes and goes after it.
    private static func removeLog(of path: String) throws {
        let last = try DatabaseQueue(path: path)
        _ = try last.read { try Int.fetchOne($0, sql: "PRAGMA schema_version") }
        try last.close()
    }

    private func follow(_ admission: WriteQueue<PendingWrite>.Admission, of write: PendingWrite) {
        switch admission {
        case .waits: break
        case .wakeWriter: wakeWriter()
        case .refused(let error): write.fail(error)
        }
    }

    private func wakeWriter() {
        pool.asyncWriteWithoutTransaction { database in
            let group = self.queue.withLock { $0.takeGroup() }
            let commit = GroupCommit(group, on: SQLiteConnection(database: database, isReadOnly: self.isReadOnly))
            self.counts.withLock {
                $0.commits += commit.commits
                $0.writes += commit.writes
            }
            commit.answer()
            if self.queue.withLock({ $0.finishGroup() }) { self.wakeWriter() }
        }
    }
}
