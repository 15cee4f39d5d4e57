import Foundation
import Testing

@testable import AdminServer

@Suite("The same for many users")
struct BulkTests {
    @Test func `No user is begun when the time is over, and those who are left are named`() async throws {
        var tried: [String] = []
        let answer = try await ChangeUsers.each(["a", "b", "c", "d"], until: { tried.count >= 2 }) { user in
            tried.append(user)
            if user == "b" { throw AdministrationError(.refused, "No.") }
        }
        #expect(tried == ["a", "b"] && answer.done == 1 && answer.left == ["c", "d"])
        #expect(answer.refused == [.init(user: "b", reason: "No.")])
        // The first is tried in any case, so that a call gets on.
        let late = try await ChangeUsers.each(["a"], until: { true }) { _ in }
        #expect(late.done == 1 && late.left == nil)
    }
}
