import CountersignCore
import Foundation
import Testing

@Suite("Answers that could not be looked at")
struct OverloadTests {
    @Test
    func `An answer that could not be looked at costs nothing`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        test.hasher.meanwhile { _ in throw PasswordHashingOverload(retryAfter: 1) }
        for _ in 0..<30 {
            await #expect(throws: PasswordHashingOverload.self) {
                try await test.signIn(by: test.client(from: "192.0.2.1"))
            }
        }
        test.hasher.meanwhile(nil)
        #expect(try await test.signIn().isAccomplished)
        #expect(try await test.answers(from: "192.0.2.1") ?? 0 == 0)
    }

    @Test
    func `What could not be looked at does not forgive what was looked at and wrong`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        for _ in 0..<10 { _ = try await test.signIn(password: "wrong") }
        test.clock.advance(30)
        test.hasher.meanwhile { _ in throw PasswordHashingOverload(retryAfter: 1) }
        await #expect(throws: PasswordHashingOverload.self) { try await test.signIn() }
        test.hasher.meanwhile(nil)
        test.clock.advance(3600)
        #expect(try await test.signIn(password: "wrong").reason == .wrongAnswer)
        #expect(try await test.signIn().refusal == Refusal(.lockedOut, retryAt: test.now + 60))
    }
}
