import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("The log")
struct AuditTests {
    @Test
    func `A source that is out of answers writes nothing more into the log`() async throws {
        let test = try await TestRealm.make()
        let client = test.client(from: "192.0.2.1")
        let now = test.now
        try await test.store.write { transaction in
            for key in RateLimit.answersPerSource.keys(of: CounterKey.answers(from: "192.0.2.1"), from: 0) {
                try transaction.put(AttemptCounter(key: key, count: 4, since: now))
            }
        }
        for _ in 0..<5 { #expect(try await test.signIn(by: client).reason == .sourceLimited) }
        #expect(try await test.events(.answerRefused).isEmpty)
    }

    @Test(arguments: [
        (-1, "0000000000000000"), (0, "0000000000000000"), (0x1234, "0000000000001234"),
        (1_700_000_000_000_000, "00060a24181e4000"),
    ])
    func `Ids begin with their instant in sixteen digits, and have eight more by chance`(
        microseconds: Int, digits: String
    ) {
        let at = Date(microseconds: Int64(microseconds))
        #expect(AuditEvent.idPrefix(at: at) == digits)
        let id = AuditEvent.freshID(at: at, random: SystemRandom())
        #expect(id.hasPrefix(digits) && AuditEvent.isID(id))
    }

    @Test
    func `An event says who, through what, from where and why; ids sort by time`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        test.clock.advance(1)
        _ = try await test.signIn(password: "wrong")
        test.clock.advance(1)
        _ = try await test.signIn()
        let events = try await test.realm.auditLog.events()
        #expect(events.map(\.kind) == [.signedIn, .answerRefused, .userCreated])
        #expect(events.map(\.id) == events.map(\.id).sorted(by: >))
        let refused = events[1]
        #expect(refused.userID == user.id)
        #expect(refused.clientID?.rawValue == "app" && refused.dialect == .identityToolkit)
        #expect(refused.source == "127.0.0.1" && refused.reason == "wrongAnswer")
        #expect(refused.at == test.now - 1)
        #expect(refused.details["purpose"] == "signIn")
    }

    @Test
    func `Every kind of refusal that a stranger's answer gets is logged but a flood's`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let handle = try await test.pending().handle
        _ = try await test.answer(test.wrongCode(enrolled.totp), of: enrolled.factor.id, for: handle)
        _ = try await test.answer("1", of: FactorID(rawValue: "x"), for: handle)
        _ = try await test.follow(FlowHandle("x"))
        _ = try await test.answer(
            enrolled.totp.code(at: test.now).stringCode, of: enrolled.factor.id, for: handle)
        _ = try await test.answer("1", of: enrolled.factor.id, for: handle)
        let reasons = try await test.events(.answerRefused).compactMap(\.reason)
        #expect(Set(reasons) == ["wrongAnswer", "unknownFactor", "unknownFlow", "flowFinished"])
        #expect(reasons.count == 4)
    }

    @Test
    func `The log is read of one user or of all, after an event, and within limits`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        try await test.addUser(TestRealm.otherEmail)
        for _ in 0..<3 {
            test.clock.advance(1)
            _ = try await test.signIn()
        }
        let all = try await test.realm.auditLog.events()
        #expect(all.count == 5)
        #expect(try await test.realm.auditLog.events(of: user.id).count == 4)
        #expect(try await test.realm.auditLog.events(after: all[1].id).map(\.id) == [all[0].id])
        #expect(try await test.realm.auditLog.events(limit: -1).count == 1)
        #expect(try await test.realm.auditLog.events(of: UserID(rawValue: "x")).isEmpty)
    }

    @Test
    func `No secret that passed through the core is in the log or in the clear in the store`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let pending = try await test.pending().handle
        let code = enrolled.totp.code(at: test.now).stringCode
        let signedIn = try #require(await test.answer(code, of: enrolled.factor.id, for: pending).signedIn)
        let mailed = try await test.mailCode()
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        _ = try await test.follow(link, newPassword: "difference engine")
        let log = "\(try await test.realm.auditLog.events(limit: 1000))"
        let secrets = [
            TestRealm.password, "difference engine", code, pending.token.reveal(), mailed.code,
            mailed.handle.token.reveal(), link.token.reveal(), signedIn.refreshToken.reveal(),
            enrolled.signedIn.refreshToken.reveal(),
        ]
        for secret in secrets { #expect(!log.contains(secret)) }
    }
}
