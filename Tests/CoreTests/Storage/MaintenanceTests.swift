import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("Cleaning")
struct MaintenanceTests {
    @Test
    func `Cleaning forgets no wrong answers of a factor that is still there`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let key = "factor/\(enrolled.factor.id)"
        let now = test.now
        try await test.store.write {
            try $0.put(AttemptCounter(key: key, count: 100, since: now, blockedUntil: now + 3600))
        }
        test.clock.advance(30 * 86_400)
        try await test.realm.maintenance.run()
        let handle = try await test.pending().handle
        let code = enrolled.totp.code(at: test.now).stringCode
        #expect(try await test.answer(code, of: enrolled.factor.id, for: handle).reason == .authenticatorDisabled)
    }

    @Test
    func `What has expired goes, what may still be asked for stays`() async throws {
        let test = try await TestRealm.make()
        // The log has a test of its own.
        try await test.changeSettings { $0.audit.retentionDays = 36_500 }
        let user = try await test.addUser()
        let pending = try await test.mailCode().handle
        let token = try #require(await test.signIn().signedIn).refreshToken
        _ = try await test.signIn(TestRealm.otherEmail, password: "wrong", by: test.client(from: "192.0.2.1"))
        #expect(try await test.realm.maintenance.run() == 0)

        func flow() async throws -> FlowRecord? { try await test.store.read { try $0.flow(digest: pending.digest) } }
        test.clock.advance(900 + 86_400)
        try await test.realm.maintenance.run()
        #expect(try await flow() != nil)
        test.clock.advance(1)
        #expect(try await test.realm.maintenance.run() == 1)
        #expect(try await flow() == nil)

        // The counters of the claim, the source and the mailbox.
        test.clock.advance(86_400)
        #expect(try await test.realm.maintenance.run() == 3)
        #expect(try await test.answers(from: "192.0.2.1") == nil)

        test.clock.advance(5 * 86_400)
        #expect(try await test.realm.maintenance.run() == 1)
        #expect(try await test.mails().isEmpty)

        #expect(try await test.realm.sessions.refresh(token, of: .testClient, by: test.client).refreshed != nil)
        test.clock.advance(400 * 86_400)
        #expect(try await test.realm.maintenance.run() == 1)
        #expect(try await test.store.read { try $0.sessions(of: user.id, limit: 10) }.isEmpty)
    }

    @Test
    func `More than one transaction takes go in one round`() async throws {
        let test = try await TestRealm.make()
        let now = test.now
        try await test.store.write { transaction in
            for index in 0..<1200 { try transaction.put(AttemptCounter(key: "answers/\(index)", since: now)) }
        }
        test.clock.advance(3 * 86_400)
        #expect(try await test.realm.maintenance.run() == 1200)
        #expect(try await test.realm.maintenance.run() == 0)
    }

    @Test(arguments: ["withdraw", "reset", "password", "delete"])
    func `A factor that is removed takes its counter with it`(way: String) async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let (id, now) = (enrolled.user.id, test.now)
        let factors = try await test.store.read { try $0.factors(of: id) }
        let password = try #require(factors.first { $0.kind == .password }).id
        for factor in factors {
            let key = CounterKey.factor(factor.id, factor.kind)
            try await test.store.write { try $0.put(AttemptCounter(key: key, count: 3, since: now)) }
        }
        var change = AccountChange()
        change.removesPassword = true
        switch way {
        case "withdraw":
            _ = try await test.realm.enrolments.withdraw(
                enrolled.factor.id, of: id, evidence: enrolled.signedIn.evidence, by: test.client)
        case "reset": _ = try await test.realm.enrolments.reset(of: id, by: test.client)
        case "password": _ = try await test.realm.accounts.change(id, change, by: test.client)
        default: _ = try await test.realm.accounts.delete(id, by: test.client)
        }
        let left = way == "delete" ? 0 : 1
        var counters = 0
        for factor in factors where try await test.counter(CounterKey.factor(factor.id, factor.kind)) != nil {
            counters += 1
        }
        #expect(counters == left)
        #expect(try await test.counter(CounterKey.factor(password, .password)) == nil || way != "password")
    }
}
