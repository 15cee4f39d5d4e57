import CountersignCore
import Foundation
import StoreSQL
import TestSupport
import Testing

@testable import StoreSQLite

@Suite("Group commit on SQLite")
struct SQLiteGroupCommitTests {
    @Test
    func `Five hundred writes that arrive while one is under way need two commits`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let (gate, held) = await Gate.holding(store)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<500 {
                group.addTask { try await store.write { try $0.insert(user("\(number)")) } }
            }
            try await eventually { store.statistics.waiting == 500 }
            gate.open()
            for try await isInserted in group { #expect(isInserted) }
        }
        try await held.value
        let statistics = store.statistics
        #expect(statistics.commits == 3)
        #expect(statistics.writes == 501)
        #expect(statistics.waiting == 0)
        #expect(try await store.read { try $0.countUsers() } == 500)
    }

    @Test
    func `In one group, a body that throws and a statement that fails are undone alone`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let outcomes = try await outcomesOfOneGroup(in: store) { number in
            { transaction in
                _ = try transaction.insert(user("\(number)"))
                if number == 1 { throw Refusal() }
                if number == 2 { try raw(transaction, "INSERT INTO documents (name) VALUES ('no body')") }
            }
        }
        #expect(outcomes == ["done", "refused", "unavailable", "done"])
        #expect(try await store.read { try $0.users(after: nil, limit: 9) }.map(\.id.rawValue) == ["0", "3"])
        #expect(store.statistics.commits == 2, "the held write, and the group")
    }

    @Test
    func `A write that cannot be committed fails alone, and its neighbours are committed without it`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let outcomes = try await outcomesOfOneGroup(in: store) { number in
            { transaction in
                _ = try transaction.insert(user("\(number)"))
                if number == 2 {
                    // A reference that is judged at the commit, and found to lead nowhere.
                    try raw(transaction, "PRAGMA defer_foreign_keys = ON")
                    try raw(
                        transaction,
                        """
                        INSERT INTO factors (id, user_id, kind, name, created_at, revision, payload) \
                        VALUES ('f', 'nobody', 'totp', 'f', 0, 0, x'00')
                        """)
                }
            }
        }
        #expect(outcomes == ["done", "done", "unavailable", "done"])
        #expect(try await store.read { try $0.users(after: nil, limit: 9) }.map(\.id.rawValue) == ["0", "1", "3"])
        #expect(try await store.check() == [])
    }

    @Test
    func `A write after whose failure SQLite ended the transaction writes nothing, and its neighbours are saved`()
        async throws
    {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let outcomes = try await outcomesOfOneGroup(in: store) { number in
            { transaction in
                _ = try transaction.insert(user("\(number)"))
                if number == 1 {
                    try raw(transaction, "ROLLBACK")
                    // Outside a transaction this would be durable at once.
                    _ = try? transaction.insert(user("stray"))
                }
            }
        }
        #expect(outcomes == ["done", "unavailable", "done", "done"])
        #expect(try await store.read { try $0.users(after: nil, limit: 9) }.map(\.id.rawValue) == ["0", "2", "3"])
    }

    @Test
    func `A write too many is refused as overloaded, and those before it are done`() async throws {
        var options = SQLiteStore.Options()
        options.waitingWrites = 8
        let store = try await SQLiteStore.temporary(options: options)
        let (gate, held) = await Gate.holding(store)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask { try await store.write { try $0.insert(user("\(number)")) } }
            }
            try await eventually { store.statistics.waiting == 8 }
            let error = await #expect(throws: StoreError.self) { try await store.write { try $0.insert(user("8")) } }
            #expect(error?.code == .overloaded)
            gate.open()
            for try await isInserted in group { #expect(isInserted) }
        }
        try await held.value
        #expect(try await store.write { try $0.insert(user("8")) }, "there is room again")
    }

    @Test
    func `Closing waits for the writes that were accepted, and refuses those that come later`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let (gate, held) = await Gate.holding(store)
        let accepted = Task { try await store.write { try $0.insert(user("accepted")) } }
        try await eventually { store.statistics.waiting == 1 }
        let closing = Task { try await store.close() }
        try await eventually { store.statistics.waiting == 2 }
        let error = await #expect(throws: StoreError.self) { try await store.write { try $0.insert(user("late")) } }
        #expect(error?.code == .unavailable)
        gate.open()
        try await held.value
        #expect(try await accepted.value)
        try await closing.value
    }

    @Test
    func `Only a group of writes that go with the next does not wait for the disk, and the next one does again`()
        async throws
    {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        // 1 is NORMAL, 2 is FULL.
        @Sendable func level(_ durability: Durability, _ id: String) async throws -> SQLValue? {
            try await store.write(.rows, durability) { transaction in
                _ = try transaction.insert(user(id))
                return try raw(transaction, "PRAGMA synchronous").first?.values.first
            }
        }
        #expect(try await level(.withNext, "1") == .integer(1))
        #expect(try await store.read { try $0.countUsers() } == 1)
        #expect(try await level(.atOnce, "2") == .integer(2))
        #expect(try await level(.withNext, "3") == .integer(1))

        let (gate, held) = await Gate.holding(store)
        let lazy = Task { try await level(.withNext, "4") }
        try await eventually { store.statistics.waiting == 1 }
        let durable = Task { try await level(.atOnce, "5") }
        try await eventually { store.statistics.waiting == 2 }
        gate.open()
        try await held.value
        #expect(try await lazy.value == .integer(2))
        #expect(try await durable.value == .integer(2))
        #expect(store.statistics.commits == 5, "three, the held one, and the group")
    }

    /// Runs four writes in one group and says what became of each.
    private func outcomesOfOneGroup(
        in store: SQLiteStore, _ body: @escaping @Sendable (Int) -> @Sendable (any StoreTransaction) throws -> Void
    ) async throws -> [String] {
        let (gate, held) = await Gate.holding(store)
        var writes: [Task<String, any Error>] = []
        for number in 0..<4 {
            writes.append(
                Task {
                    do {
                        try await store.write(body(number))
                        return "done"
                    } catch is Refusal {
                        return "refused"
                    } catch let error as StoreError where error.code == .unavailable {
                        return "unavailable"
                    }
                })
            try await eventually { store.statistics.waiting == number + 1 }
        }
        gate.open()
        try await held.value
        var outcomes: [String] = []
        for write in writes { outcomes.append(try await write.value) }
        return outcomes
    }
}

private struct Refusal: Error {}
