import Foundation
import Testing

@testable import CountersignCore

@Suite("What users may ask about their own accounts")
struct OwnSessionTests {
    private func session(
        of user: User, at: Date, epoch: Int = 0, kind: FactorKind = .password, second: FactorKind? = nil
    ) -> OwnSession {
        var proofs = [Proof(kind: kind, at: at)]
        if let second { proofs.append(Proof(kind: second, at: at, isSecondFactor: true)) }
        return OwnSession(
            userID: user.id, evidence: SessionEvidence(dialect: .identityToolkit, proofs: proofs), epoch: epoch)
    }

    static let ages: [(age: TimeInterval, kind: FactorKind, isRecent: Bool)] = [
        (0, .password, true), (299, .password, true), (300, .password, false), (86_400, .password, false),
        (86_400, .anonymous, true), (-60, .password, true), (-300, .password, true), (-301, .password, false),
    ]

    @Test(arguments: ages)
    func `An account is deleted by a recent sign-in, and by an anonymous one of any age`(
        _ item: (age: TimeInterval, kind: FactorKind, isRecent: Bool)
    ) async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let session = session(of: user, at: test.now - item.age, kind: item.kind)
        let outcome = try await test.realm.accounts.deleteOwn(session, by: test.client)
        #expect(outcome == (item.isRecent ? .deleted : .refused(.signInTooOld)))
        let isGone = try await test.realm.accounts.user(user.id) == nil
        #expect(isGone == item.isRecent)
        #expect(try await test.events(.userDeleted).count == (item.isRecent ? 1 : 0))
    }

    @Test
    func `A session without second factor removes no account that has one, and any other`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let epoch = try await test.user(enrolled.user.id).tokenEpoch
        let accounts = test.realm.accounts
        let without = session(of: enrolled.user, at: test.now, epoch: epoch)
        #expect(try await accounts.deleteOwn(without, by: test.client) == .refused(.secondFactorMissing))
        let old = session(of: enrolled.user, at: test.now - 300, epoch: epoch, second: .totp)
        #expect(try await accounts.deleteOwn(old, by: test.client) == .refused(.signInTooOld))
        #expect(try await accounts.user(enrolled.user.id) != nil)
        let with = session(of: enrolled.user, at: test.now, epoch: epoch, second: .totp)
        #expect(try await accounts.deleteOwn(with, by: test.client) == .deleted)
        // Of whom two factors are required and who has one alone: an account may always be left.
        try await test.changeSettings { $0.secondFactors.state = .mandatory }
        let other = try await test.addUser(EmailAddress(kept: "eve@example.org"))
        let hers = session(of: other, at: test.now)
        #expect(try await accounts.deleteOwn(hers, by: test.client) == .deleted)
    }

    @Test
    func `A session whose tokens were revoked meanwhile does nothing any more`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let user = enrolled.user
        let session = session(of: user, at: test.now, epoch: user.tokenEpoch, second: .totp)
        var revocation = AccountChange()
        revocation.revokesTokensAt = test.now
        _ = try await test.realm.accounts.change(user.id, revocation, by: test.client)
        #expect(try await test.realm.accounts.deleteOwn(session, by: test.client) == .refused(.revoked))
        #expect(
            try await test.realm.enrolments.removeOwn(
                (id: enrolled.factor.id, onlyCodes: false), of: session, by: test.client) == .refused(.revoked))
        let mail = try await test.realm.mailings.sendLink(
            .changeEmail(user.id, to: EmailAddress(kept: "new@example.org")), of: session, by: test.client)
        guard case .refused(let refusal) = mail, refusal.reason == .flowExpired else {
            Issue.record("\(mail)")
            return
        }
    }

    @Test(arguments: [true, false])
    func `A session that was ended since it was judged does nothing any more, nor one of a user who was disabled`(
        isEnded: Bool
    ) async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let id = enrolled.user.id
        let own = try await test.session(of: enrolled.user, second: enrolled.factor)
        if isEnded {
            let session = try #require(own.session)
            #expect(try await test.realm.sessions.end(session, of: id, by: test.client))
        } else {
            var disabling = AccountChange()
            disabling.isDisabled = true
            _ = try await test.realm.accounts.change(id, disabling, by: test.client)
        }
        let before = try await test.store.read { try $0.factors(of: id) }
        // As it would be once the new password was hashed: the session was looked at before.
        var change = AccountChange()
        change.password = Secret("difference engine two")
        let changed = try await test.realm.accounts.change(id, change, of: own, by: test.client)
        guard case .refused(.revoked) = changed else {
            Issue.record("\(changed)")
            return
        }
        #expect(try await test.realm.accounts.deleteOwn(own, by: test.client) == .refused(.revoked))
        #expect(
            try await test.realm.enrolments.removeOwn(
                (id: enrolled.factor.id, onlyCodes: false), of: own, by: test.client) == .refused(.revoked))
        let withdrawn = try await test.realm.enrolments.withdraw(
            enrolled.factor.id, of: id, evidence: own.evidence, asOf: own.epoch, in: own.session, by: test.client)
        guard case .revoked = withdrawn else {
            Issue.record("\(withdrawn)")
            return
        }
        let mail = try await test.realm.mailings.sendLink(
            .changeEmail(id, to: EmailAddress(kept: "new@example.org")), of: own, by: test.client)
        guard case .refused(let refusal) = mail, refusal.reason == .flowExpired else {
            Issue.record("\(mail)")
            return
        }
        #expect(try await test.store.read { try $0.factors(of: id) } == before)
    }

    @Test
    func `What ends the sessions of others needs a recent sign-in; another name does not`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let old = session(of: user, at: test.now - 300)
        func change(_ edit: (inout AccountChange) -> Void) async throws -> AccountRefusal? {
            var change = AccountChange()
            edit(&change)
            switch try await test.realm.accounts.change(user.id, change, of: old, by: test.client) {
            case .changed: return nil
            case .refused(let refusal): return refusal
            }
        }
        #expect(try await change { $0.displayName = .some("Ada") } == nil)
        #expect(try await change { $0.password = Secret("difference engine") } == .signInTooOld)
        // Even of a password that is not good enough nothing is told.
        #expect(try await change { $0.password = Secret("x") } == .signInTooOld)
        #expect(try await change { $0.email = .some(EmailAddress(kept: "new@example.org")) } == .signInTooOld)
        #expect(try await change { $0.removesPassword = true } == .signInTooOld)
        #expect(try await change { $0.revokesTokensAt = test.now } == .signInTooOld)
        #expect(try await test.signIn().isAccomplished)
    }

    @Test
    func `A link that moves an account to another mailbox is sent and followed for a recent sign-in alone`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let other = EmailAddress(kept: "new@example.org")
        for (age, isRecent) in [(299.0, true), (300, false)] {
            let session = session(of: user, at: test.now - age)
            let outcome = try await test.realm.mailings.sendLink(
                .changeEmail(user.id, to: other), of: session, by: test.client)
            switch outcome {
            case .sent: #expect(isRecent)
            case .refused(let refusal): #expect(!isRecent && refusal.reason == .signInTooOld)
            }
        }
    }

    @Test
    func `A session without second factor removes none where there is one`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let epoch = try await test.user(enrolled.user.id).tokenEpoch
        let name = (id: enrolled.factor.id, onlyCodes: false)
        let without = session(of: enrolled.user, at: test.now, epoch: epoch)
        let with = session(of: enrolled.user, at: test.now, epoch: epoch, second: .totp)
        let enrolments = test.realm.enrolments
        #expect(try await enrolments.removeOwn(name, of: without, by: test.client) == .refused(.secondFactorMissing))
        #expect(try await enrolments.removeOwn(nil, of: without, by: test.client) == .refused(.secondFactorMissing))
        #expect(try await enrolments.removeOwn(nil, of: with, by: test.client) == .unknownFactor)
        let codes = (id: enrolled.factor.id, onlyCodes: true)
        #expect(try await enrolments.removeOwn(codes, of: with, by: test.client) == .unknownFactor)
        let stranger = try await test.addUser(EmailAddress(kept: "eve@example.org"))
        let hers = session(of: stranger, at: test.now, second: .totp)
        #expect(try await enrolments.removeOwn(name, of: hers, by: test.client) == .unknownFactor)
        #expect(try await enrolments.secondFactors(of: enrolled.user.id).count == 1)
        #expect(try await enrolments.removeOwn(name, of: with, by: test.client) == .removed)
        #expect(try await enrolments.secondFactors(of: enrolled.user.id).isEmpty)
        // With the last one the sessions ended.
        #expect(try await enrolments.removeOwn(name, of: with, by: test.client) == .refused(.revoked))
    }
}
