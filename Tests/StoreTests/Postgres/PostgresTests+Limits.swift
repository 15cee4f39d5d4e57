import CountersignCore
import Foundation
import TestSupport
import Testing

@testable import StorePostgres
@testable import StoreSQL

extension PostgresTests {
    @Test
    func `A statement that takes too long is ended and its write undone`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        var options = PostgresStore.Options()
        // Its statements alone have so little time: on a slow machine it would be too short for others.
        let other = try await database.open()
        options.statementTimeout = .milliseconds(100)
        options.transactionTimeout = .seconds(300)
        let store = try await opened(database, options)
        // A slow machine's server may not even say in time that it ended the statement; but not each time.
        try await eventuallyDone {
            let error = await #expect(throws: StoreError.self) {
                try await store.write { transaction in
                    _ = try transaction.insert(user("u"))
                    try raw(transaction, "SELECT 1 FROM (SELECT pg_sleep(300)) AS slow")
                }
            }
            #expect(error?.code == .unavailable, "\(error as Any)")
            #expect(try await other.read { try $0.countUsers() } == 0)
            if error?.description.contains("57014") != true { throw Gate.Stuck() }
        }
        await store.close()
        await other.close()
    }

    @Test
    func `A write that waits too long for another's row is unavailable`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        var options = PostgresStore.Options()
        options.statementTimeout = .milliseconds(100)
        let (holder, store) = (try await database.open(.patient), try await opened(database, options))
        let gate = Gate()
        let held = Task {
            try await holder.write { transaction in
                try transaction.putDocument("d", Data("first".utf8))
                // A read waits until what was sent before it is done.
                _ = try transaction.document("d")
                try gate.pass()
            }
        }
        await gate.isReached()
        let error = await #expect(throws: StoreError.self) {
            try await store.write { try $0.putDocument("d", Data("second".utf8)) }
        }
        #expect(error?.code == .unavailable)
        gate.open()
        try await held.value
        #expect(try await holder.read { try $0.document("d") } == Data("first".utf8))
        // A statement may take longer than it has on a slow machine, but not each time.
        try await eventuallyDone { try await store.write { try $0.putDocument("d", Data("second".utf8)) } }
        #expect(try await holder.read { try $0.document("d") } == Data("second".utf8))
        await holder.close()
        await store.close()
    }

    @Test
    func `Too many that wait are overloaded at once, one that waits too long a little later`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        var options = PostgresStore.Options.patient
        options.connections = 1
        options.waitingTransactions = 2
        let store = try await database.open(options)
        let (gate, held) = await Gate.holding(store)
        let waiting = (0..<2).map { number in
            Task { try await store.write { try $0.insert(user("\(number)")) } }
        }
        try await eventually { store.statistics.waiting == 2 }
        let full = await #expect(throws: StoreError.self) { try await store.read { try $0.countUsers() } }
        #expect(full?.code == .overloaded)
        gate.open()
        try await held.value
        for write in waiting { #expect(try await write.value) }

        // Those that wait while the test looks at them may wait for longer than these.
        options.patience = .seconds(2)
        let hasty = try await database.open(options)
        let (second, heldAgain) = await Gate.holding(hasty)
        let late = (2..<4).map { number in
            Task { try await hasty.write { try $0.insert(user("\(number)")) } }
        }
        for write in late {
            let error = await #expect(throws: StoreError.self) { try await write.value }
            #expect(error?.code == .overloaded)
        }
        second.open()
        try await heldAgain.value
        #expect(try await store.read { try $0.countUsers() } == 2)
        await store.close()
        await hasty.close()
    }

    @Test
    func `Writes that wait for each other leave a connection to reads`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        var options = PostgresStore.Options.patient
        options.connections = 3
        let store = try await database.open(options)
        let held = [await Gate.holding(store), await Gate.holding(store)]
        let next = Task { try await store.write { try $0.insert(user("u")) } }
        #expect(try await store.read { try $0.countUsers() } == 0)
        for (gate, _) in held { gate.open() }
        for (_, write) in held { try await write.value }
        #expect(try await next.value)
        await store.close()
    }

    @Test
    func `A transaction that stops in its middle is ended by the server`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        var options = PostgresStore.Options()
        options.idleTimeout = .milliseconds(1500)
        options.attempts = 1
        // For all else, as on a slow machine any transaction may idle for so long.
        let other = try await database.open()
        let store = try await opened(database, options)
        let error = await #expect(throws: StoreError.self) {
            try await store.write { transaction in
                _ = try transaction.insert(user("u"))
                // A read waits until what was sent before it is done.
                _ = try transaction.countUsers()
                Thread.sleep(forTimeInterval: 2)
            }
        }
        #expect(error?.code == .unavailable)
        #expect(try await other.read { try $0.countUsers() } == 0)
        await store.close()
        await other.close()
    }

    @Test
    func `A closed store has done what it accepted, and refuses the rest; closing again does nothing`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let store = try await database.open(.patient)
        let (gate, held) = await Gate.holding(store)
        let accepted = Task { try await store.write { try $0.insert(user("u")) } }
        #expect(try await accepted.value)
        async let closed: Void = store.close()
        gate.open()
        await closed
        try await held.value
        await store.close()
        let error = await #expect(throws: StoreError.self) { try await store.read { try $0.countUsers() } }
        #expect(error?.code == .unavailable)
        let again = try await database.open()
        #expect(try await again.read { try $0.countUsers() } == 1)
        await again.close()
    }
}
