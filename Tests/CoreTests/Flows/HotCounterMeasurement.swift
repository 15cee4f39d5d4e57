import Foundation
import StorePostgres
import TestSupport
import Testing

@testable import CountersignCore

/// What the figures of decision 124 were measured with. Run it alone:
/// `MEASURE=1 swift test --filter HotCounterMeasurement`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MEASURE"] == "1"))
struct HotCounterMeasurement {
    private static let rounds = 3
    private static let count = 1000
    private static let workers = 16

    /// The middle of some rounds, of two stores of eight connections on one database.
    private func measure(
        _ name: String, on stores: [PostgresStore],
        _ body: @escaping @Sendable (_ round: Int, _ number: Int) async throws -> Void
    ) async throws {
        var results: [(rate: Int, lost: Int)] = []
        for round in 0..<Self.rounds {
            let before = stores.map(\.statistics.lostRaces).reduce(0, +)
            let begin = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<Self.workers {
                    group.addTask {
                        for number in stride(from: worker, to: Self.count, by: Self.workers) {
                            try await body(round, number)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let seconds = (ContinuousClock.now - begin) / .seconds(1)
            results.append(
                (Int(Double(Self.count) / seconds), stores.map(\.statistics.lostRaces).reduce(0, +) - before))
        }
        let middle = results.sorted { $0.rate < $1.rate }[Self.rounds / 2]
        print("MEASURED \(name): \(middle.rate)/s, \(middle.lost) lost races")
    }

    @Test func `Many writers of one counter are measured`() async throws {
        let cluster = try await PostgresCluster.ofItsOwn()
        defer { cluster.end() }
        let database = try await cluster.emptyDatabase()
        let stores = [try await database.open(), try await database.open()]
        let (random, now) = (SeededRandom(seed: 1), Date(microseconds: ManualClock.beginning))
        for parts in [1, 10, 25, 50] {
            let limit = RateLimit(count: 100, window: 600, parts: parts)
            try await measure("charge and give back, \(parts) counters", on: stores) { _, number in
                let store = stores[number % 2]
                let id = ChargeID(random: random)
                let key = try await store.write { transaction -> String? in
                    let asked = try transaction.ask(
                        [Allowance(limit, "\(parts)")], at: now, as: id.name, from: id.part)
                    guard case .admitted(let counters) = asked else { return nil }
                    try transaction.count(counters)
                    return counters.first?.key
                }
                guard let key else { throw TestFailure() }
                try await store.write { _ = try $0.end(id.name, in: [key], .returned) }
            }
        }
    }

    @Test func `Many sign-ins from one source are measured`() async throws {
        let cluster = try await PostgresCluster.ofItsOwn()
        defer { cluster.end() }
        let database = try await cluster.emptyDatabase()
        let stores = [try await database.open(), try await database.open()]
        let realms = [try TestRealm.make(keptIn: stores[0]), try TestRealm.make(keptIn: stores[1], seed: 2)]
        let people = 2000
        for number in 0..<people { try await realms[0].addUser(EmailAddress(kept: "user\(number)@example.org")) }
        for isOneAddress in [true, false] {
            try await measure("sign-in, \(isOneAddress ? "one address" : "an address each")", on: stores) {
                round, number in
                let realm = realms[number % 2]
                let source = isOneAddress ? "192.0.2.1" : "10.\(round).\(number / 250).\(number % 250)"
                let verdict = try await realm.signIn(
                    EmailAddress(kept: "user\((number * 7 + round * 13) % people)@example.org"),
                    by: realm.client(from: source))
                #expect(verdict.isAccomplished)
            }
        }
    }
}
