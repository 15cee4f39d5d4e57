import CoreTestSupport
import Foundation
import Testing

@testable import CountersignCore

/// What administrators do for users who cannot sign in.
@Suite("Help for users")
struct HelpTests {
    @Test func `A recovery code by an administrator is mailed, void for a day, then good once`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let user = enrolled.user
        let earlier = try #require(await test.realm.enrolments.makeRecoveryCode(for: user.id, by: test.client))
        let from = try await test.realm.enrolments.mailRecoveryCode(
            for: user.id, heldFor: 86_400, by: test.client
        ).get()
        #expect(from == test.now + 86_400)
        let mail = try #require(await test.realm.outbox.messages().last { $0.content.template == "recovery-code-held" })
        #expect(mail.message.recipient == user.email?.canonical)
        let code = try #require(mail.content.values["code"])
        #expect(code.count == 29 && mail.content.values["from"]?.hasSuffix("UTC") == true)
        func isGood(_ code: String) async throws -> Bool {
            let pending = try await test.pending()
            let verdict = try await test.realm.authenticator.answer(
                .recoveryCode(Secret(code)), to: .flow(pending.handle, .any(.signIn)), by: test.client)
            return verdict.signedIn != nil
        }
        #expect(try await !isGood(code))
        #expect(try await !isGood(earlier.reveal()))
        test.clock.advance(86_399)
        #expect(try await !isGood(code))
        test.clock.advance(1)
        #expect(try await isGood(code))
        #expect(try await !isGood(code))
    }

    @Test func `Codes that the user makes meanwhile void the one that is held`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        _ = try await test.realm.enrolments.mailRecoveryCode(
            for: enrolled.user.id, heldFor: 3600, by: test.client
        ).get()
        let mail = try #require(await test.realm.outbox.messages().last { $0.content.template == "recovery-code-held" })
        let code = try #require(mail.content.values["code"])
        let own = try await test.session(of: enrolled.user, second: enrolled.factor)
        _ = try await test.realm.ownAccount.makeRecoveryCodes(of: own, by: test.client).get()
        test.clock.advance(3600)
        let pending = try await test.pending()
        let verdict = try await test.realm.authenticator.answer(
            .recoveryCode(Secret(code)), to: .flow(pending.handle, .any(.signIn)), by: test.client)
        #expect(verdict.signedIn == nil)
    }

    /// An operator may have had the link before the user was guarded from operators.
    @Test(arguments: TestStore.available)
    func `What was handed out of an account ends where its user gets a role, and nothing of the user's own`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.make(on: store)
        let enrolled = try await test.addEnrolledUser()
        let user = enrolled.user.id
        let own = try await test.session(of: enrolled.user, second: enrolled.factor)
        func left() async throws -> Int {
            let now = test.now
            return try await test.store.read { transaction in
                try [FlowPurpose.resetPassword, .changeEmail, .enrolFactor].reduce(0) {
                    try $0 + transaction.openFlows(of: user, purpose: $1.rawValue, at: now, limit: 10).count
                }
            }
        }
        func hasCode() async throws -> Bool {
            try await test.store.read { try $0.factors(of: user) }.recoveryCode != nil
        }
        func handOut() async throws {
            let (mailings, options) = (test.realm.mailings, Mailings.LinkOptions(delivers: false))
            for subject in [
                Mailings.Subject.resetPassword(TestRealm.email),
                .changeEmail(user, to: EmailAddress(kept: "operator@example.org")),
            ] {
                guard case .sent(_, _?) = try await mailings.sendLink(subject, options: options, by: test.client) else {
                    throw TestFailure()
                }
            }
            guard case .offered = try await test.realm.enrolments.inviteDevice(for: user, by: test.client) else {
                throw TestFailure()
            }
        }
        let roles = test.realm.administrators
        try await handOut()
        _ = try await test.realm.enrolments.mailRecoveryCode(for: user, heldFor: 3600, by: test.client).get()
        #expect(try await left() == 3)
        #expect(try await hasCode())
        _ = try await roles.grant(.support, to: user, by: test.client).get()
        #expect(try await left() == 0)
        #expect(try await !hasCode())
        // A higher role guards more; the user's own codes and session go on.
        _ = try await test.realm.ownAccount.makeRecoveryCodes(of: own, by: test.client).get()
        try await handOut()
        _ = try await roles.grant(.owner, to: user, by: test.client).get()
        #expect(try await left() == 0)
        #expect(try await hasCode())
        let id = try #require(own.session)
        let session = try #require(await test.store.read { try $0.session(id) })
        let now = try await test.user(user)
        #expect(session.isLiving(of: now, at: test.now))
    }

    @Test func `No code is mailed to an address that is not proved, and to a user without a second factor`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let enrolments = test.realm.enrolments
        let without = try await enrolments.mailRecoveryCode(for: user.id, heldFor: 60, by: test.client)
        #expect(throws: Enrolments.HeldCodeRefusal.noSecondFactor) { try without.get() }
        let unproved = try await test.addUser(EmailAddress(kept: "bob@example.org"), verified: false)
        _ = try await test.store.write { transaction in
            try transaction.insert(
                FactorRecord(
                    id: FactorID(rawValue: "f"), userID: unproved.id, kind: .totp, name: "", createdAt: test.now,
                    payload: Data()))
        }
        let refused = try await enrolments.mailRecoveryCode(for: unproved.id, heldFor: 60, by: test.client)
        #expect(throws: Enrolments.HeldCodeRefusal.noVerifiedAddress) { try refused.get() }
        #expect(try await test.realm.outbox.messages().isEmpty)
    }

    @Test func `What refuses a user is told of that user alone, until it is lifted`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let other = try await test.addUser(EmailAddress(kept: "bob@example.org"))
        let limits = test.realm.standingLimits
        #expect(try await limits.list(of: user.id).isEmpty)
        var tries = 0
        while try await limits.list(of: user.id).isEmpty, tries < 200 {
            _ = try await test.signIn(password: "not that one \(tries)")
            tries += 1
        }
        let standing = try #require(try await limits.list(of: user.id).first)
        #expect(standing.kind == .password && standing.user == user.id && standing.count > 0)
        #expect(try await limits.list(of: other.id).isEmpty)
        #expect(try await limits.lift(.password, of: standing.subject, by: test.client))
        #expect(try await limits.list(of: user.id).isEmpty)
    }

    @Test func `What is refused for an address is found by the address, and lifted by it`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let limits = test.realm.standingLimits
        var tries = 0
        while try await limits.list(of: user.id).isEmpty, tries < 50 {
            _ = try await test.realm.mailings.sendLink(.resetPassword(TestRealm.email), by: test.client)
            tries += 1
        }
        let standing = try #require(try await limits.list(of: user.id).first)
        #expect(standing.kind == .mailsToAddress && standing.count > 0)
        let all = try await limits.list(ListRange(limit: 100)).rows
        #expect(all.map(\.kind) == [.mailsToAddress] && all.first?.user == nil, "The list does not know whose it is.")
        #expect(all.first?.subject == standing.subject)
        #expect(try await limits.subject(.mailsToAddress, of: TestRealm.email) == standing.subject)
        #expect(try await limits.subject(.mailsToAddress, of: TestRealm.otherEmail) != standing.subject)
        #expect(try await limits.subject(.claim, of: TestRealm.email) != standing.subject)
        #expect(try await limits.lift(.mailsToAddress, of: standing.subject, by: test.client))
        #expect(try await limits.list(of: user.id).isEmpty)
    }

    @Test func `An account that is to be removed is disabled until it goes, and an administrator keeps it`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let accounts = test.realm.accounts
        let due = test.now + 7 * 86_400
        #expect(try await accounts.scheduleDeletion(of: user.id, at: due, by: test.client) == .deleted)
        #expect(try await test.signIn().signedIn == nil)
        let waiting = try #require(try await accounts.user(user.id))
        #expect(waiting.deletionDueAt == due && waiting.isDisabled && waiting.isSuspended)
        var change = AccountChange()
        change.isDisabled = false
        guard case .changed(let kept, _) = try await accounts.change(user.id, change, by: test.client) else {
            Issue.record("It was refused.")
            return
        }
        #expect(kept.deletionDueAt == nil && !kept.isDisabled)
        _ = try await accounts.scheduleDeletion(of: user.id, at: due, by: test.client)
        test.clock.advance(7 * 86_400)
        #expect(try await accounts.deleteDue(by: test.client) == 1)
        #expect(try await accounts.user(user.id) == nil)
    }

    @Test func `Users of a role are listed page by page, and other users by address, name and id`() async throws {
        let test = try await TestRealm.make()
        for number in 0..<9 {
            let user = try await test.addUser(EmailAddress(kept: "user\(8 - number)@example.org"))
            if number < 5 {
                _ = try await test.realm.administrators.grant(
                    number % 2 == 0 ? .support : .owner, to: user.id, by: test.client)
            }
        }
        let accounts = test.realm.accounts
        let first = try await accounts.browse(.init(limit: 2), administering: .support)
        #expect(first.users.count == 2 && first.before == nil)
        let second = try await accounts.browse(.init(from: first.after, limit: 2), administering: .support)
        #expect(second.users.count == 1 && second.after == nil)
        let back = try await accounts.browse(
            .init(from: second.before, isBackwards: true, limit: 2), administering: .support)
        #expect(back.users == first.users)
        let found = try await accounts.browse(.init(text: "USER8", limit: 5), administering: .support)
        #expect(found.users.map { $0.email?.canonical } == ["user8@example.org"])
        let sorted = try await accounts.browse(.init(order: .email, limit: 50)).users.compactMap { $0.email?.canonical }
        #expect(sorted == sorted.sorted() && sorted.count == 9)
        let ids = try await accounts.browse(.init(order: .id, limit: 4))
        let more = try await accounts.browse(.init(order: .id, from: ids.after, limit: 50))
        #expect((ids.users + more.users).map(\.id.rawValue) == (ids.users + more.users).map(\.id.rawValue).sorted())
        #expect(ids.users.count + more.users.count == 9)
    }
}
