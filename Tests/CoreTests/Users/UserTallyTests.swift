import Foundation
import Testing

@testable import CountersignCore

@Suite("About how many users there are")
struct UserTallyTests {
    private func add(_ count: Int, _ prefix: String, to test: TestRealm) async throws {
        let now = test.now
        try await test.store.write { transaction in
            for number in 0..<count {
                _ = try transaction.insert(User(id: UserID(rawValue: "\(prefix)\(number)"), email: nil, createdAt: now))
            }
        }
    }

    @Test(arguments: TestStore.available)
    func `Few users are counted, and of many it is known what was counted within the hour`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let accounts = test.realm.accounts
        func estimate() async throws -> UserEstimate { try await accounts.estimate(step: 5) }
        #expect(try await estimate() == UserEstimate(users: 0, precision: .exact))
        try await add(4, "a", to: test)
        // There is nothing to keep of them.
        try await accounts.tally(step: 5)
        #expect(try await test.store.read { try UserTally.read($0) } == nil)
        #expect(try await estimate() == UserEstimate(users: 4, precision: .exact))
        try await add(10, "b", to: test)
        #expect(try await estimate() == UserEstimate(users: 5, precision: .atLeast))
        try await accounts.tally(step: 5)
        #expect(try await estimate() == UserEstimate(users: 14, precision: .about))

        // Another count comes after an hour, or where the clock was set back.
        try await add(3, "c", to: test)
        test.clock.advance(3599)
        try await accounts.tally(step: 5)
        #expect(try await estimate() == UserEstimate(users: 14, precision: .about))
        test.clock.advance(1)
        try await accounts.tally(step: 5)
        #expect(try await estimate() == UserEstimate(users: 17, precision: .about))
        _ = try await accounts.deleteAll(by: test.client)
        #expect(try await estimate() == UserEstimate(users: 0, precision: .exact))
        // What was counted when there were few says nothing of many.
        try await test.store.write { [now = test.now] in try UserTally(count: 3, at: now).put(in: $0) }
        try await add(20, "d", to: test)
        #expect(try await estimate() == UserEstimate(users: 5, precision: .atLeast))
        // A later version writes it as it likes.
        try await test.store.write { try $0.putDocument("user-tally", Data("[]".utf8)) }
        #expect(try await estimate() == UserEstimate(users: 5, precision: .atLeast))
        try await accounts.tally(step: 5)
        #expect(try await estimate() == UserEstimate(users: 20, precision: .about))
    }

    @Test
    func `Cleaning counts them`() async throws {
        let test = try await TestRealm.make()
        try await add(UserTally.step + 1, "u", to: test)
        #expect(try await test.realm.accounts.estimate() == UserEstimate(users: UserTally.step, precision: .atLeast))
        try await test.realm.maintenance.run()
        #expect(try await test.realm.accounts.estimate() == UserEstimate(users: 5000, precision: .about))
        #expect(try await test.store.read { try UserTally.read($0) }?.count == UserTally.step + 1)
    }

    @Test(arguments: [
        (0, 0), (7, 7), (99, 99), (100, 100), (104, 100), (105, 110), (996, 1000), (5432, 5400), (1_234_567, 1_200_000),
        (1_250_000, 1_300_000), (999_999, 1_000_000),
    ])
    func `What was counted is rounded to two digits`(count: Int, shown: Int) {
        #expect(UserEstimate.about(count).users == shown)
    }
}
