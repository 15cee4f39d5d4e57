import CoreTestSupport
import CountersignCore
import Foundation
import Testing

@testable import AdminServer

@Suite("The same for many users")
struct BulkTests {
    @Test func `No user is begun when the time is over, and those who are left are named`() async throws {
        var tried: [String] = []
        let (answer, failure) = await ChangeUsers.each(["a", "b", "c", "d"], until: { tried.count >= 2 }) { user in
            tried.append(user)
            if user == "b" { throw AdministrationError(.refused, "No.") }
        }
        #expect(failure == nil)
        #expect(tried == ["a", "b"] && answer.done == 1 && answer.left == ["c", "d"])
        #expect(answer.refused == [.init(user: "b", reason: "No.")])
        // The first is tried in any case, so that a call gets on.
        let late = await ChangeUsers.each(["a"], until: { true }) { _ in }
        #expect(late.answer.done == 1 && late.answer.left == nil)
    }

    @Test func `What breaks off in the middle is in the log with its sums`() async throws {
        let faults = FaultyStore(try await TestStore.sqlite.open())
        let test = try TestRealm.make(keptIn: faults)
        var users: [String] = []
        for name in ["ada", "ben", "cid"] {
            users.append(try await test.addUser(EmailAddress(kept: "\(name)@example.org")).id.rawValue)
        }
        users.insert("nobody", at: 1)
        _ = try await ChangeUsers(action: "disable", users: users)
            .perform(on: test.realm, as: .commandLine, by: .commandLine)
        test.clock.advance(1)
        // Enabling a user is one write: the first user's is spared, and the second's fails.
        faults.set(.away, after: 1, for: 1)
        let job = ChangeUsers(action: "enable", users: users)
        await #expect(throws: StoreError.self) {
            try await job.perform(on: test.realm, as: .commandLine, by: .commandLine)
        }
        let events = try await test.realm.auditLog.events(limit: 100)
        #expect(events.filter { $0.kind == .userEnabled }.map(\.userID?.rawValue) == [users[0]])
        let sums = try #require(events.first { $0.kind == .usersBulk && $0.details["action"] == "enable" })
        #expect(
            sums.details == [
                "action": "enable", "done": .integer(1), "refused": .integer(1), "left": .integer(2),
                "failed": .bool(true),
            ], "\(sums.details)")
    }
}
