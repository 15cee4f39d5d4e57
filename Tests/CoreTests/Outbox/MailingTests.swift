import Foundation
import Testing

@testable import CountersignCore

@Suite("Mailings")
struct MailingTests {
    private static let nobody = EmailAddress(kept: "nobody@example.org")

    private func outcome(_ outcome: Mailings.Outcome) -> String {
        switch outcome {
        case .sent(let email, let handle): "sent to \(email)\(handle == nil ? "" : " with handle")"
        case .refused(let refusal): refusal.reason.rawValue
        }
    }

    @Test
    func `A mail says what it is about and carries the link with everything that the page needs`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        var client = test.client
        client.locale = "de"
        let options = Mailings.LinkOptions(items: [("continueUrl", "https://example.org/?a=1&b=ä#c")])
        let sent = try await test.realm.mailings.sendLink(.verifyEmail(user.id), options: options, by: client)
        guard case .sent(let recipient, let handle?) = sent else {
            Issue.record("\(sent)")
            return
        }
        #expect(recipient == TestRealm.email)
        let mail = try #require(await test.mails().first)
        #expect(mail.message.channel == .email)
        #expect(mail.message.recipient == "ada@example.org")
        #expect(mail.content.template == "verify-email")
        #expect(mail.content.locale == "de")
        #expect(mail.content.values["email"] == "ada@example.org")
        #expect(
            mail.content.values["link"] == "link?action=verify-email&code=\(handle.token.reveal())"
                + "&continueUrl=https%3A%2F%2Fexample.org%2F%3Fa%3D1%26b%3D%C3%A4%23c&lang=de")
        #expect(try await test.events(.mailQueued).map(\.userID) == [user.id])
    }

    @Test
    func `A link that the caller passes on by itself is not mailed`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let sent = try await test.realm.mailings.sendLink(
            .resetPassword(TestRealm.email), options: .init(delivers: false), by: test.client)
        #expect(outcome(sent) == "sent to ada@example.org with handle")
        #expect(try await test.mails().isEmpty)
    }

    @Test
    func `A reset for an unknown address or a disabled user looks like any other, and no mail goes out`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let known = try await test.realm.mailings.sendLink(.resetPassword(TestRealm.email), by: test.client)
        #expect(outcome(known) == "sent to ada@example.org with handle")
        let unknown = try await test.realm.mailings.sendLink(.resetPassword(Self.nobody), by: test.client)
        #expect(outcome(unknown) == "sent to nobody@example.org")
        var change = AccountChange()
        change.isDisabled = true
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        let disabled = try await test.realm.mailings.sendLink(.resetPassword(TestRealm.email), by: test.client)
        #expect(outcome(disabled) == "sent to ada@example.org")
        #expect(try await test.mails().count == 1)
    }

    @Test
    func `That an address is unknown is told where the realm or the application reveals it`() async throws {
        let test = try await TestRealm.make()
        var client = test.client
        client.revealsAddresses = true
        let told = try await test.realm.mailings.sendLink(.resetPassword(Self.nobody), by: client)
        #expect(outcome(told) == "userNotFound")
        try await test.changeSettings { $0.privacy.hidesAddresses = false }
        let toldToo = try await test.realm.mailings.sendLink(.resetPassword(Self.nobody), by: test.client)
        #expect(outcome(toldToo) == "userNotFound")
    }

    @Test(arguments: [true, false])
    func `An address gets twenty mails an hour, whether it has an account or not`(exists: Bool) async throws {
        let test = try await TestRealm.make()
        if exists { try await test.addUser() }
        for index in 0..<20 {
            if index % 2 == 0 {
                _ = try await test.mailCode()
            } else {
                let sent = try await test.realm.mailings.sendLink(.resetPassword(TestRealm.email), by: test.client)
                #expect(sent.refusal == nil)
            }
        }
        let refusal = Refusal(.sourceLimited, retryAt: test.now + 3600)
        let link = try await test.realm.mailings.sendLink(.resetPassword(TestRealm.email), by: test.client)
        #expect(link.refusal == refusal)
        let code = try await test.realm.mailings.sendCode(to: TestRealm.email, by: test.client)
        #expect(code.refusal == refusal)
        #expect(try await test.mails().count == (exists ? 20 : 0))
        _ = try await test.mailCode(to: Self.nobody)
        test.clock.advance(3600)
        _ = try await test.mailCode()
    }

    @Test
    func `A source may ask for two hundred mails an hour`() async throws {
        let test = try await TestRealm.make()
        let now = test.now
        try await test.store.write { try $0.put(AttemptCounter(key: "mails-from/192.0.2.1", count: 199, since: now)) }
        let client = test.client(from: "192.0.2.1")
        let last = try await test.realm.mailings.sendCode(to: TestRealm.email, by: client)
        #expect(last.refusal == nil)
        let tooMany = try await test.realm.mailings.sendCode(to: Self.nobody, by: client)
        #expect(tooMany.refusal == Refusal(.sourceLimited, retryAt: now + 3600))
        _ = try await test.mailCode(to: Self.nobody)
    }

    @Test
    func `Addresses are in no counter's name`() async throws {
        let test = try await TestRealm.make()
        _ = try await test.mailCode()
        _ = try await test.signIn(password: "wrong")
        let sealer = test.realm.sealer
        let digest = try await test.store.read {
            try sealer.digest(TestRealm.email.canonical, for: "mailbox", in: $0).hex
        }
        #expect(try await test.counter("mails-to/\(digest)")?.count == 1)
        #expect(try await test.counter("mails-to/\(TestRealm.email)") == nil)
    }

    @Test
    func `Messages are sealed, sort by time, and open only in their own place`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        for _ in 0..<3 {
            _ = try await test.mailCode()
            test.clock.advance(0.001)
        }
        let mails = try await test.mails()
        #expect(mails.map(\.message.createdAt) == mails.map(\.message.createdAt).sorted())
        let code = try #require(mails[0].content.values["code"])
        #expect(mails[0].message.sealedContent.range(of: Data(code.utf8)) == nil)
        #expect(throws: SealingError.self) {
            try test.realm.sealer.open(
                mails[0].message.sealedContent, for: .outbox(mails[1].message.id))
        }
    }

    @Test
    func `Asking for the change to a taken address is told, and counts like a mail`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        try await test.addUser(TestRealm.otherEmail)
        for _ in 0..<20 {
            let sent = try await test.realm.mailings.sendLink(
                .changeEmail(user.id, to: TestRealm.otherEmail), by: test.client)
            #expect(sent.refusal?.reason == .addressTaken)
        }
        let sent = try await test.realm.mailings.sendLink(
            .changeEmail(user.id, to: TestRealm.otherEmail), by: test.client)
        #expect(sent.refusal?.reason == .sourceLimited)
    }
}
