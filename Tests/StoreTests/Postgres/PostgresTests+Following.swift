import CountersignCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StorePostgres
@testable import StoreSQL

/// Writes that begin behind the commit of another, with which they are sent (`docs/decisions/0580`).
///
/// Six connections are served together or by threads of their own, so that most of two hundred writes find none that has nothing to do.
extension PostgresTests {
    @Test
    func `Of many writes at once most wait for one answer, and alone one waits for two`() async throws {
        let (_, store) = try await seeded(400, connections: 6)
        // Connections for writes together are made when there are several to run.
        _ = try await each(400) { number in try await store.write(.rows) { try add(number, in: $0) } }
        func roundTrips(of work: () async throws -> Void) async throws -> (transactions: Int, roundTrips: Int) {
            let before = store.statistics
            try await work()
            let after = store.statistics
            return (after.transactions - before.transactions, after.roundTrips - before.roundTrips)
        }
        let many = try await roundTrips {
            let told = try await each(400) { number in try await store.write(.rows) { try add(number, in: $0) } }
            #expect(told == Array(repeating: 2, count: 400))
        }
        #expect(many.transactions == 400)
        #expect(many.roundTrips < 700, "two each would be 800")
        let alone = try await roundTrips {
            let told = try await store.write(.rows) { try add(0, in: $0) }
            #expect(told == 3)
        }
        #expect(alone == (1, 2))
        await store.close()
    }

    @Test
    func `Behind a commit that does nothing all that follows is done all the same, once`() async throws {
        let (_, store) = try await seeded(200, connections: 6)
        let told = try await each(200) { number -> Int in
            try await store.write(.rows) { transaction in
                guard try transaction.flow(digest: flow(number).digest) != nil else { throw NotDone() }
                // A row that is not there: what was foreseen is not so.
                if number % 3 == 0 { return try transaction.update(flow(1000 + number)) ? number : -number }
                try add(number, in: transaction)
                return number
            }
        }
        #expect(told == (0..<200).map { $0 % 3 == 0 ? -$0 : $0 })
        #expect(try await attempts(200, in: store) == (0..<200).map { $0 % 3 == 0 ? 0 : 1 })
        await store.close()
    }

    @Test
    func `Who commits is told so while the one behind waits for a row`() async throws {
        let (database, store) = try await seeded(40, connections: 8)
        _ = try await each(200) { number in
            try await store.write(.rows) { try $0.flow(digest: flow(number).digest) != nil }
        }
        let holder = try await LockHolder(of: [1], in: database)
        let (told, teller) = AsyncStream<Int>.makeStream()
        let writes = Task {
            try await each(30) { number -> Int in
                let attempts = try await store.write(.rows) { transaction in
                    // Two of them lock the row before they ask for anything.
                    if number == 12 || number == 13 { try transaction.reserve([.flow(flow(1).digest)]) }
                    return try add(number + 5, in: transaction)
                }
                teller.yield(number)
                return attempts
            }
        }
        var first: Set<Int> = []
        for await number in told {
            first.insert(number)
            if first.count == 28 { break }
        }
        #expect(first == Set(0..<30).subtracting([12, 13]))
        try await holder.release()
        #expect(try await writes.value == Array(repeating: 1, count: 30))
        await store.close()
    }

    /// A write that excludes all others waits for those that have begun, and what begins behind them finds it waiting.
    @Test
    func `What cannot begin behind a commit, as another write excludes it, begins by itself`() async throws {
        let (_, store) = try await seeded(120, connections: 6)
        let told = try await each(120) { number in
            try await store.write(number % 10 == 9 ? .exclusive : .rows) { transaction in
                try increment("c/\(number)", in: transaction)
                return try add(number, in: transaction)
            }
        }
        #expect(told == Array(repeating: 1, count: 120))
        #expect(try await counts(120, in: store) == told)
        #expect(store.statistics.silences == 0)
        await store.close()
    }

    /// Asks for nothing, so that it is sent with its commit, and shows how often it was done.
    private static let counting = SQLStatement(
        "UPDATE flows SET attempts = attempts + 1 WHERE digest = $1", isByRow: true)

    /// Number 0 holds the thread that runs several until the database is frozen; what came meanwhile begins one behind the other.
    @Test
    func `What was sent whole behind a commit that is not answered has an unknown outcome too, and is not done twice`()
        async throws
    {
        var options = Self.hasty
        options.connections = 6
        options.transactionTimeout = .seconds(600)
        let cluster = try await PostgresCluster.stoppable()
        let database = try await cluster.emptyDatabase()
        let store = try await opened(database, options)
        try await eventuallyDone {
            try await store.write { transaction in
                for number in 0..<40 { _ = try transaction.insert(flow(number)) }
            }
        }
        // Connections for writes together are made when there are several to run.
        _ = try await each(400) { number in
            try? await store.write(.rows) { try $0.flow(digest: flow(number).digest) != nil }
        }
        let gate = Gate()
        let writes = Task {
            try await each(40) { number in
                try await outcome {
                    try await store.write(.rows) { transaction in
                        if number == 0 { try gate.pass() }
                        guard let connection = (transaction as? SQLTransaction)?.connection else { throw NotDone() }
                        try connection.send(Self.counting, [SQLValue(flow(number).digest)])
                    }
                }
            }
        }
        await gate.isReached()
        try await cluster.freeze()
        gate.open()
        let told = await writes.result
        try await cluster.thaw()
        await store.close()
        // What the database had received by then it does when it goes on.
        try await eventuallyDone {
            try await database.sees(
                1,
                sessionsWhere: """
                    pid = pg_backend_pid() AND NOT EXISTS (SELECT FROM pg_stat_activity others \
                    WHERE others.application_name = '\(database.name)' AND others.pid <> pg_backend_pid())
                    """)
        }
        let after = try await eventuallyDone { try await database.open(.patient) }
        let times = try await attempts(40, in: after)
        for (number, outcome) in try told.get().enumerated() {
            #expect(outcome.fits(times[number]), "\(number): \(outcome), \(times[number]) times")
        }
        await after.close()
    }

    @Test
    func `A commit has its time from when it is sent, and what begins behind it from when that is answered`()
        async throws
    {
        let url = try DatabaseURL(Secret(await PostgresCluster.shared().url()))
        var settings = PostgresStore.Options().link
        settings.statementTimeout = .seconds(300)
        settings.transactionTimeout = .seconds(600)
        let link = try PostgresLink(url, settings)
        let begin = SQLStatement("BEGIN", isByRow: true)
        let time = settings.statementTimeout + settings.answerMargin
        try link.begin(begin)
        try link.sendCommit()
        link.beginFollowing()
        try link.begin(begin)
        let sending = ContinuousClock.now
        try link.post()
        let ofCommit = try #require(link.awaited.deadline)
        #expect(ofCommit >= sending + time)
        let asking = ContinuousClock.now
        #expect(try link.leadingCommitted() == "COMMIT")
        let ofNext = try #require(link.awaited.deadline)
        #expect(ofNext >= asking + time)
        try link.collect()
        link.rollBack()
        #expect(link.isUsable)
    }
}
