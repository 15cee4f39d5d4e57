import Foundation
import Testing

@testable import CountersignCore

/// What a reader found, and must not come back.
@Suite("Found by reading")
struct ReviewTests {
    @Test
    func `The second of two sign-in links signs in to the account that the first has made`() async throws {
        let test = try await TestRealm.make()
        let first = try #require(await test.mailLink(.signIn(TestRealm.email)))
        let second = try #require(await test.mailLink(.signIn(TestRealm.email)))
        let made = try #require(await test.follow(first).signedIn)
        #expect(made.isNewUser)
        let again = try #require(await test.follow(second).signedIn)
        #expect(!again.isNewUser)
        #expect(again.user.id == made.user.id)
    }

    @Test
    func `The former address is told when an account moves to another`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let handle = try #require(await test.mailLink(.changeEmail(user.id, to: TestRealm.otherEmail)))
        test.clock.advance(1)
        #expect(try await test.follow(handle).isAccomplished)
        let notice = try #require(await test.mails().last)
        #expect(notice.content.template == "email-changed")
        #expect(notice.message.recipient == TestRealm.email.canonical)

        test.clock.advance(1)
        var change = AccountChange()
        change.email = .some(TestRealm.email)
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(try await test.mails().last?.message.recipient == TestRealm.otherEmail.canonical)
    }

    @Test
    func `An answer that comes too often is in the log of its user`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        for _ in 0..<11 { _ = try await test.signIn(password: "wrong") }
        let events = try await test.realm.auditLog.events(of: user.id)
        #expect(events.contains { $0.reason == Refusal.Reason.lockedOut.rawValue })
    }

    @Test
    func `After idle days, addresses with and without account are forgiven alike`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        for email in [TestRealm.email, TestRealm.otherEmail] {
            for _ in 0..<10 { _ = try await test.signIn(email, password: "wrong") }
            #expect(try await test.signIn(email, password: "wrong").reason == .lockedOut)
        }
        test.clock.advance(3 * 86_400)
        try await test.realm.maintenance.run()
        for email in [TestRealm.email, TestRealm.otherEmail] {
            for _ in 0..<10 { #expect(try await test.signIn(email, password: "wrong").reason == .wrongAnswer) }
            #expect(try await test.signIn(email, password: "wrong").reason == .lockedOut)
        }
    }

    @Test
    func `The log forgets after the days that the settings name`() async throws {
        let test = try await TestRealm.make()
        try await test.changeSettings { $0.audit.retentionDays = 30 }
        try await test.addUser()
        test.clock.advance(29 * 86_400)
        try await test.realm.maintenance.run()
        #expect(try await test.events(.userCreated).count == 1)
        test.clock.advance(2 * 86_400)
        try await test.realm.maintenance.run()
        #expect(try await test.events(.userCreated).isEmpty)
    }

    @Test
    func `Under the preset of NIST, who is asked for a second factor may have a shorter password`() async throws {
        let test = try await TestRealm.make()
        try await test.changeSettings { $0.passwords = .nist }
        let alone = try await test.addUser(password: nil)
        let enrolled = try await test.enrol(test.addUser(TestRealm.otherEmail, password: nil))
        var change = AccountChange()
        change.password = Secret("ten marbles")
        guard
            case .refused(.weakPassword(.tooShort(minimum: 15))) =
                try await test.realm.accounts.change(alone.id, change, by: test.client)
        else {
            Issue.record("11 characters are not enough alone")
            return
        }
        guard case .changed = try await test.realm.accounts.change(enrolled.user.id, change, by: test.client) else {
            Issue.record("11 characters are enough beside a second factor")
            return
        }
    }
}

extension ReviewTests {
    @Test
    func
        `A session that was cut off between its check and the change neither changes nor enrols nor withdraws anything`()
        async throws
    {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let epoch = enrolled.user.tokenEpoch
        var revocation = AccountChange()
        revocation.revokesTokensAt = test.now
        _ = try await test.realm.accounts.change(enrolled.user.id, revocation, by: test.client)

        let withdrawn = try await test.realm.enrolments.withdraw(
            enrolled.factor.id, of: enrolled.user.id, evidence: test.evidence, asOf: epoch, by: test.client)
        guard case .revoked = withdrawn else {
            Issue.record("\(withdrawn)")
            return
        }
        #expect(try await test.realm.enrolments.secondFactors(of: enrolled.user.id).count == 1)
        let begun = try await test.realm.enrolments.beginTOTP(
            for: enrolled.user.id, evidence: test.evidence, asOf: epoch, by: test.client)
        guard case .refused(.revoked) = begun else {
            Issue.record("\(begun)")
            return
        }
        var change = AccountChange()
        change.displayName = .some("Mallory")
        let changed = try await test.realm.accounts.change(
            enrolled.user.id, change, continuing: test.evidence,
            of: OwnSession(userID: enrolled.user.id, evidence: test.evidence, epoch: epoch), by: test.client)
        guard case .refused(.revoked) = changed else {
            Issue.record("\(changed)")
            return
        }
    }

    @Test
    func `What is not looked at counts against its source, and stops filling the log`() async throws {
        let test = try await TestRealm.make()
        let client = test.client(from: "192.0.2.9")
        for _ in 0..<150 {
            _ = try await test.realm.authenticator.answer(
                .code(Secret("123456"), factor: FactorID(rawValue: "none")),
                to: .flow(FlowHandle("made up"), .any(.signIn)), by: client)
            _ = try await test.realm.authenticator.answer(
                .customToken(Secret("a.b.c"), audience: "a"),
                to: .opening(FlowOpening(subject: .answer, terms: GrantTerms())),
                by: client)
        }
        #expect(try await test.events(.answerRefused).count == 100)
    }
}
