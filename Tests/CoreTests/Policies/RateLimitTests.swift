import Foundation
import Testing

@testable import CountersignCore

/// What one limit refuses costs nothing elsewhere, and no client can create rows without limit.
@Suite("Rate limits")
struct RateLimitTests {
    private static func mailbox(_ test: TestRealm, _ email: EmailAddress) async throws -> String {
        let sealer = test.realm.sealer
        return try await test.store.read {
            CounterKey.mails(to: try sealer.digest(email.canonical, for: "mailbox", in: $0))
        }
    }

    private static func put(_ test: TestRealm, _ key: String, _ count: Int) async throws {
        let now = test.now
        try await test.store.write { try $0.put(AttemptCounter(key: key, count: count, since: now)) }
    }

    /// The ways to ask for a mail.
    enum Mail: CaseIterable {
        case code, link, takenAddress, invitation, journey
    }

    private static func ask(_ test: TestRealm, _ mail: Mail, _ user: User, by client: ClientContext) async throws
        -> Bool
    {
        switch mail {
        case .code:
            return try await test.realm.mailings.sendCode(to: TestRealm.otherEmail, by: client).refusal == nil
        case .link:
            return try await test.realm.mailings.sendLink(.signIn(TestRealm.otherEmail), by: client).refusal == nil
        case .takenAddress:
            let outcome = try await test.realm.mailings.sendLink(
                .changeEmail(user.id, to: TestRealm.otherEmail), by: client)
            return outcome.refusal?.reason == .addressTaken
        case .invitation:
            var invitation = Invitation()
            invitation.mail = Invitation.Mail(to: TestRealm.otherEmail, page: "page?")
            let outcome = try await test.realm.enrolments.inviteDevice(for: user.id, invitation, by: client)
            return outcome.ticket != nil
        case .journey:
            let handle = try await test.begin(.resetPassword(TestRealm.otherEmail))
            let outcome = try await test.realm.journeys.ask(handle, expecting: test.expectation(), by: client)
            if case .mailed = outcome { return true }
            return false
        }
    }

    @Test(arguments: Mail.allCases)
    func `A source without allowance uses up no mailbox's limit, and leaves no row`(mail: Mail) async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        if mail != .invitation { try await test.addUser(TestRealm.otherEmail) }
        let mailbox = try await Self.mailbox(test, TestRealm.otherEmail)
        try await Self.put(test, "mails-from/192.0.2.1", 200)
        let source = test.client(from: "192.0.2.1")
        for _ in 0..<3 { #expect(try await !Self.ask(test, mail, user, by: source)) }
        #expect(try await test.counter(mailbox) == nil)
        #expect(try await Self.ask(test, mail, user, by: test.client(from: "192.0.2.2")))
        #expect(try await test.counter(mailbox)?.count == 1)
    }

    @Test(arguments: Mail.allCases)
    func `A mailbox that has got all its mails costs the source nothing`(mail: Mail) async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        if mail != .invitation { try await test.addUser(TestRealm.otherEmail) }
        try await Self.put(test, Self.mailbox(test, TestRealm.otherEmail), 20)
        #expect(try await !Self.ask(test, mail, user, by: test.client(from: "192.0.2.1")))
        #expect(try await test.counter("mails-from/192.0.2.1") == nil)
    }

    @Test
    func `An invitation that is refused counts as no mail`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        var invitation = Invitation()
        invitation.mail = Invitation.Mail(page: "page?")
        invitation.allowsMore = false
        let outcome = try await test.realm.enrolments.inviteDevice(for: enrolled.user.id, invitation, by: test.client)
        guard case .refused(.limitReached) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try await test.counter(Self.mailbox(test, TestRealm.email)) == nil)
    }

    @Test(arguments: [false, true])
    func `A sign-up whose password could not be hashed is not counted`(stepByStep: Bool) async throws {
        let test = try await TestRealm.make()
        test.hasher.refuseToHash(PasswordHashingOverload(retryAfter: 1))
        let client = test.client(from: "192.0.2.1")
        await #expect(throws: PasswordHashingOverload.self) {
            if stepByStep {
                let details = Journeys.SignUpDetails(password: Secret("difference engine"), wantsPassword: true)
                _ = try await test.realm.journeys.begin(
                    .signUp(TestRealm.email, details), offered: [.password], taken: [.mailedCode], by: client)
            } else {
                _ = try await test.realm.accounts.signUp(
                    email: TestRealm.email, password: Secret("difference engine"), by: client)
            }
        }
        #expect(try await test.counter("sign-ups/192.0.2.1")?.count ?? 0 == 0)
    }

    @Test
    func `Thirty enrolments an hour can be begun for one user, and a refused one makes no row`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let realm = test.realm
        func begin(_ isDevice: Bool) async throws -> Enrolments.EnrolmentRefusal? {
            if isDevice {
                let outcome = try await realm.enrolments.beginDevice(
                    for: user.id, evidence: test.evidence, by: test.client)
                return if case .refused(let refusal) = outcome { refusal } else { nil }
            }
            let outcome = try await realm.enrolments.beginTOTP(for: user.id, evidence: test.evidence, by: test.client)
            return if case .refused(let refusal) = outcome { refusal } else { nil }
        }
        for number in 0..<30 { #expect(try await begin(number % 2 == 0) == nil) }
        for isDevice in [true, false] {
            #expect(try await begin(isDevice) == .limited(until: test.now + 3600))
        }
        #expect(try await test.store.read { try $0.flows(of: user.id, limit: 100) }.count == 30)
        let data = try #require(await realm.accounts.personalData(user.id, by: test.client))
        #expect(data.limits.contains { $0.subject == .enrolmentsBegun && $0.counter.count == 30 })
        _ = try await realm.accounts.delete(user.id, by: test.client)
        #expect(try await test.counter("offers-to/\(user.id)") == nil)
    }
}
