import CountersignCore
import Dispatch
import Synchronization

/// The one connection that reads on the caller's thread: rows by their keys, which takes some ten microseconds, where waking a
/// reader's thread and coming back takes as long again.
///
/// It serves one caller at a time. Whoever comes meanwhile does not wait, and goes to ``SQLiteReaders``: so of the threads that
/// serve all tasks one at most is ever kept by a slow disk.
final class SQLiteNearReader: Sendable {
    private enum State {
        case unopened, opening
        case open(SQLiteAccess)
        /// Closed, or not to be opened.
        case closed
    }

    private let openAccess: @Sendable () throws -> SQLiteAccess
    private let state = Mutex(State.unopened)

    /// - Parameter open: makes a connection that only reads.
    init(open: @escaping @Sendable () throws -> SQLiteAccess) {
        openAccess = open
    }

    /// Reads at once.
    /// - Returns: nil where the connection is in use, or is not there: then nothing was read.
    func run<T: Sendable>(_ work: (SQLiteConnection) throws -> T) -> Result<T, any Error>? {
        let attempt = state.withLockIfAvailable { state -> Result<T, any Error>? in
            switch state {
            case .open(let access): return Result { try access.here(work) }
            case .unopened:
                state = .opening
                openElsewhere()
                return nil
            case .opening, .closed: return nil
            }
        }
        return attempt.flatMap { $0 }
    }

    /// Waits for the read that runs, and closes the connection.
    func close() throws {
        let access = state.withLock { state -> SQLiteAccess? in
            defer { state = .closed }
            return if case .open(let access) = state { access } else { nil }
        }
        try access?.close()
    }

    /// Opening reads the schema from the disk, which nothing waits for.
    private func openElsewhere() {
        DispatchQueue(label: "countersign.sqlite.open").async { [self] in
            // Where it cannot be opened, readers say why.
            guard let access = try? openAccess() else { return state.withLock { $0 = .closed } }
            let isKept = state.withLock { state in
                guard case .opening = state else { return false }
                state = .open(access)
                return true
            }
            if !isKept { try? access.close() }
        }
    }
}
