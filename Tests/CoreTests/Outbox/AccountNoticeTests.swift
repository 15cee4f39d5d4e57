import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("What owners are told of changes")
struct AccountNoticeTests {
    /// A way in which something changes that the owner has to hear of.
    enum Change: String, CaseIterable {
        case enrolsApp, enrolsDevice, administratorAdds, administratorReplaces
        case withdraws, administratorRemoves, administratorResets, administratorListsNone, deviceUnenrols
        case changesPassword, resetsPassword, resetsPasswordStepByStep, administratorTakesPassword
        case usesRecoveryCode, makesRecoveryCode
    }

    private static let spare = PortableTOTP(
        id: nil, name: "Spare", enrolledAt: nil, secret: Secret(Array(repeating: 1, count: 20)))

    private func notices(of test: TestRealm) async throws -> [OpenedMessage] {
        let names = Set(AccountNotice.Kind.allCases.map(\.rawValue))
        return try await test.mails().filter { names.contains($0.content.template) }
    }

    private func make(_ change: Change, _ test: TestRealm) async throws -> [String] {
        let realm = test.realm
        let id: UserID
        var earlier: Set<String> = []
        func began() async throws { earlier = Set(try await notices(of: test).map(\.message.id)) }
        switch change {
        case .enrolsApp:
            _ = try await test.addEnrolledUser()
        case .enrolsDevice:
            id = try await test.addUser().id
            _ = try await test.enrol(TestDevice(), of: id)
        case .administratorAdds, .administratorReplaces:
            id = change == .administratorAdds ? try await test.addUser().id : try await test.addEnrolledUser().user.id
            try await began()
            _ = try await realm.enrolments.add(
                [try #require(Self.spare)], to: id,
                replacing: change == .administratorReplaces, by: test.client)
        case .withdraws:
            let enrolled = try await test.addEnrolledUser()
            try await began()
            _ = try await realm.enrolments.withdraw(
                enrolled.factor.id, of: enrolled.user.id, evidence: test.evidence, by: test.client)
        case .administratorRemoves:
            let enrolled = try await test.addEnrolledUser()
            try await began()
            #expect(try await realm.enrolments.remove(enrolled.factor.id, of: enrolled.user.id, by: test.client))
        case .administratorResets:
            let enrolled = try await test.addEnrolledUser()
            try await began()
            _ = try await realm.enrolments.reset(of: enrolled.user.id, by: test.client)
        case .administratorListsNone:
            let enrolled = try await test.addEnrolledUser()
            try await began()
            var list = AccountChange()
            list.secondFactors = [:]
            _ = try await realm.accounts.change(enrolled.user.id, list, by: test.client)
        case .deviceUnenrols:
            id = try await test.addUser().id
            let enrolment = try await test.enrol(TestDevice(), of: id)
            try await began()
            #expect(try await realm.devices.remove(enrolment.factor.id, by: test.client))
        case .changesPassword, .administratorTakesPassword:
            id = try await test.addUser().id
            var password = AccountChange()
            if change == .changesPassword {
                password.password = Secret("difference engine")
            } else {
                password.removesPassword = true
            }
            _ = try await realm.accounts.change(id, password, by: test.client)
        case .resetsPassword:
            try await test.addUser()
            let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
            #expect(try await test.follow(link, newPassword: "difference engine").isAccomplished)
        case .resetsPasswordStepByStep:
            try await test.addUser()
            try await resetStepByStep(test)
        case .usesRecoveryCode:
            id = try await test.addUser().id
            let code = try #require(await test.enrol(TestDevice(), of: id).recoveryCode).reveal()
            try await began()
            let recovery = try #require(
                await realm.accounts.userAndFactors(id)?.factors.first { $0.kind == .recoveryCode })
            #expect(try await test.answer(code, of: recovery.id, for: test.pending().handle).signedIn != nil)
        case .makesRecoveryCode:
            id = try await test.addEnrolledUser().user.id
            try await began()
            #expect(try await realm.enrolments.makeRecoveryCode(for: id, by: test.client) != nil)
        }
        return try await notices(of: test).filter { !earlier.contains($0.message.id) }.map(\.content.template)
    }

