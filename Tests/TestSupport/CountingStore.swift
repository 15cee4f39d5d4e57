import CountersignCore
import Synchronization

/// Counts transactions, and does something after a read where a test says so.
public final class CountingStore: ForwardingStore {
    private struct State {
        var reads = 0
        var writes = 0
        var afterRead: (@Sendable () async throws -> Void)?
    }

    public let base: any Store
    private let state = Mutex(State())

    public init(_ base: any Store) {
        self.base = base
    }

    public var reads: Int { state.withLock { $0.reads } }
    public var writes: Int { state.withLock { $0.writes } }

    /// Does something after the next read and before its result is handed over, once.
    public func afterNextRead(_ body: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.afterRead = body }
    }

    public func aroundRead<T: Sendable>(_ pass: () async throws -> T) async throws -> T {
        let result = try await pass()
        let then = state.withLock { state in
            state.reads += 1
            defer { state.afterRead = nil }
            return state.afterRead
        }
        try await then?()
        return result
    }

    public func aroundWrite<T: Sendable>(_ pass: () async throws -> T) async throws -> T {
        state.withLock { $0.writes += 1 }
        return try await pass()
    }
}
