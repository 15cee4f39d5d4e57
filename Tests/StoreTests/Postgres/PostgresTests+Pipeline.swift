import CountersignCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StorePostgres
@testable import StoreSQL

/// Statements that are sent before the answers of those before are there.
extension PostgresTests {
    private static func flow(_ number: UInt8, of user: String? = nil) -> FlowRecord {
        FlowRecord(
            digest: Data([number]), userID: user.map(UserID.init(rawValue:)), purpose: "p",
            createdAt: Date(microseconds: 1), expiresAt: Date(microseconds: 2), body: Data())
    }

    private static func connection(_ transaction: any StoreTransaction) throws -> any SQLConnection {
        guard let transaction = transaction as? SQLTransaction else { throw NotSQL() }
        return transaction.connection
    }

    @Test
    func `Reads wait for answers, and all changes after the last read for one together`() async throws {
        var options = PostgresStore.Options()
        options.connections = 1
        let store = try await PostgresCluster.shared().emptyDatabase().open(options)
        @Sendable func write(_ number: UInt8, reads: Int) async throws -> Int {
            let before = store.statistics.roundTrips
            try await store.write { transaction in
                for _ in 0..<reads { #expect(try transaction.flow(digest: Data([number])) == nil) }
                for offset in UInt8(0)..<5 { #expect(try transaction.insert(Self.flow(number + offset))) }
                try transaction.putDocument("d", Data([number]))
                try transaction.put(AttemptCounter(key: "k\(number)", since: Date(microseconds: 1)))
            }
            return store.statistics.roundTrips - before
        }
        // BEGIN goes with the first; one for the changes that are taken for done, and one for the commit.
        #expect(try await write(0, reads: 0) == 2)
        #expect(try await write(10, reads: 1) == 3)
        #expect(try await write(20, reads: 3) == 5)
        let before = store.statistics.roundTrips
        // What nothing depends on goes with the commit.
        try await store.write { try $0.putDocument("d", Data([1])) }
        #expect(store.statistics.roundTrips - before == 1)
        #expect(try await store.read { try $0.document("d") } == Data([1]))
        #expect(try await store.read { try $0.counter("k20") } != nil)
        await store.close()
    }

    @Test
    func `A write that keeps to its rows sends its changes with the commit, and asks at once for what it expects`()
        async throws
    {
        var options = PostgresStore.Options()
        options.connections = 1
        let store = try await PostgresCluster.shared().emptyDatabase().open(options)
        try await store.write { transaction in
            for number in UInt8(0)..<3 { try #require(try transaction.insert(Self.flow(number))) }
        }
        func roundTrips(_ body: @escaping @Sendable (any StoreTransaction) throws -> Void) async throws -> Int {
            let before = store.statistics.roundTrips
            try await store.write(.rows, body)
            return store.statistics.roundTrips - before
        }
        let ofAnInsert = try await roundTrips { try #require(try $0.insert(Self.flow(10))) }
        #expect(ofAnInsert == 1)
        let ofFourQuestions = try await roundTrips { transaction in
            try transaction.expect(.flow(digest: Data([1])))
            try transaction.expect(.counters(["a", "b"]))
            try transaction.expect(.presentTime)
            guard var flow = try transaction.flow(digest: Data([0])) else { throw NotSQL() }
            #expect(try transaction.flow(digest: Data([1]), beside: []).flow?.digest == Data([1]))
            try transaction.readCounters(["a", "b"])
            for key in ["a", "b"] { try increment(key, in: transaction) }
            #expect(try transaction.presentTime() != nil)
            flow.attempts += 1
            #expect(try transaction.update(flow))
        }
        #expect(ofFourQuestions == 2)
        #expect(try await store.read { try $0.flow(digest: Data([0])) }?.attempts == 1)
        #expect(try await store.read { try $0.counter("b") }?.count == 1)
        await store.close()
    }

    @Test
    func `Nothing is committed where a change that went with the commit did nothing`() async throws {
        let store = try await PostgresCluster.shared().emptyDatabase().open()
        try await store.write { transaction in
            for number in UInt8(0)..<2 { try #require(try transaction.insert(Self.flow(number))) }
        }
        let runs = Mutex<[[Bool]]>([])
        let changes: [Bool] = try await store.write(.rows) { transaction in
            let stale = FlowRecord(
                digest: Data([1]), userID: nil, purpose: "p", revision: 7, createdAt: Date(microseconds: 1),
                expiresAt: Date(microseconds: 2), body: Data())
            let changes = [
                try transaction.insert(Self.flow(2)), try transaction.insert(Self.flow(0)),
                try transaction.update(stale), try transaction.deleteFlow(digest: Data([9])),
            ]
            runs.withLock { $0.append(changes) }
            if changes.allSatisfy(\.self) {
                try transaction.put(AttemptCounter(key: "k", since: Date(microseconds: 1)))
            }
            return changes
        }
        let exact = [true, false, false, false]
        #expect(changes == exact)
        #expect(runs.withLock { $0 } == [[true, true, true, true], exact])
        #expect(try await store.read { try $0.counter("k") } == nil, "what the first run left")
        #expect(try await store.read { try $0.flow(digest: Data([2])) } != nil)
        await store.close()
    }

    @Test
    func `A change that waits for a row when its connection is ended was not committed, and is run again`() async throws
    {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let (holder, store) = (try await database.open(), try await database.open())
        #expect(try await store.write { try $0.insert(Self.flow(1)) })
        let gate = Gate()
        let held = Task {
            try await holder.write(.rows) { transaction in
                guard var flow = try transaction.flow(digest: Data([1])) else { throw NotSQL() }
                flow.attempts += 1
                #expect(try transaction.update(flow))
                // It has to be sent before the gate holds the thread.
                _ = try transaction.counter("k")
                try gate.pass()
            }
        }
        await gate.isReached()
        let runs = Mutex(0)
        let write = Task {
            try await store.write(.rows) { transaction in
                runs.withLock { $0 += 1 }
                guard var flow = try transaction.flow(digest: Data([1])) else { throw NotSQL() }
                flow.attempts += 1
                return try transaction.update(flow)
            }
        }
        try await database.run(
            """
            DO $$ BEGIN FOR look IN 1..12000 LOOP \
            IF EXISTS (SELECT FROM pg_stat_activity \
            WHERE application_name = current_schema() AND wait_event_type = 'Lock') THEN RETURN; END IF; \
            PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.05); END LOOP; \
            RAISE EXCEPTION 'no change waits'; END $$
            """)
        try await database.endConnections(where: "wait_event_type = 'Lock'")
        gate.open()
        try await held.value
        #expect(try await write.value)
        #expect(runs.withLock { $0 } > 1)
        #expect(try await store.read { try $0.flow(digest: Data([1])) }?.attempts == 2)
        for store in [holder, store] { await store.close() }
    }

    @Test
    func `What a pooler says in place of a server that it lost leaves the outcome of a commit unknown`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let store = try await database.open()
        #expect(try await store.write { try $0.insert(Self.flow(1)) })
        // As PgBouncer answers what it sent to a server that is gone, done or not.
        try await database.run(
            """
            CREATE FUNCTION lose() RETURNS trigger AS \
            'BEGIN RAISE EXCEPTION ''server conn crashed?'' USING ERRCODE = ''08P01''; END' LANGUAGE plpgsql; \
            CREATE TRIGGER lost BEFORE UPDATE ON flows FOR EACH ROW EXECUTE FUNCTION lose()
            """)
        let runs = Mutex(0)
        let error = await #expect(throws: StoreError.self) {
            try await store.write(.rows) { transaction in
                runs.withLock { $0 += 1 }
                guard var flow = try transaction.flow(digest: Data([1])) else { throw NotSQL() }
                flow.attempts += 1
                return try transaction.update(flow)
            }
        }
        #expect(error?.code == .outcomeUnknown, "\(error as Any)")
        #expect(runs.withLock { $0 } == 1)
        await store.close()
    }

    @Test
    func `Where a change does nothing, the body is run again with exact answers`() async throws {
        let store = try await PostgresCluster.shared().emptyDatabase().open()
        #expect(try await store.write { try $0.insert(user("u", email: "a@example.org")) })
        let runs = Mutex<[[Bool]]>([])
        let changes: [Bool] = try await store.write { transaction in
            let changes = [
                try transaction.insert(user("v", email: "a@example.org")),
                try transaction.insert(user("w")),
                try transaction.update(user("missing")),
                try transaction.deleteFlow(digest: Data([1])),
                try transaction.insert(Self.flow(1, of: "missing")),
            ]
            runs.withLock { $0.append(changes) }
            return changes
        }
        let exact = [false, true, false, false, false]
        #expect(changes == exact)
        #expect(runs.withLock { $0 } == [[true, true, true, true, true], exact])
        #expect(try await store.read { try $0.users(after: nil, limit: 9) }.map(\.id.rawValue) == ["u", "w"])
        await store.close()
    }

    @Test
    func `What a body reads, throws or swallows on account of a foreseen change does not count`() async throws {
        struct Taken: Error {}
        let store = try await PostgresCluster.shared().emptyDatabase().open()
        #expect(try await store.write { try $0.insert(user("u")) })
        // It throws because it was told that the change was made.
        let isInserted = try await store.write { transaction in
            let isInserted = try transaction.insert(user("u"))
            if isInserted { throw Taken() }
            return isInserted
        }
        #expect(!isInserted)
        // The query after it finds out, and the body hides that.
        let count = try await store.write { transaction -> Int? in
            let isInserted = try transaction.insert(user("u"))
            let count = try? transaction.countUsers()
            return isInserted ? nil : count
        }
        #expect(count == 1)
        // What it throws for a reason of its own is passed on, and undoes everything.
        await #expect(throws: Taken.self) {
            try await store.write { transaction in
                _ = try transaction.insert(user("v"))
                throw Taken()
            }
        }
        #expect(try await store.read { try $0.countUsers() } == 1)
        await store.close()
    }

    @Test
    func `A failure in the middle of what was sent together undoes all of it, and the connection goes on`() async throws
    {
        var options = PostgresStore.Options()
        options.connections = 1
        let store = try await PostgresCluster.shared().emptyDatabase().open(options)
        let failing = SQLStatement("INSERT INTO documents (name, body) VALUES ($1, NULL)")
        let afterwards = SQLStatement("INSERT INTO documents (name, body) VALUES ($1, ''::bytea)")
        for readsAfterwards in [false, true] {
            let error = await #expect(throws: StoreError.self) {
                try await store.write { transaction in
                    try transaction.putDocument("before", Data())
                    try Self.connection(transaction).send(failing, [.text("within")])
                    try Self.connection(transaction).send(afterwards, [.text("after")])
                    if readsAfterwards { _ = try transaction.countUsers() }
                }
            }
            #expect(error?.description.hasPrefix("PostgreSQL 23502") == true, "\(error as Any)")
            #expect(error?.description.contains("VALUES ($1, NULL)") == true, "\(error as Any)")
        }
        for name in ["before", "within", "after"] {
            #expect(try await store.read { try $0.document(name) } == nil, "\(name)")
        }
        // What was passed over is prepared when it is used again.
        try await store.write { try Self.connection($0).send(afterwards, [.text("after")]) }
        #expect(try await store.read { try $0.document("after") } == Data())
        #expect(store.statistics.connectionsMade == 1)
        await store.close()
    }

    @Test
    func `A connection that ends under what was sent has written nothing, and the body is run again`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let store = try await database.open()
        let runs = Mutex(0)
        let gate = Gate()
        let write = Task {
            try await store.write { transaction in
                _ = try transaction.countUsers()
                let isInserted = try transaction.insert(user("u"))
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                if run == 1 { try gate.pass() }
                return (isInserted, try transaction.countUsers())
            }
        }
        await gate.isReached()
        try await database.endConnections()
        gate.open()
        let (isInserted, count) = try await write.value
        #expect(isInserted)
        #expect(count == 1)
        #expect(runs.withLock { $0 } == 2)
        await store.close()
    }

    @Test
    func `A transaction that only reads refuses also what is sent along`() async throws {
        let store = try await PostgresCluster.shared().emptyDatabase().open()
        let error = await #expect(throws: StoreError.self) { try await store.read { try $0.putDocument("d", Data()) } }
        #expect(error?.description.hasPrefix("PostgreSQL 25006") == true, "\(error as Any)")
        await store.close()
    }

    @Test
    func `Very many changes in one transaction are all made`() async throws {
        let store = try await PostgresCluster.shared().emptyDatabase().open()
        let large = Data(repeating: 7, count: 2000)
        try await store.write { transaction in
            // Names in their own order, in which all transactions lock rows.
            for number in 1000..<3000 { try transaction.putDocument("\(number)", large) }
        }
        #expect(try await store.read { try $0.document("2999") } == large)
        await store.close()
    }
}
