import CountersignCore
import Foundation
import TestSupport
import Testing

@testable import StorePostgres
@testable import StoreSQL

/// A database that is there and does not answer, as one whose machine swaps, or whose storage hangs.
extension PostgresTests {
    static var hasty: PostgresStore.Options {
        var options = PostgresStore.Options()
        options.connections = 2
        options.patience = .seconds(900)
        options.outagePatience = .seconds(1)
        options.statementTimeout = .seconds(1)
        options.transactionTimeout = .seconds(1)
        options.connectTimeout = .seconds(2)
        return options
    }

    @Test
    func `A frozen database blocks no caller, and is used again when it continues`() async throws {
        let cluster = try await PostgresCluster.stoppable()
        let store = try await opened(cluster.emptyDatabase(), Self.hasty)
        // A second may be too short, on a slow machine, but not each time.
        try await eventuallyDone { _ = try await store.write { try $0.insert(user("u")) } }
        try await cluster.freeze()
        let begin = ContinuousClock.now
        let refused = try await together(12) { number in
            do {
                if number.isMultiple(of: 2) {
                    _ = try await store.read { try $0.countUsers() }
                } else {
                    _ = try await store.write { try $0.insert(user("\(number)")) }
                }
                return false
            } catch let error as StoreError {
                #expect(error.code == .unavailable, "\(error)")
                return true
            }
        }
        let took = ContinuousClock.now - begin
        // A statement's time and its margin, or a connection's; far less than the patience for a turn, however slow the machine is.
        #expect(took < .seconds(300), "\(took)")
        try await cluster.thaw()
        #expect(refused == 12)
        #expect(store.statistics.silences > 0)
        // Both connections are good again, and no thread is left behind.
        try await eventuallyDone {
            _ = try await together(4) { number in try await store.write { try $0.insert(user("after \(number)")) } }
        }
        let count = try await store.read { try $0.countUsers() }
        #expect(count == 5)
        await store.close()
    }

    @Test
    func `An unanswered commit has an unknown outcome, and its caller is told in time`() async throws {
        let cluster = try await PostgresCluster.stoppable()
        let store = try await opened(cluster.emptyDatabase(), Self.hasty)
        let gate = Gate()
        let write = Task {
            try await store.write { transaction in
                let isInserted = try transaction.insert(user("u"))
                try gate.pass()
                return isInserted
            }
        }
        await gate.isReached()
        try await cluster.freeze()
        // Before the transaction's own time is up: it would not be committed at all.
        gate.open()
        let error = await #expect(throws: StoreError.self) { try await write.value }
        try await cluster.thaw()
        let isOverdue = error?.code == .unavailable
        #expect(isOverdue || error?.code == .outcomeUnknown, "\(error as Any)")
        try await eventuallyDone {
            let count = try await store.read { try $0.countUsers() }
            // It had reached the server, which did it when it went on.
            if count != (isOverdue ? 0 : 1) { throw Gate.Stuck() }
        }
        await store.close()
    }

    @Test
    func `A transaction that takes too long is undone, and its connection is used again`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        var options = PostgresStore.Options()
        options.connections = 1
        // An answer of the database is to come within it, on a slow machine too.
        options.transactionTimeout = .seconds(2)
        let store = try await database.open(options)
        // Between two statements, and before the commit.
        for goesOn in [true, false] {
            let error = await #expect(throws: StoreError.self) {
                try await store.write { transaction in
                    _ = try transaction.insert(user("u"))
                    Thread.sleep(forTimeInterval: 2.2)
                    if goesOn { _ = try transaction.countUsers() }
                }
            }
            #expect(error?.code == .unavailable)
            #expect(error?.description.contains("took longer than") == true, "\(error as Any)")
        }
        try await eventuallyDone {
            let count = try await store.read { try $0.countUsers() }
            #expect(count == 0)
        }
        #expect(store.statistics.connectionsMade == 1)
        await store.close()
    }

    private static func waiting(for patience: Duration?) -> PostgresStore.Options {
        var options = PostgresStore.Options()
        options.startPatience = patience
        return options
    }

    @Test
    func `A store that is opened while the database is away waits for it, as long as it is told`() async throws {
        let cluster = try await PostgresCluster.stoppable()
        let database = try await cluster.emptyDatabase()
        try await cluster.stop()
        let bounded = Self.waiting(for: .milliseconds(300))
        let error = await #expect(throws: StoreError.self) { _ = try await database.open(bounded) }
        #expect(error?.code == .unavailable)
        let patient = Self.waiting(for: nil)
        let cancelled = Task { try await database.open(patient) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        let opening = Task { try await database.open(patient) }
        try await cluster.startAgain()
        let store = try await opening.value
        #expect(try await store.write { try $0.insert(user("u")) })
        await store.close()
        // What waiting does not mend is told at once.
        let elsewhere = Secret(cluster.url().replacingOccurrences(of: "/postgres?", with: "/nowhere?"))
        let refusal = await #expect(throws: StoreError.self) {
            _ = try await PostgresStore.open(url: elsewhere, options: patient)
        }
        #expect(refusal?.description.contains("nowhere") == true, "\(refusal as Any)")
    }

    @Test
    func `The database tells the time`() async throws {
        let store = try await PostgresCluster.shared().emptyDatabase().open()
        let (begin, end) = (SystemClock().now, try await store.read { try $0.presentTime() })
        let time = try #require(end)
        #expect(time >= begin && time <= SystemClock().now)
        await store.close()
    }
}

/// A store whose limits a slow machine may not keep to when it is opened, but does once: what is in the schema is made without them.
func opened(_ database: TestDatabase, _ options: PostgresStore.Options) async throws -> PostgresStore {
    let first = try await database.open()
    await first.close()
    return try await eventuallyDone { try await database.open(options) }
}

/// Does something until it does not fail any more, for ten minutes at most.
@discardableResult
func eventuallyDone<T>(_ body: () async throws -> T) async throws -> T {
    let end = ContinuousClock.now + .seconds(600)
    while true {
        do {
            return try await body()
        } catch {
            guard ContinuousClock.now < end else { throw error }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
