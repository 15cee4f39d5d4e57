import CountersignCore
import Foundation
import StorePostgres
import Synchronization
import TestSupport
import Testing

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
}
