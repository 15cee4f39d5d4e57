import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Who may make an account: everybody, those who are invited, or no one; and the pause between mailed codes.
@Suite("Invitations to make an account")
struct InvitationTests {
    private static let address = "invited@example.com"
    private static let newPassword = "four separate long words"

    /// Invites an address, and answers the path of the mailed link.
    static func invite(_ address: String, _ server: TestServer, locale: String? = nil) async throws -> String {
        let link: @Sendable (FlowHandle) -> String = { "sign-up?invitation=\($0.token.reveal())" }
        let email = try #require(EmailAddress(address))
        let outcome = try await server.realm.invitations.invite(
            email, locale: locale, delivers: true, link: link, by: .testAdministrator)
        guard case .invited(let handle, _) = outcome else { throw Unexpected(what: "\(outcome)") }
        let mail = try #require(
            try await server.realm.outbox.messages().last { $0.message.recipient == address })
        #expect(mail.content.template == "invitation" && mail.content.locale == locale)
        #expect(mail.content.values["link"] == link(handle))
        return "/" + link(handle)
    }

    private func close(_ server: TestServer, invitations: Bool = true) async throws {
        try await server.realm.changeSettings(by: .testAdministrator) {
            $0.signUp.isOpen = false
            $0.signUp.takesInvitations = invitations
        }
    }

    @Test
    func `Where sign-up is by invitation, the link makes one account, for its address alone`() async throws {
        try await TestServer.with(.development) { server in
            try await close(server)
            let link = try await Self.invite(Self.address, server)
            let browser = TestBrowser(server)
            #expect(try await browser.open("/sign-up").status == 403)
            // What looks at links uses nothing up, and has nothing sent.
            for method in [HTTPRequest.Method.head, .get, .get] { _ = try await browser.send(method, link) }
            #expect(try await codes(to: Self.address, server) == 0)
            let page = try await browser.open(link)
            #expect(page.kind == "sign-up" && page.html.contains(Self.address), "\(page.html)")
            // An address that is sent along decides nothing.
            let verify = try await browser.submit(page, ["invitation": try token(of: link)])
            #expect(verify.kind == "verify", "\(verify.html)")
            // The attempt may begin again as long as no account was made.
            #expect(try await browser.open(link).kind == "sign-up")
            let choose = try await browser.submit(
                verify, ["code": try await server.code(mailedTo: Self.address)])
            #expect(choose.kind == "new-password", "\(choose.html)")
            #expect(try await browser.submit(choose, ["new_password": Self.newPassword]).kind == "account")
            let email = try #require(EmailAddress(Self.address))
            #expect(try await server.realm.accounts.user(email: email)?.profile.emailVerified == true)
            let again = try await TestBrowser(server).open(link)
            #expect(again.status == 410 && !again.html.contains(Self.address), "\(again.html)")
        }
    }

    @Test
    func `An address that is typed into an invitation's form is not the one that gets the code`() async throws {
        try await TestServer.with(.development) { server in
            try await close(server)
            let link = try await Self.invite(Self.address, server)
            let browser = TestBrowser(server)
            let form = try #require(try await browser.open(link).form(with: ["invitation": ""]))
            let reply = try await browser.post(
                form.action, form.values.merging(["email": "other@example.com"]) { $1 })
            #expect(reply.status == 303)
            #expect(try await codes(to: Self.address, server) == 1)
            #expect(try await codes(to: "other@example.com", server) == 0)
        }
    }

    @Test
    func `Ten sign-ups by one invitation make one account`() async throws {
        try await TestServer.with(.development) { server in
            try await close(server)
            let link = try await Self.invite(Self.address, server)
            var attempts: [(TestBrowser, TestPage)] = []
            for _ in 0..<10 {
                // Messages of one instant have no order, and this clock stands still.
                try await server.advance(1)
                let browser = TestBrowser(server)
                let verify = try await browser.submit(
                    try await browser.open(link), ["invitation": try token(of: link)])
                let code = try await server.code(mailedTo: Self.address)
                // Mails of one instant have no order.
                try await server.advance(1)
                attempts.append((browser, try await browser.submit(verify, ["code": code])))
            }
            let kinds = try await withThrowingTaskGroup(of: String?.self) { group in
                for (browser, page) in attempts {
                    group.addTask { try await browser.submit(page, ["new_password": Self.newPassword]).kind }
                }
                return try await group.reduce(into: [String?]()) { $0.append($1) }
            }
            #expect(kinds.count { $0 == "account" } == 1, "\(kinds)")
        }
    }

    @Test
    func `Invitations are refused where they are old, unknown, or not taken, and for an address with an account`()
        async throws
    {
        try await TestServer.with(.development) { server in
            try await close(server)
            let link = try await Self.invite(Self.address, server)
            let browser = TestBrowser(server)
            let page = try await browser.open(link)
            #expect(try await browser.open("/sign-up?invitation=\(String(repeating: "A", count: 43))").status == 410)
            #expect(try await browser.open("/sign-up?invitation=\(String(repeating: "A", count: 900))").status == 410)
            try await close(server, invitations: false)
            #expect(try await browser.open(link).status == 410)
            let token = try token(of: link)
            #expect(try await browser.submit(page, ["invitation": token]).status == 410)
            let email = try #require(EmailAddress(Self.address))
            guard
                case .off = try await server.realm.invitations.invite(
                    email, delivers: true, link: { _ in "" }, by: .testAdministrator)
            else { throw Unexpected(what: "an invitation that is not taken") }
            try await close(server)
            #expect(try await browser.open(link).kind == "sign-up")
            try await server.advance(FlowLifetime.invitation)
            #expect(try await browser.open(link).status == 410)
            _ = try await server.account("has@example.com")
            let taken = try #require(EmailAddress("has@example.com"))
            guard
                case .addressTaken = try await server.realm.invitations.invite(
                    taken, delivers: true, link: { _ in "" }, by: .testAdministrator)
            else { throw Unexpected(what: "an invitation of an address with an account") }
        }
    }

    @Test
    func `An invitation that is taken back in the middle of a sign-up makes no account`() async throws {
        try await TestServer.with(.development) { server in
            try await close(server)
            let link = try await Self.invite(Self.address, server)
            let browser = TestBrowser(server)
            let verify = try await browser.submit(
                try await browser.open(link), ["invitation": try token(of: link)])
            let choose = try await browser.submit(
                verify, ["code": try await server.code(mailedTo: Self.address)])
            try await close(server, invitations: false)
            let refused = try await browser.submit(choose, ["new_password": Self.newPassword])
            #expect(refused.status == 422 && refused.hasAlert, "\(refused.html)")
            let email = try #require(EmailAddress(Self.address))
            #expect(try await server.realm.accounts.user(email: email) == nil)
        }
    }

    @Test
    func `Another code is mailed after half a minute, and the page tells how long that is`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address, password: nil)
            let browser = TestBrowser(server)
            let page = try await browser.submit(try await browser.open("/sign-in"), ["username": Self.address])
            #expect(page.kind == "mail" && page.html.contains("30 seconds"), "\(page.html)")
            let first = try await server.code(mailedTo: Self.address)
            try await server.advance(29)
            let early = try await browser.submit(page, ["again": "1"])
            #expect(early.status == 422 && early.hasAlert && early.html.contains("1 second."), "\(early.html)")
            #expect(try await server.code(mailedTo: Self.address) == first)
            try await server.advance(1)
            let again = try await browser.submit(page, ["again": "1"])
            #expect(again.notice?.hasPrefix("Another code is on its way.") == true, "\(again.html)")
            #expect(try await browser.open(again.path).notice == nil, "It is said once.")
            #expect(try await server.code(mailedTo: Self.address) != first)
        }
    }

    private func codes(to address: String, _ server: TestServer) async throws -> Int {
        try await server.realm.outbox.messages().count {
            $0.message.recipient == address && $0.content.values["code"] != nil
        }
    }

    private func token(of link: String) throws -> String {
        String(try #require(link.split(separator: "=").last))
    }
}
