import CountersignCore
import Foundation
import GRDB
import Synchronization

extension SQLiteStore {
    /// SQLite's `data_version` (sqlite.org, PRAGMA data_version), as a connection of its own sees it: another one after each
    /// commit, of this process or another.
    public func changeMark() async throws -> Int64? { try await dataVersion.value() }
}

/// The connection that ``SQLiteStore/changeMark()`` asks. It is opened at the first question, and writes nothing.
final class DataVersion: Sendable {
    private let path: String
    private let state = Mutex(State())

    private struct State {
        var queue: DatabaseQueue?
        var isClosed = false
    }

    init(path: String) {
        self.path = path
    }

    func value() async throws -> Int64? {
        guard let queue = try opened() else { throw StoreError(.unavailable, "The store was closed.") }
        return try await withCheckedThrowingContinuation { continuation in
            // Without a transaction: the number within one would be the number of its beginning.
            queue.asyncUnsafeRead { access in
                continuation.resume(
                    with: Result {
                        try translatingErrors { try Int64.fetchOne(access.get(), sql: "PRAGMA data_version") }
                    })
            }
        }
    }

    func close() throws {
        let queue = state.withLock { state in
            state.isClosed = true
            defer { state.queue = nil }
            return state.queue
        }
        try queue?.close()
    }

    /// Nil after ``close()``.
    private func opened() throws -> DatabaseQueue? {
        try state.withLock { state in
            if state.queue != nil || state.isClosed { return state.queue }
            var configuration = Configuration()
            configuration.label = "countersign.sqlite.changes"
            configuration.readonly = true
            state.queue = try translatingErrors { try DatabaseQueue(path: path, configuration: configuration) }
            return state.queue
        }
    }
}