    private func resetStepByStep(_ test: TestRealm) async throws {
        let handle = try await test.begin(.resetPassword(TestRealm.email))
        let code = try await test.askForCode(handle)
        _ = try await test.give(code: code, to: handle)
        _ = try await test.give(.newPassword(Secret("difference engine")), to: handle)
    }

    @Test(arguments: Change.allCases)
    func `Each change is told once, to the address of the account`(change: Change) async throws {
        let test = try await TestRealm.make()
        let templates = try await make(change, test)
        let expected: [String] =
            switch change {
            case .enrolsApp, .enrolsDevice, .administratorAdds: ["factor-added"]
            case .administratorReplaces: ["factor-added", "factors-removed"]
            case .withdraws, .administratorRemoves, .deviceUnenrols: ["factor-removed"]
            case .administratorResets, .administratorListsNone: ["factors-removed"]
            case .changesPassword, .resetsPassword, .resetsPasswordStepByStep: ["password-changed"]
            case .administratorTakesPassword: ["password-removed"]
            case .usesRecoveryCode: ["recovery-code-used"]
            case .makesRecoveryCode: ["recovery-code-made"]
            }
        #expect(templates.sorted() == expected)
        for mail in try await notices(of: test) {
            #expect(mail.message.recipient == TestRealm.email.canonical)
            #expect(mail.content.values["email"] == TestRealm.email.canonical)
            #expect(mail.content.values["at"]?.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d UTC/) != nil)
        }
    }

    @Test
    func `The former address is told of a new password that comes with a new address, and the new one is not`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        var change = AccountChange()
        change.email = TestRealm.otherEmail
        change.password = Secret("difference engine")
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(
            Set(try await test.mails().map { "\($0.content.template) \($0.message.recipient)" })
                == ["email-changed ada@example.org", "password-changed ada@example.org"])
    }

    @Test
    func `An account without an address is told nothing, and so is the address that it is just given`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.realm.accounts.create(
            email: nil, password: nil, profile: UserProfile(), by: test.client
        )
        .get()
        var change = AccountChange()
        change.email = TestRealm.email
        change.password = Secret("difference engine")
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(try await test.mails().isEmpty)
    }

    @Test
    func `New ways to sign in are always mailed to a proven address, whatever trifles came before`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let own = try await test.session(of: user)
        for number in 0..<8 {
            var change = ProfileChange()
            change.displayName = .some("Name \(number)")
            _ = try await test.realm.ownAccount.change(change, of: own, by: test.client).get()
        }
        #expect(try await notices(of: test).count == RateLimit.triflesPerUser.count)
        try await changePasswords(of: user, in: test, times: 12)
        #expect(try await notices(of: test).count == RateLimit.triflesPerUser.count + 12)
    }

    @Test
    func `An address that nothing has proven gets ten notices an hour; what comes after that is in the log alone`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser(verified: false)
        try await changePasswords(of: user, in: test, times: 15)
        #expect(try await notices(of: test).count == 10)
        #expect(try await test.events(.passwordChanged).count == 15)
        test.clock.advance(3601)
        try await changePasswords(of: user, in: test, times: 1)
        #expect(try await notices(of: test).count == 11)
        #expect(try await test.realm.accounts.delete([user.id], by: test.client).count == 1)
        #expect(try await test.counter(CounterKey.notices(to: user.id)) == nil)
    }

    private func changePasswords(of user: User, in test: TestRealm, times: Int) async throws {
        for number in 0..<times {
            var change = AccountChange()
            change.password = Secret("difference engine \(number)")
            _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        }
    }

    @Test
    func `The name of a factor stays in its line`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let offer = try await test.offer(to: user.id)
        let code = try TOTP(secret: offer.secret.reveal()).code(at: test.now).stringCode
        let name =
            "Phone\u{3164}\u{202E}\r\n\r\nYour password was changed: https://evil.example\u{2028}"
            + String(repeating: "x", count: 300)
        #expect(try await test.finish(offer.handle, code: code, name: name).isAccomplished)
        let shown = try #require(await notices(of: test).last?.content.values["factor"])
        #expect(shown.count == 64 && shown.hasPrefix("Phone      Your") && !shown.contains { $0.isNewline })
    }
}
