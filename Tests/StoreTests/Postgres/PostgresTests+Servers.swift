import CountersignCore
import Foundation
import TestSupport
import Testing

@testable import StorePostgres
@testable import StoreSQL

/// Two stores on one database, as two servers have them.
extension PostgresTests {
    @Test
    func `Increments through two servers at once are all counted`() async throws {
        try await withTwoServers { stores in
            var rounds = 0
            // Until the servers meet: the first time, unless the machine lets one wait until the other is done.
            repeat {
                rounds += 1
                _ = try await together(300) { number in
                    try await stores[number % 2].write { try increment("k", in: $0) }
                    return true
                }
            } while rounds < 20 && !stores.contains { $0.statistics.lostRaces > 0 }
            #expect(try await stores[0].read { try $0.counter("k") }?.count == 300 * rounds)
            #expect(stores.contains { $0.statistics.lostRaces > 0 }, "the servers met")
        }
    }

    @Test
    func `An address is taken once, and one revision is changed once, through whichever server`() async throws {
        try await withTwoServers { stores in
            let signUps = try await together(40) { number in
                try await stores[number % 2].write { try $0.insert(user("\(number)", email: "one@example.org")) }
            }
            #expect(signUps == 1)
            _ = try await stores[0].write { try $0.insert(user("u")) }
            let changes = try await together(40) { number in
                try await stores[number % 2].write { try $0.update(user("u")) }
            }
            #expect(changes == 1)
        }
    }

    /// Neither writes what the other read, so that only SERIALIZABLE notices: the first keys of a realm, or one factor
    /// more than a user may have.
    @Test
    func `Of two servers that find nothing and insert, one inserts`() async throws {
        try await withTwoServers { stores in
            for round in 0..<20 {
                let insertions = try await together(2) { number in
                    try await stores[number].write { transaction in
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
        }
    }

    @Test
    func `What one server has committed, the other reads at once`() async throws {
        try await withTwoServers { stores in
            for number in 0..<20 {
                let (writer, reader) = (stores[number % 2], stores[1 - number % 2])
                try await writer.write { _ = try $0.insert(user("\(number)")) }
                let count = try await reader.read { try $0.countUsers() }
                #expect(count == number + 1)
            }
        }
    }

    private func withTwoServers(_ body: ([PostgresStore]) async throws -> Void) async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let stores = [try await database.open(), try await database.open()]
        try await body(stores)
        for store in stores { await store.close() }
    }
}

func increment(_ key: String, in transaction: any StoreTransaction) throws {
    var counter = try transaction.counter(key) ?? AttemptCounter(key: key, since: Date(microseconds: 0))
    counter.count += 1
    try transaction.put(counter)
}

/// Does something that many times at once and counts the yeses.
func together(_ times: Int, _ body: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
    try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<times {
            group.addTask { try await body(number) }
        }
        return try await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }
}
