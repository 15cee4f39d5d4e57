import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import OneTimePassword
import Testing

@Suite("The link of the first owner")
struct OwnerPageTests {
    /// A browser of a new user with an authenticator, signed in with both factors.
    static func signedIn(_ server: TestServer, _ address: String) async throws -> TestBrowser {
        let totp = try await server.authenticator(of: try await server.account(address))
        let browser = TestBrowser(server)
        let page = try await SignInPageTests.password(browser, address)
        let account = try await browser.submit(page, ["code": totp.code(at: server.now).stringCode])
        #expect(account.kind == "account", "\(account.html)")
        return browser
    }

    /// The path of a new link.
    static func invitation(_ server: TestServer) async throws -> String {
        let answer = try await InviteOwner().perform(on: server.realm, as: .commandLine, by: .commandLine)
        return "/\(answer.path.secret.reveal())"
    }

    private func owners(_ server: TestServer) async throws -> [String] {
        try await server.realm.administrators.list(ListRange(limit: 10)).rows.filter { $0.administrator.role == .owner }
            .compactMap { $0.user.email?.canonical }
    }

    @Test func `The link asks for a sign-in with two factors, enrols the second, and makes its holder owner once`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let link = try await Self.invitation(server)
            let browser = TestBrowser(server)
            let invited = try await browser.open(link)
            #expect(invited.kind == "owner" && invited.status == 200, "\(invited.html)")
            let signIn = try #require(invited.html.firstMatch(of: /href="(\/sign-in\?[^"]+)"/)).1
            let page = try await browser.open(String(signIn).replacing("&amp;", with: "&"))
            let password = try await browser.submit(page, ["username": SignInPageTests.address])
            let weak = try await browser.submit(password, ["password": NativeClient.password])
            #expect(weak.kind == "owner" && weak.path.hasPrefix("/owner?user_code="), "\(weak.path) \(weak.html)")
            #expect(try await owners(server).isEmpty)

            // One factor is not enough: the second is set up on the way.
            let enrol = try await browser.submit(weak, [:])
            #expect(enrol.kind == "enrol", "\(enrol.html)")
            let secret = try #require(enrol.html.firstMatch(of: /secret=([A-Z2-7]+)/)).1
            let code = try TOTP(secret: Base32.decode(String(secret))).code(at: server.now).stringCode
            let recovery = try await browser.submit(enrol, ["code": code])
            #expect(recovery.path.hasPrefix("/sign-in/recovery"), "\(recovery.path)")
            #expect(try await owners(server).isEmpty)
            let ready = try await browser.open(link)
            let done = try await browser.submit(ready, [:])
            #expect(done.path == "/owner/done" && done.kind == "owner", "\(done.html)")
            #expect(try await owners(server) == [SignInPageTests.address])
            let mails = try await server.realm.outbox.messages().filter { $0.content.template == "role-granted" }
            #expect(mails.map(\.content.values["role"]) == ["owner"])

            // It was good once, and there is no other while there is an owner.
            #expect(try await browser.open(link).status == 410)
            let late = try await Self.signedIn(server, "eve@example.com").open(link)
            #expect(late.status == 410 && late.form(with: ["user_code": ""]) == nil)
            await #expect(throws: AdministrationError.self) { _ = try await Self.invitation(server) }
        }
    }

    /// Whoever came first to a new server was its administrator there, and of two who came together both were.
    @Test func `No page of a new server makes a stranger its administrator: pocket-id ca28ddc0`() async throws {
        try await TestServer.with(.development) { server in
            let first = try await Self.signedIn(server, "first@example.com")
            for browser in [TestBrowser(server), first] {
                for path in ["/", "/owner", "/owner/done", "/owner?user_code=", "/setup", "/console", "/console/setup"]
                {
                    let page = try await browser.open(path)
                    #expect(page.form(with: ["user_code": ""]) == nil, "\(path)")
                    #expect(page.kind != "owner" || page.status == 410, "\(path)")
                }
                for path in ["/owner", "/setup", "/console/administrators"] {
                    for code in [nil, "", "AAAA"] {
                        var fields = ["csrf": "", "user": "first@example.com", "role": "owner"]
                        fields["user_code"] = code
                        let reply = try await browser.post(path, fields)
                        #expect(reply.status > 300 && reply.status < 500, "\(path): \(reply.status)")
                    }
                }
            }
            #expect(try await server.realm.administrators.list(ListRange(limit: 10)).rows.isEmpty)

            // One link, and all who hold it press its button together.
            let link = try await Self.invitation(server)
            var ready: [(TestBrowser, TestPage)] = []
            for number in 0..<6 {
                let browser = try await Self.signedIn(server, "user\(number)@example.com")
                ready.append((browser, try await browser.open(link)))
            }
            let pressing = ready
            let ends = try await withThrowingTaskGroup(of: TestPage.self) { group in
                for (browser, page) in pressing { group.addTask { try await browser.submit(page, [:]) } }
                return try await group.reduce(into: [TestPage]()) { $0.append($1) }
            }
            #expect(ends.count { $0.path == "/owner/done" && $0.status == 200 } == 1)
            #expect(ends.count { $0.status == 410 } == 5, "\(ends.map(\.status))")
            #expect(try await server.realm.administrators.list(ListRange(limit: 10)).rows.count == 1)
        }
    }

    @Test func `A browser that was left open proves its user anew before it has an owner`() async throws {
        try await TestServer.with(.development) { server in
            let ada = try await Self.signedIn(server, SignInPageTests.address)
            try await server.advance(900)
            let page = try await ada.open(try await Self.invitation(server))
            let confirm = try await ada.submit(page, [:])
            #expect(confirm.kind == "confirm", "\(confirm.path) \(confirm.html)")
            #expect(confirm.path.contains("return=") && confirm.path.contains("owner"), "\(confirm.path)")
            #expect(try await owners(server).isEmpty)
        }
    }

    @Test func `Looking at the link uses nothing up; half an hour, a newer link and an owner end it`() async throws {
        try await TestServer.with(.development) { server in
            let ada = try await Self.signedIn(server, SignInPageTests.address)
            let first = try await Self.invitation(server)
            for _ in 1...3 { #expect(try await TestBrowser(server).open(first).status == 200) }
            let page = try await ada.open(first)
            let second = try await Self.invitation(server)
            #expect(try await ada.submit(page, [:]).status == 410, "A newer link takes the place.")
            #expect(try await ada.open("/owner?user_code=AAAA").status == 410)
            #expect(try await ada.open("/owner").status == 410)
            try await server.advance(1799)
            #expect(try await TestBrowser(server).open(second).status == 200)
            try await server.advance(1)
            #expect(try await TestBrowser(server).open(second).status == 410)

            let third = try await Self.invitation(server)
            let user = try await server.account("bob@example.com")
            _ = try await server.realm.administrators.grant(.owner, to: user.id, by: .testAdministrator)
            #expect(try await TestBrowser(server).open(third).status == 410, "There is an owner now.")
            #expect(try await owners(server) == ["bob@example.com"])
            #expect(try await ada.open("/owner/done").status == 410)
        }
    }
}
