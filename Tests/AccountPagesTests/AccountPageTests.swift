import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import PasskeyTestSupport
import ServerHTTP
import Testing

/// The pages under `/account`: who sees them, and what a change takes.
@Suite("Pages of the account")
struct AccountPageTests {
    static let address = SignInPageTests.address

    /// Every page that a signed-in user can open without having begun anything.
    static let pages = [
        ("/account", "account"), ("/account/security", "account-security"), ("/account/passkey", "account-passkey"),
        ("/account/sessions", "account-sessions"), ("/account/applications", "account-applications"),
        ("/account/activity", "account-activity"), ("/account/activity?kind=security", "account-activity"),
    ]

    static func signedIn(_ test: @Sendable (TestServer, TestBrowser) async throws -> Void) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(address)
            let browser = TestBrowser(server)
            #expect(try await SignInPageTests.password(browser, address).kind == "account")
            try await test(server, browser)
        }
    }

    @Test(arguments: ["en", "de", "ja"])
    func `Every page has the menu with its own entry marked, a way past it, and who is signed in`(
        language: String
    ) async throws {
        try await Self.signedIn { _, browser in
            for (path, kind) in Self.pages {
                let page = try await browser.open(path, language: language)
                #expect(page.status == 200 && page.kind == kind, "\(path): \(page.html)")
                #expect(page.html.contains("<html lang=\"\(language)\""))
                #expect(page.html.matches(of: /aria-current="page"/).count == 1, "\(path)")
                #expect(page.html.matches(of: /<h1>/).count == 1, "\(path)")
                #expect(page.html.contains("class=\"skip\" href=\"#content\""))
                #expect(page.html.contains("<bdi>\(Self.address)</bdi>"))
                // A key that the catalogue does not have would stand there by its name.
                #expect(
                    page.html.firstMatch(
                        of: />(account|security|factor|activity|did|kind|missing|protected|session)[A-Z]\w*</) == nil,
                    "\(path): \(page.html)")
                let reply = page.reply
                #expect(reply.headers[.cacheControl] == "no-store")
                #expect(reply.headers[.known("X-Frame-Options")] == "DENY")
                #expect(reply.headers[.contentSecurityPolicy]?.contains("form-action 'self'") == true)
            }
        }
    }

    @Test
    func `A browser without a session signs in first, and comes back to the page`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            for (path, kind) in Self.pages where path != "/account" {
                let browser = TestBrowser(server)
                let first = try await browser.open(path)
                #expect(first.kind == "sign-in" && first.path.hasPrefix("/sign-in?return="), "\(first.path)")
                let password = try await browser.submit(first, ["username": Self.address])
                let back = try await browser.submit(password, ["password": NativeClient.password])
                #expect(back.kind == kind && back.path == path, "\(path): \(back.path)")
            }
        }
    }

    @Test(arguments: ["", "x", "x./account/security", "https://evil.example/", "//evil.example", ".//evil.example"])
    func `A way back that this server did not name leads to the account`(said: String) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let browser = TestBrowser(server)
            let text = said.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let first = try await browser.open("/sign-in?return=\(text)")
            #expect(!first.html.contains("evil"), "\(first.html)")
            let form = try #require(first.form(with: ["username": ""]))
            let password = try #require(
                try await browser.sendForm(form, ["username": Self.address, "return": said]).page)
            let next = try #require(password.form(with: ["password": ""]))
            let back = try await browser.sendForm(next, ["password": NativeClient.password, "return": said])
            #expect(back.page?.path == "/account", "\(back)")
        }
    }

    @Test
    func `A way back that another browser was given leads to the account`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let given = try await TestBrowser(server).open("/account/security")
            let browser = TestBrowser(server)
            _ = try await browser.open("/sign-in")
            let password = try await browser.submit(browser.open(given.path), ["username": Self.address])
            #expect(try await browser.submit(password, ["password": NativeClient.password]).path == "/account")
        }
    }

    // MARK: Proving it again

    @Test
    func `A page for a change asks for the password five minutes after the last, and leads back`() async throws {
        try await Self.signedIn { server, browser in
            #expect(try await browser.open("/account/passkey").kind == "account-passkey")
            try await server.advance(301)
            #expect(try await browser.open("/account/security").kind == "account-security", "It changes nothing.")
            let session = browser.cookies[SignInPageTests.session]
            let asked = try await browser.open("/account/passkey")
            #expect(asked.kind == "confirm" && asked.path.hasPrefix("/sign-in/confirm?return="), "\(asked.html)")
            #expect(asked.html.contains("<bdi>\(Self.address)</bdi>"))
            let wrong = try await browser.submit(asked, ["password": "not that one"])
            #expect(wrong.status == 422 && wrong.kind == "confirm" && wrong.hasAlert, "\(wrong.html)")
            #expect(browser.cookies[SignInPageTests.session] == session)
            let back = try await browser.submit(wrong, ["password": NativeClient.password])
            #expect(back.path == "/account/passkey" && back.kind == "account-passkey", "\(back.html)")
            #expect(browser.cookies[SignInPageTests.session] != session, "The handle changes with every proof.")
        }
    }

    @Test
    func `A form that was left alone for five minutes does nothing before its sender proves who they are`() async throws
    {
        try await Self.signedIn { server, browser in
            _ = try await SignInPageTests.password(TestBrowser(server), Self.address)
            let page = try await browser.open("/account/sessions")
            let form = try #require(page.form(with: ["session": ""]))
            try await server.advance(301)
            let asked = try await browser.sendForm(form, form.values)
            #expect(asked.answered == 303 && asked.kind == "confirm", "\(asked)")
            let back = try await browser.submit(#require(asked.page), ["password": NativeClient.password])
            #expect(back.path == "/account/sessions?done=confirmed" && back.html.contains("role=\"status\""))
            let again = try await browser.submit(back, ["session": #require(form.values["session"])])
            #expect(again.path == "/account/sessions?done=ended" && again.form(with: ["session": ""]) == nil)
        }
    }

    @Test
    func `Who has a second factor gives it too when they prove who they are`() async throws {
        try await TestServer.with(.development) { server in
            let totp = try await server.authenticator(of: try await server.account(Self.address))
            let browser = TestBrowser(server)
            let code = try await SignInPageTests.password(browser, Self.address)
            _ = try await browser.submit(code, ["code": totp.code(at: server.now).stringCode])
            try await server.advance(301)
            let asked = try await browser.open("/account/passkey")
            let second = try await browser.submit(asked, ["password": NativeClient.password])
            #expect(second.kind == "code" && second.path.contains("return="), "\(second.html)")
            #expect(try await browser.open("/account/passkey").kind == "confirm", "The password alone is not enough.")
            let back = try await browser.submit(second, ["code": totp.code(at: server.now).stringCode])
            #expect(back.path == "/account/passkey", "\(back.html)")
        }
    }

    @Test
    func `A passkey of another user changes nothing where the user confirms, neither whose session it is`() async throws
    {
        try await Self.signedIn { server, browser in
            let other = PasskeyBrowser(TestBrowser(server))
            _ = try await server.account("bob@example.com")
            var authenticator = SoftwareAuthenticator(origin: PasskeyPageTests.site)
            _ = try await other.create(
                on: SignInPageTests.password(other.browser, "bob@example.com"), &authenticator, name: "Bob's")
            let own = PasskeyBrowser(browser)
            var mine = SoftwareAuthenticator(origin: PasskeyPageTests.site)
            _ = try await own.create(on: browser.open("/account"), &mine, name: "Ada's")
            try await server.advance(301)
            let asked = try await browser.open("/account/passkey")
            #expect(asked.kind == "confirm", "\(asked.html)")
            let session = browser.cookies[SignInPageTests.session]
            let refused = try await own.get(on: asked, authenticator)
            #expect(refused.status == 403 && refused.kind == "confirm", "\(refused.html)")
            #expect(browser.cookies[SignInPageTests.session] == session)
            #expect(try await browser.open("/account").html.contains("<bdi>\(Self.address)</bdi>"))
            let back = try await own.get(on: browser.open("/account/passkey"), mine)
            #expect(back.path == "/account/passkey", "\(back.html)")
        }
    }

    // MARK: What pages show

    @Test
    func `Another user's factor is as one that does not exist`() async throws {
        try await Self.signedIn { server, browser in
            let bob = try await server.account("bob@example.com")
            _ = try await server.authenticator(of: bob)
            let factor = try #require(try await server.realm.enrolments.secondFactors(of: bob.id).first)
            let path = "/account/factor?id=\(factor.id.rawValue)"
            #expect(try await browser.land(path).page?.kind == "account-security")
            let token = try await browser.open("/account/factor?id=none")
            #expect(token.kind == "account-security", "\(token.html)")
        }
    }

    @Test
    func `All other sessions are ended at once, and this one goes on`() async throws {
        try await Self.signedIn { server, browser in
            let others = [TestBrowser(server), TestBrowser(server)]
            for other in others { _ = try await SignInPageTests.password(other, Self.address) }
            let page = try await browser.open("/account/sessions")
            #expect(page.forms.count { $0.names.contains("session") } == 2, "\(page.html)")
            let form = try #require(
                page.forms.first { $0.names.contains("decision") && $0.action == "/account/sessions" })
            let ended = try await browser.sendForm(form, ["decision": "others"])
            #expect(ended.page?.path == "/account/sessions?done=all-ended")
            for other in others { #expect(try await other.open("/account").kind == "sign-in") }
            #expect(try await browser.open("/account").kind == "account")
        }
    }

    @Test
    func `The activity tells what happened in words, the chosen part alone, with older pages`() async throws {
        try await Self.signedIn { server, browser in
            let page = try await browser.open("/account/activity")
            #expect(page.html.contains("Signed in"), "\(page.html)")
            #expect(try await browser.open("/account/activity?kind=security").html.contains("Nothing happened."))
            for _ in 0..<12 {
                let other = TestBrowser(server)
                let password = try await other.submit(other.open("/sign-in"), ["username": Self.address])
                _ = try await other.submit(password, ["password": NativeClient.password])
                try await server.advance(60)
            }
            let busy = try await browser.open("/account/activity?kind=sign-ins")
            #expect(busy.html.matches(of: /<li>\s*<p class="item">/).count >= 13, "\(busy.html)")
            try await server.advance(91 * 86_400)
            let later = TestBrowser(server)
            _ = try await SignInPageTests.password(later, Self.address)
            let left = try await later.open("/account/activity?kind=sign-ins")
            #expect(left.html.matches(of: /<li>\s*<p class="item">/).count == 1, "What is older is not shown.")
        }
    }
}
