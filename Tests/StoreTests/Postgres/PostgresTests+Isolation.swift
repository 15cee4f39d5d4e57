import CountersignCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StorePostgres
@testable import StoreSQL

/// Writes that keep to their rows, and the one that keeps all others away.
extension PostgresTests {
    private static func flow(_ number: Int) -> FlowRecord {
        FlowRecord(
            digest: Data("\(number)".utf8), userID: nil, purpose: "p", createdAt: Date(microseconds: 1),
            expiresAt: Date(microseconds: 2), body: Data())
    }

    @Test
    func `Writes that keep to rows of their own lose no race, however small the tables are`() async throws {
        let stores = try await twoServers()
        for number in 0..<200 {
            #expect(try await stores[0].write { try $0.insert(Self.flow(number)) })
        }
        let before = stores.map(\.statistics.lostRaces)
        let done = try await together(200) { number in
            try await stores[number % 2].write(.rows) { transaction in
                guard var flow = try transaction.flow(digest: Self.flow(number).digest) else { return false }
                // Absent rows are looked for, and some are made: all of them lie on one page of the index.
                for key in ["a/\(number)", "b/\(number)"] { try increment(key, in: transaction) }
                flow.attempts += 1
                return try transaction.update(flow)
            }
        }
        #expect(done == 200)
        #expect(stores.map(\.statistics.lostRaces) == before)
        for store in stores { await store.close() }
    }

    @Test
    func `Increments that keep to their row are all counted, the first ones too`() async throws {
        let stores = try await twoServers()
        for round in 0..<10 {
            _ = try await together(30) { number in
                try await stores[number % 2].write(.rows) { try increment("k\(round)", in: $0) }
                return true
            }
            #expect(try await stores[0].read { try $0.counter("k\(round)") }?.count == 30, "round \(round)")
        }
        #expect(stores.contains { $0.statistics.lostRaces > 0 }, "the servers met")
        for store in stores { await store.close() }
    }

    @Test
    func `Of many that compare and set one row, or add one key, keeping to it, one does`() async throws {
        let stores = try await twoServers()
        for round in 0..<10 {
            let added = try await together(20) { number in
                try await stores[number % 2].write(.rows) { try $0.insert(Self.flow(round)) }
            }
            #expect(added == 1, "round \(round)")
            let changed = try await together(20) { number in
                try await stores[number % 2].write(.rows) { transaction in
                    guard var flow = try transaction.flow(digest: Self.flow(round).digest), flow.finishedAt == nil
                    else { return false }
                    flow.finishedAt = Date(microseconds: 5)
                    return try transaction.update(flow)
                }
            }
            #expect(changed == 1, "round \(round)")
            let used = try await together(20) { number in
                try await stores[number % 2].write(.rows) { transaction in
                    try transaction.insert(
                        UsedToken(
                            kind: .clientAssertion, digest: Data("\(round)".utf8), expiresAt: Date(microseconds: 9)))
                }
            }
            #expect(used == 1, "round \(round)")
        }
        for store in stores { await store.close() }
    }

    /// Each reads its row, which the other server then changes, so that it loses and runs again. The first is held in its second run.
    @Test
    func `One that lost a row and takes its time again holds up none that lost another`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        var options = PostgresStore.Options()
        // However slow the machine is, the one that is held does not run out of time.
        (options.transactionTimeout, options.idleTimeout) = (.seconds(600), .seconds(600))
        let store = try await database.open(options)
        let other = try await database.open()
        for number in 1...2 { #expect(try await store.write { try $0.insert(Self.flow(number)) }) }

        @Sendable func count(_ number: Int, on store: PostgresStore, _ read: @escaping @Sendable () throws -> Void)
            async throws
        {
            try await store.write(.rows) { transaction in
                guard var flow = try transaction.flow(digest: Self.flow(number).digest) else { return }
                try read()
                flow.attempts += 1
                _ = try transaction.update(flow)
            }
        }
        /// A write that has lost once; the gate that its second run comes to.
        func losing(_ number: Int, heldAgain: Bool) async throws -> (write: Task<Void, any Error>, second: Gate) {
            let (first, second) = (Gate(), Gate())
            let runs = Mutex(0)
            let write = Task {
                try await count(number, on: store) {
                    let run = runs.withLock { runs in
                        runs += 1
                        return runs
                    }
                    if run == 1 { try first.pass() }
                    if run == 2, heldAgain { try second.pass() }
                }
            }
            await first.isReached()
            try await count(number, on: other) {}
            first.open()
            return (write, second)
        }

        let held = try await losing(1, heldAgain: true)
        await held.second.isReached()
        try await losing(2, heldAgain: false).write.value
        #expect(try await other.read { try $0.flow(digest: Self.flow(2).digest) }?.attempts == 2)
        #expect(try await other.read { try $0.flow(digest: Self.flow(1).digest) }?.attempts == 1, "still held")
        held.second.open()
        try await held.write.value
        #expect(try await other.read { try $0.flow(digest: Self.flow(1).digest) }?.attempts == 2)
        #expect(store.statistics.lostRaces == 2)
        for store in [store, other] { await store.close() }
    }

