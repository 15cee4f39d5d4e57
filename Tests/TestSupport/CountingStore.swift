import CountersignCore
import Synchronization

/// Counts transactions, and does something after a read where a test says so.
public final class CountingStore: Store {
    private struct State {
        var reads = 0
        var writes = 0
        var afterRead: (@Sendable () async throws -> Void)?
    }

    private let store: any Store
    private let state = Mutex(State())

    public init(_ store: any Store) {
        self.store = store
    }

    public var reads: Int { state.withLock { $0.reads } }
    public var writes: Int { state.withLock { $0.writes } }

    /// Does something after the next read and before its result is handed over, once.
    public func afterNextRead(_ body: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.afterRead = body }
    }

    public func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        let result = try await store.read(body)
        let then = state.withLock { state in
            state.reads += 1
            defer { state.afterRead = nil }
            return state.afterRead
        }
        try await then?()
        return result
    }

    public func write<T: Sendable>(
        _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        state.withLock { $0.writes += 1 }
        return try await store.write(isolation, durability, expecting: rows, body)
    }

    public func changeMark() async throws -> Int64? { try await store.changeMark() }
}
