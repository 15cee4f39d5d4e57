import CountersignCore
import Foundation
import StoreSQL
import Synchronization

/// The embedded store: one SQLite database in one file, with nothing to install.
///
/// A write has reached the disk when `write` returns (write-ahead log, `synchronous=FULL`); one of ``Durability/withNext`` has when the
/// next that waits for it returns (`synchronous=NORMAL`). Writes that arrive while a
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
        /// How many reads may wait, beside those that run, before more are refused as `overloaded`.
        public var waitingReads = 4096

        public init() {}
    }

    /// What the store has done since it was opened, for metrics and tests.
    public struct Statistics: Sendable, Equatable {
        /// Commits made. Each waited for the disk once, but for those of ``Durability/withNext`` alone.
        public internal(set) var commits = 0
        /// Writes that they hold.
        public internal(set) var writes = 0
        /// Writes that wait now.
        public internal(set) var waiting = 0
        /// Statements that reads and writes ran, without those that begin and end transactions.
        public internal(set) var statements = 0
    }

    let path: String
    /// Whether the file is not to be written.
    let isReadOnly: Bool
    let readers: SQLiteReaders
    private let writer: SQLiteAccess
    private let queue: Mutex<WriteQueue<PendingWrite>>
    private let counts = Mutex(Statistics())
    private let temporaryDirectory: TemporaryDirectory?
    let dataVersion: DataVersion

    /// - Parameter temporaryDirectory: what to remove when the store is closed.
    init(
        path: String, writer: SQLiteAccess, readers: SQLiteReaders, isReadOnly: Bool, options: Options,
        temporaryDirectory: TemporaryDirectory?
    ) {
        (self.path, self.writer, self.readers, self.isReadOnly) = (path, writer, readers, isReadOnly)
        self.temporaryDirectory = temporaryDirectory
        dataVersion = DataVersion(path: path)
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
        let kept = KeptResult<T>()
        try await read(keeping: { kept.value = try body($0) })
        guard let value = kept.value else { preconditionFailure("a read that did not fail has a result") }
        return value
    }

    /// Without a type to be generic over, which each function on the way would look up while the program runs.
    private func read(keeping body: @escaping @Sendable (any StoreTransaction) throws -> Void) async throws {
        // Each read is called once, whatever comes of it (``SQLiteReaders``), and each write is answered once: a checked continuation would
        // be an object more for each.
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            readers.run { connection in
                do {
                    let connection = try connection.get()
                    defer { self.counts.withLock { $0.statements += connection.takeStatements() } }
                    try connection.read(body)
                } catch {
                    return continuation.resume(throwing: error)
                }
                continuation.resume()
            }
        }
    }

    public func write<T: Sendable>(
        _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        try await withUnsafeThrowingContinuation { continuation in
            let write = PendingWrite(durability, body, continuation)
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
        // The last connection to go tidies the log away, and only one that may write can.
        await readers.close()
        try await blocking { [writer, dataVersion] in
            try translatingErrors {
                try dataVersion.close()
                try writer.close()
            }
        }
    }

    private func follow(_ admission: WriteQueue<PendingWrite>.Admission, of write: PendingWrite) {
        switch admission {
        case .waits: break
        case .wakeWriter: wakeWriter()
        case .refused(let error): write.fail(error)
        }
    }

    private func wakeWriter() {
        writer.async { connection in
            repeat {
                let group = self.queue.withLock { $0.takeGroup() }
                let commit = GroupCommit(group, on: connection)
                self.counts.withLock {
                    $0.commits += commit.commits
                    $0.writes += commit.writes
                    $0.statements += connection.takeStatements()
                }
                commit.answer()
            } while self.queue.withLock { $0.finishGroup() }
        }
    }
}

/// Where the result of a read is kept until its caller goes on. It is written on the queue of a connection before the caller is resumed, and read
/// by the caller after that: never by two at once.
private final class KeptResult<Value: Sendable>: @unchecked Sendable {
    var value: Value?
}
