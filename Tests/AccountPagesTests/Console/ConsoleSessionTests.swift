import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import PasskeyTestSupport
import Testing

/// Who comes into the console, and for how long.
@Suite("The console's sessions")
struct ConsoleSessionTests {
    private static let mark = "__Host-cs_console"

    @Test func `A console that is used goes on for eight hours, and then wants every factor anew`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let browser = try await stage.administrator(.owner)
            #expect(try await browser.open("/console").kind == "console")
            for _ in 0..<33 {
                try await server.advance(870)
                #expect(try await browser.open("/console").kind == "console")
            }
            try await server.advance(300)
            let page = try await browser.open("/console")
            #expect(page.kind == "sign-in" && page.html.contains("owner@example.com"), "\(page.html)")
            // The session itself goes on, for other pages.
            #expect(try await browser.open("/account").kind == "account")
        }
    }

    @Test func `The address of a page with a slash at its end leads to the page and no other does`() async throws {
        try await TestServer.with(.development) { server in
            for path in ["/console/", "/account/", "/sign-in/"] {
                let reply = try await server.send(.get, path, headers: [.accept: "text/html"])
                #expect(reply.status == 301 && reply.headers[.location] == String(path.dropLast()), "\(path)")
            }
            let typed = try await server.send(.get, "/activate/?user_code=BCDF-GHJK")
            #expect(typed.headers[.location] == "/activate?user_code=BCDF-GHJK", "\(typed.status)")
            for path in ["/console//", "//console/", "/console/users/", "/metrics/", "/admin/v1/", "/health/"] {
                #expect(try await server.send(.get, path).status == 404, "\(path)")
            }
            #expect(try await server.send(.post, "/console/", body: []).status == 404)
        }
    }

    @Test func `The sign-in leads back to the page of the console that was asked for`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await ConsoleStage(server)
            let user = try await server.account("ada@example.com")
            let totp = try await server.authenticator(of: user)
            _ = try await server.realm.administrators.grant(.owner, to: user.id, by: .testAdministrator)
            let (browser, other) = (TestBrowser(server), TestBrowser(server))
            func path(after asked: String, in browser: TestBrowser) async throws -> String {
                try await ConsoleStage.signIn(browser, "ada@example.com", totp, server, from: asked).path
            }
            // A link from elsewhere: what a change said before is not said again.
            #expect(
                try await path(after: "/console/users?q=target&done=consoleDoneAdded", in: browser)
                    == "/console/users?q=target")
            // A console that was left alone.
            try await server.advance(901)
            let factors = "/console/users/target/factors"
            #expect(try await path(after: factors, in: browser) == factors)

            // A form does nothing, and leads back to what it is about; a file is no page to lead back to.
            try await server.advance(901)
            let form = "/console/users/target/disable"
            let posted = try await browser.post(form, ["csrf": ConsoleStage.csrf(form, browser)])
            let begun = try #require(posted.headers[.location])
            #expect(posted.status == 303 && begun.hasPrefix("/sign-in?to=console&return="), "\(begun)")
            for plain in ["/console", "/console/users/target/data.json"] {
                #expect(try await browser.send(.get, plain).headers[.location] == "/sign-in?to=console", "\(plain)")
            }
            // What leads back to the console confirms nothing for the account, and what another browser was given leads nowhere.
            let confirming = begun.replacingOccurrences(of: "/sign-in?to=console&", with: "/sign-in/confirm?")
            #expect(try await browser.open(confirming).kind == "account")
            #expect(try await path(after: begun, in: other) == "/console")
            #expect(try await path(after: begun, in: browser) == form)
            let target = try await server.realm.accounts.user(UserID(rawValue: "target"))
            #expect(target?.isDisabled == false)
        }
    }

    @Test func `Other pages do not keep the console open`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let browser = try await stage.administrator(.auditor)
            for _ in 0..<2 {
                try await server.advance(450)
                #expect(try await browser.open("/account").kind == "account")
            }
            try await server.advance(30)
            #expect(try await browser.open("/console").kind == "sign-in")
            // Nor does a mark of another session, or one that says another time.
            let other = try await stage.administrator(.auditor, "other")
            _ = try await other.open("/console")
            let foreign = try #require(other.cookies[Self.mark])
            for mark in [foreign, "1." + String(foreign.split(separator: ".")[1]), "zzzzzzz.AAAA", ".", "x"] {
                browser.keep(browser.cookies.merging([Self.mark: mark]) { $1 })
                #expect(try await browser.open("/console").kind == "sign-in", "\(mark)")
            }
        }
    }

    @Test func `A role that is taken, and a user who is disabled, end an open console at the next request`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let operators = try await stage.administrator(.operator)
            let auditors = try await stage.administrator(.auditor)
            let realm = server.realm
            func id(_ address: String) async throws -> UserID {
                let email = try #require(EmailAddress(address))
                return try #require(try await realm.accounts.user(email: email)).id
            }
            #expect(try await operators.open("/console").kind == "console")
            _ = try await realm.administrators.revoke(id("operator@example.com"), by: .testAdministrator)
            let closed = try await operators.open("/console")
            #expect(closed.kind == "forbidden" && closed.status == 403)
            #expect(!closed.html.contains("class=\"menu\""))

            #expect(try await auditors.open("/console").kind == "console")
            var change = AccountChange()
            change.isDisabled = true
            _ = try await realm.accounts.change(id("auditor@example.com"), change, by: .testAdministrator)
            #expect(try await auditors.open("/console").kind == "sign-in")
        }
    }

    @Test func `A user without a second factor sets one up on the way into the console`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.account("ada@example.com")
            _ = try await server.realm.administrators.grant(.owner, to: user.id, by: .testAdministrator)
            let browser = TestBrowser(server)
            let first = try await browser.open("/console")
            let password = try await browser.submit(first, ["username": "ada@example.com"])
            let enrol = try await browser.submit(password, ["password": NativeClient.password])
            #expect(enrol.kind == "enrol", "\(enrol.html)")

            // So does one who has signed in with a password alone.
            let other = TestBrowser(server)
            _ = try await SignInPageTests.password(other)
            #expect(try await other.open("/console").kind == "enrol")
            #expect(try await other.open("/account").kind == "account")
        }
    }

    @Test func `An administrator who has a passkey comes in by a passkey alone`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.account("ada@example.com")
            let totp = try await server.authenticator(of: user)
            _ = try await server.realm.administrators.grant(.owner, to: user.id, by: .testAdministrator)
            let (browser, other) = (TestBrowser(server), TestBrowser(server))
            for each in [browser, other] {
                #expect(try await ConsoleStage.signIn(each, "ada@example.com", totp, server).kind == "console")
            }
            let passkeys = PasskeyBrowser(browser)
            var authenticator = SoftwareAuthenticator(origin: PasskeyPageTests.site)
            let added = try await passkeys.create(
                on: try await browser.open("/account"), &authenticator, name: "Laptop")
            #expect(added.kind == "account-security", "\(added.html)")
            // The session in which it was made is proven with it. Two factors that can be relayed are no longer enough for others.
            #expect(try await browser.open("/console").kind == "console")
            let asked = try await other.open("/console")
            #expect(asked.kind == "passkey", "\(asked.html)")
            #expect(try await PasskeyBrowser(other).get(on: asked, authenticator).kind == "console")
        }
    }

    @Test func `A page that does not exist says so in the console's frame, and tells strangers nothing`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let browser = try await stage.administrator(.support)
            let page = try await browser.open("/console/no-such-page")
            #expect(page.kind == "not-found" && page.status == 404 && page.html.contains("class=\"menu\""))
            #expect(page.html.contains("Menu: Console"), "\(page.html)")
            // The way leads to the list, beside the menu's.
            let gone = try await browser.open("/console/users/none")
            #expect(gone.html.matches(of: /href="\/console\/users"/).count == 2, "\(gone.html)")
            #expect(try await TestBrowser(server).open("/console/no-such-page").kind == "sign-in")
            #expect(try await TestBrowser(server).open("/console/a/b/c").kind == "sign-in")
        }
    }

    @Test func `Signing out of the console takes its mark away`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let browser = try await stage.administrator(.support)
            let page = try await browser.open("/console")
            #expect(browser.cookies[Self.mark] != nil)
            #expect(try await browser.submit(page, ["decision": "this"]).kind == "signed-out")
            #expect(browser.cookies[Self.mark] == nil && browser.cookies[SignInPageTests.session] == nil)
        }
    }
}
