import Synchronization
import TestSupport
import Testing

@testable import CountersignCore

/// What the shorter ways to write leave unsaid.
@Suite("Shorter ways to write")
struct ShorterWritesTests {
    /// Notes what it is told of each write.
    private final class NotingStore: ForwardingStore {
        let base: any Store
        private let noted = Mutex<[String]>([])

        init(_ base: any Store) { self.base = base }

        var told: [String] { noted.withLock { $0 } }

        func write<T: Sendable>(
            _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
            _ body: @escaping @Sendable (any StoreTransaction) throws -> T
        ) async throws -> T {
            noted.withLock { $0.append("\(isolation) \(durability) \(rows().count)") }
            return try await base.write(isolation, durability, expecting: rows, body)
        }
    }

    @Test
    func `A write runs as if alone, is durable at once and expects no rows, unless it says otherwise`() async throws {
        let store = NotingStore(try await TestStore.sqlite.open())
        #expect(try await store.write { _ in 1 } == 1)
        #expect(try await store.write(.rows) { _ in 2 } == 2)
        #expect(try await store.write(.rows, .withNext) { _ in 3 } == 3)
        #expect(try await store.write(.exclusive, expecting: { [.presentTime] }) { _ in 4 } == 4)
        #expect(store.told == ["full atOnce 0", "rows atOnce 0", "rows withNext 0", "exclusive atOnce 1"])
    }
}
