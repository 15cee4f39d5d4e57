import CountersignCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StorePostgres
@testable import StoreSQL

extension PostgresTests {
    @Test
    func `A write whose connection is ended in its middle is run again, and done once`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let store = try await database.open()
        let runs = Mutex(0)
        let gate = Gate()
        let write = Task {
            try await store.write { transaction in
                try increment("k", in: transaction)
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                if run == 1 { try gate.pass() }
            }
        }
        await gate.isReached()
        try await database.endConnections()
        gate.open()
        try await write.value
        #expect(runs.withLock { $0 } == 2)
        #expect(try await store.read { try $0.counter("k") }?.count == 1)
        await store.close()
    }

    @Test
    func `Connections that are ended while they idle are noticed and replaced`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let store = try await database.open()
        for number in 0..<3 {
            #expect(try await store.write { try $0.insert(user("\(number)")) })
            try await database.endConnections()
        }
        #expect(try await store.read { try $0.countUsers() } == 3)
        await store.close()
    }

    @Test
    func `A write whose connection ends while it commits is not run again, because its outcome is unknown`()
        async throws
    {
        let database = try await PostgresCluster.shared().emptyDatabase()
        var options = PostgresStore.Options()
        // However slow the machine is, the commit is under way when its connection ends.
        options.statementTimeout = .seconds(900)
        options.transactionTimeout = .seconds(900)
        let store = try await database.open(options)
        // A trigger that runs within COMMIT, and does not end.
        try await database.run(
            """
            CREATE FUNCTION wait() RETURNS trigger AS 'BEGIN PERFORM pg_sleep(900); RETURN NULL; END' LANGUAGE plpgsql; \
            CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON users DEFERRABLE INITIALLY DEFERRED \
            FOR EACH ROW EXECUTE FUNCTION wait()
            """)
        let runs = Mutex(0)
        let write = Task {
            try await store.write { transaction in
                runs.withLock { $0 += 1 }
                return try transaction.insert(user("u"))
            }
        }
        try await database.isCommitting()
        try await database.endConnections(where: "query = 'COMMIT' AND state = 'active'")
        let error = await #expect(throws: StoreError.self) { try await write.value }
        #expect(error?.code == .outcomeUnknown, "\(error as Any)")
        #expect(runs.withLock { $0 } == 1)
        await store.close()
    }

    @Test
    func `The database may be restarted, and may crash, under load: what was acknowledged is there, and once`()
        async throws
    {
        let cluster = try await PostgresCluster.stoppable()
        let store = try await cluster.emptyDatabase().open()
        for way in ["stop", "crash", "kill"] {
            let load = Load()
            let lanes = (0..<6).map { lane in Task { try await load.run("\(way) \(lane)", on: store) } }
            // Each has done something before it goes away, and something after it is back.
            try await eventually { load.done >= 6 }
            switch way {
            case "stop": try await cluster.stop()
            case "crash": try await cluster.crash()
            default: try await cluster.kill()
            }
            try await cluster.startAgain()
            let before = load.done
            try await eventually { load.done >= before + 6 }
            load.end()
            var (done, unknown) = (0, 0)
            for lane in lanes {
                let result = try await lane.value
                #expect(result.done <= result.counted && result.counted <= result.done + result.unknown, "\(way)")
                done += result.done
                unknown += result.unknown
            }
            // One commit a connection may have been under way.
            #expect(done > 0 && unknown <= PostgresStore.Options().connections, "\(done) done, \(unknown) unknown")
        }
        await store.close()
    }

    @Test
    func `While the database is away everything is refused in good time, and afterwards done again`() async throws {
        let cluster = try await PostgresCluster.stoppable()
        var options = PostgresStore.Options()
        options.connections = 2
        // Others may wait for their turn for longer than for a database that is away.
        options.patience = .seconds(900)
        options.outagePatience = .milliseconds(300)
        let store = try await cluster.emptyDatabase().open(options)
        #expect(try await store.write { try $0.insert(user("u")) })
        try await cluster.stop()
        let begin = ContinuousClock.now
        let refused = try await together(10) { number in
            do {
                _ = try await store.read { try $0.countUsers() }
                return false
            } catch let error as StoreError {
                #expect(error.code == .unavailable)
                return true
            }
        }
        #expect(refused == 10)
        // Far less than the patience for a turn, however slow the machine is.
        #expect(ContinuousClock.now - begin < .seconds(300))
        try await cluster.startAgain()
        #expect(try await store.read { try $0.countUsers() } == 1)
        await store.close()
    }
}

/// Writes, again and again, until it is told to end.
private final class Load: Sendable {
    private let isOver = Mutex(false)
    private let acknowledged = Mutex(0)

    /// Writes of all lanes that were acknowledged.
    var done: Int { acknowledged.withLock { $0 } }

    func end() {
        isOver.withLock { $0 = true }
    }

    /// - Returns: how many increments were acknowledged, of how many the outcome is unknown, and how many the store
    ///   counts.
    func run(_ key: String, on store: PostgresStore) async throws -> (done: Int, unknown: Int, counted: Int) {
        var (done, unknown) = (0, 0)
        while !isOver.withLock({ $0 }) {
            do {
                try await store.write { try increment(key, in: $0) }
                done += 1
                acknowledged.withLock { $0 += 1 }
            } catch let error as StoreError where error.code == .outcomeUnknown {
                unknown += 1
            } catch let error as StoreError where error.code == .unavailable {
                // Nothing was written: the count below shows it.
            }
        }
        return (done, unknown, try await store.read { try $0.counter(key) }?.count ?? 0)
    }
}
