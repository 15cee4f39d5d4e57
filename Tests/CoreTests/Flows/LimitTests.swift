import CountersignCore
import Foundation
import OneTimePassword
import Testing

@Suite("Limits of answers")
struct LimitTests {
    @Test
    func `Five wrong codes block the factor for thirty seconds; the fifth right one after that resets the count`()
        async throws
    {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        let id = enrolled.factor.id
        for _ in 0..<5 {
            #expect(try await test.answer(test.wrongCode(enrolled.totp), of: id, for: handle).reason == .wrongAnswer)
        }
        let until = test.now + 30
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: id, for: handle).refusal == Refusal(.lockedOut, retryAt: until))
        test.clock.advance(29)
        #expect(try await test.answer(code, of: id, for: handle).refusal == Refusal(.lockedOut, retryAt: until))
        test.clock.advance(1)
        #expect(try await test.answer(test.wrongCode(enrolled.totp), of: id, for: handle).reason == .wrongAnswer)
        #expect(try await test.answer(code, of: id, for: handle).refusal == Refusal(.lockedOut, retryAt: test.now + 60))
        test.clock.advance(60)
        let later = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(later, of: id, for: handle).isAccomplished)
        #expect(try await test.counter("factor/\(id)") == nil)
    }

    @Test
    func `Ten answers exhaust a flow, and a new flow does not forgive the factor`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let handle = try #require(await test.signIn(lifetime: 86_400).continuation).handle
        for _ in 0..<10 {
            let wrong = test.wrongCode(enrolled.totp)
            #expect(try await test.answer(wrong, of: enrolled.factor.id, for: handle).reason == .wrongAnswer)
            test.clock.advance(3600)
        }
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: handle).reason == .flowExhausted)
        let status = try await test.realm.authenticator.status(of: handle, expecting: .any(.signIn))
        #expect("\(status)" == "exhausted")
        #expect(try await test.counter("factor/\(enrolled.factor.id)")?.count == 10)
    }

    @Test
    func `A factor that was answered wrongly a hundred times in a row is disabled until it is reset`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let key = "factor/\(enrolled.factor.id)"
        let now = test.now
        try await test.store.write { try $0.put(AttemptCounter(key: key, count: 99, since: now)) }
        let handle = try await test.pending().handle
        let wrong = test.wrongCode(enrolled.totp)
        #expect(try await test.answer(wrong, of: enrolled.factor.id, for: handle).reason == .wrongAnswer)
        test.clock.advance(86_400)
        let again = try await test.pending().handle
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: again).reason == .authenticatorDisabled)

        #expect(try await test.realm.enrolments.reset(of: enrolled.user.id, by: test.client) == 1)
        #expect(try await test.counter(key) == nil)
        #expect(try await test.signIn().isAccomplished)
    }

    @Test
    func `Ten wrong passwords block for thirty seconds, and a right one afterwards resets the count`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        for _ in 0..<10 { #expect(try await test.signIn(password: "wrong").reason == .wrongAnswer) }
        #expect(try await test.signIn().refusal == Refusal(.lockedOut, retryAt: test.now + 30))
        test.clock.advance(30)
        #expect(try await test.signIn().isAccomplished)
        for _ in 0..<10 { #expect(try await test.signIn(password: "wrong").reason == .wrongAnswer) }
        #expect(try await test.signIn().refusal == Refusal(.lockedOut, retryAt: test.now + 30))
    }

    @Test
    func `A new password forgives wrong ones before`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        for _ in 0..<10 { _ = try await test.signIn(password: "wrong") }
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        #expect(try await test.follow(link, newPassword: "difference engine").isAccomplished)
        #expect(try await test.signIn(password: "difference engine").isAccomplished)
    }

    @Test
    func `A flood on one factor leaves the user's other factor and other users alone`() async throws {
        let test = try await TestRealm.make()
        let ada = try await test.addEnrolledUser()
        let other = try await test.addEnrolledUser(TestRealm.otherEmail)
        let handle = try await test.pending().handle
        for _ in 0..<8 { _ = try await test.answer(test.wrongCode(ada.totp), of: ada.factor.id, for: handle) }
        // The password still works, and so do other users.
        #expect(try await test.signIn().continuation != nil)
        for _ in 0..<12 { _ = try await test.signIn(password: "wrong") }
        let code = other.totp.code(at: test.now).stringCode
        let pending = try await test.pending(TestRealm.otherEmail).handle
        #expect(try await test.answer(code, of: other.factor.id, for: pending).isAccomplished)
        // The password of Ada is blocked now, and a flow that is past it is not.
        test.clock.advance(30)
        let right = ada.totp.code(at: test.now).stringCode
        #expect(try await test.answer(right, of: ada.factor.id, for: handle).isAccomplished)
    }

    // MARK: Sources

    @Test
    func `A source may give a hundred wrong answers in ten minutes, to whomever`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let client = test.client(from: "192.0.2.1")
        for index in 0..<100 {
            let email = EmailAddress(kept: "nobody\(index)@example.org")
            #expect(try await test.signIn(email, by: client).reason == .wrongAnswer)
        }
        let until = test.now + 600
        let looks = test.hasher.verified.count
        #expect(try await test.signIn(by: client).refusal == Refusal(.sourceLimited, retryAt: until))
        #expect(test.hasher.verified.count == looks)
        // Another source, and one that is not limited, go on; the account was not charged.
        #expect(try await test.signIn(by: test.client(from: "192.0.2.2")).isAccomplished)
        #expect(try await test.signIn().isAccomplished)
        test.clock.advance(600)
        #expect(try await test.signIn(by: client).isAccomplished)
    }

    @Test
    func `Right answers do not count against a source`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let client = test.client(from: "192.0.2.1")
        for _ in 0..<20 {
            let handle = try await test.pending(by: client).handle
            let code = enrolled.totp.code(at: test.now).stringCode
            #expect(try await test.answer(code, of: enrolled.factor.id, for: handle, by: client).isAccomplished)
            test.clock.advance(30)
        }
        #expect(try await test.answers(from: "192.0.2.1") == 0)
        _ = try await test.signIn(password: "wrong", by: client)
        #expect(try await test.answers(from: "192.0.2.1") == 1)
    }

    @Test
    func `What is blocked by its own limit counts against the source, as a flood of it fills the log`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let client = test.client(from: "192.0.2.1")
        for _ in 0..<50 { _ = try await test.signIn(password: "wrong", by: client) }
        #expect(try await test.answers(from: "192.0.2.1") == 50)
    }

    @Test
    func `No counter is kept for a source that is not limited`() async throws {
        let test = try await TestRealm.make()
        for index in 0..<150 {
            let email = EmailAddress(kept: "nobody\(index)@example.org")
            #expect(try await test.signIn(email).reason == .wrongAnswer)
        }
    }
}
