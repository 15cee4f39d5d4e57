import CountersignCore
import Foundation
import Testing

@Suite("The log")
struct AuditTests {
    @Test("A source that is out of answers writes nothing more into the log")
    func logOfFlood() async throws {
        let test = try await TestRealm.make()
        let client = test.client(from: "192.0.2.1")
        let now = test.now
        try await test.store.write { try $0.put(AttemptCounter(key: "answers/192.0.2.1", count: 100, since: now)) }
        for _ in 0..<5 { #expect(try await test.signIn(by: client).reason == .sourceLimited) }
        #expect(try await test.events(.answerRefused).isEmpty)
    }
}