    /// What only SERIALIZABLE notices is refused in a transaction that has less, and done in one that has it.
    @Test
    func `A write that goes beyond its rows is run again as if it ran alone`() async throws {
        let stores = try await twoServers()
        for round in 0..<20 {
            let insertions = try await together(2) { number in
                try await stores[number].write(.rows) { transaction in
                    let present = try transaction.signingKeys().filter { $0.id.hasPrefix("\(round)/") }
                    guard present.isEmpty else { return false }
                    return try transaction.insert(
                        SigningKeyRecord(
                            id: "\(round)/\(number)", algorithm: .es256, createdAt: Date(microseconds: 0),
                            sealedPrivateKey: Data()))
                }
            }
            #expect(insertions == 1, "round \(round)")
        }
        let runs = Mutex(0)
        try await stores[0].write(.rows) { transaction in
            runs.withLock { $0 += 1 }
            let isInserted = try transaction.insert(Self.flow(1))
            #expect(isInserted)
            // Swallowing the refusal does not help.
            _ = try? transaction.insert(user("u"))
        }
        // Together with others, perhaps; by itself; as if it ran alone.
        #expect((2...3).contains(runs.withLock { $0 }))
        #expect(try await stores[0].read { try $0.countUsers() } == 1)
        #expect(try await stores[0].read { try $0.flow(digest: Self.flow(1).digest) } != nil)
        for store in stores { await store.close() }
    }

    @Test
    func `A write that excludes all others begins when those under way are over, and sees what they did`() async throws
    {
        let stores = try await twoServers()
        let gate = Gate()
        let held = Task {
            try await stores[0].write(.rows) { transaction in
                #expect(try transaction.insert(Self.flow(1)))
                // It has to be sent before the gate holds the thread.
                #expect(try transaction.flow(digest: Self.flow(1).digest) != nil)
                try gate.pass()
            }
        }
        await gate.isReached()
        let isOver = Mutex(false)
        let excluding = Task {
            defer { isOver.withLock { $0 = true } }
            return try await stores[1].write(.exclusive) { try $0.flow(digest: Self.flow(1).digest) != nil }
        }
        try await Task.sleep(for: .milliseconds(300))
        #expect(!isOver.withLock { $0 })
        gate.open()
        try await held.value
        #expect(try await excluding.value)
        for store in stores { await store.close() }
    }

    private static let commitSetting = SQLStatement("SELECT current_setting('synchronous_commit')", isByRow: true)

    @Test
    func `A commit waits for the log but where its write goes with the next`() async throws {
        var options = PostgresStore.Options()
        options.connections = 1
        let store = try await PostgresCluster.shared().emptyDatabase().open(options)
        for isolation in [Isolation.rows, .full, .exclusive] {
            for (durability, expected) in [(Durability.withNext, "off"), (.atOnce, "on")] {
                let setting = try await store.write(isolation, durability) { transaction -> SQLValue? in
                    guard let transaction = transaction as? SQLTransaction else { throw NotSQL() }
                    var setting: SQLValue?
                    try transaction.connection.query(Self.commitSetting, []) { setting = try $0.value(0) }
                    return setting
                }
                #expect(setting == .text(expected), "\(isolation)")
            }
        }
        // What goes beyond its rows runs again, and goes with the next all the same.
        let setting = try await store.write(.rows, .withNext) { transaction in
            try raw(transaction, "SELECT current_setting('synchronous_commit')").first?.values.first
        }
        #expect(setting == .text("off"))
        await store.close()
    }

    private func twoServers() async throws -> [PostgresStore] {
        let database = try await PostgresCluster.shared().emptyDatabase()
        return [try await database.open(.patient), try await database.open(.patient)]
    }
}
