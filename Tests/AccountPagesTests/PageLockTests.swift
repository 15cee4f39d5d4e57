import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

@Suite("The locks of pages")
struct PageLockTests {
    private static let site = HTTPField.Name.known("Sec-Fetch-Site")

    struct Case: Sendable, CustomTestStringConvertible {
        var headers: HTTPFields = [.known("Sec-Fetch-Site"): "same-origin"]
        var csrf: String?
        var testDescription: String { "\(headers), csrf \(csrf ?? "of the page")" }
    }

    private static let refused: [Case] = [
        Case(csrf: ""), Case(csrf: "AAAA"), Case(headers: [site: "cross-site"]), Case(headers: [site: "same-site"]),
        Case(headers: [site: "none"]), Case(headers: [:]), Case(headers: [.origin: "null"]),
        Case(headers: [.origin: "https://evil.example"]),
        Case(headers: [site: "same-origin", .origin: "https://evil.example"]),
        Case(headers: [site: "same-origin", .contentType: "text/plain"]),
        Case(headers: [site: "same-origin", .contentType: "application/json"]),
    ]

    @Test(arguments: refused)
    func `A form that is not of a page of ours changes nothing, and its attempt goes on`(refused: Case) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let page = try await browser.submit(
                try await browser.open("/sign-in"), ["username": SignInPageTests.address])
            var fields = try #require(page.form(with: ["password": ""])).values
            if let csrf = refused.csrf { fields["csrf"] = csrf }
            fields["password"] = NativeClient.password
            let reply = try await browser.post("/sign-in/password", fields, headers: refused.headers)
            #expect((400..<500).contains(reply.status), "\(reply.status)")
            #expect(browser.cookies[SignInPageTests.session] == nil)
            let account = try await browser.submit(page, ["password": NativeClient.password])
            #expect(account.kind == "account")
        }
    }

    @Test
    func `A form's token is for no other form, and for no other browser: CVE-2026-53660`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let first = try await browser.open("/sign-in")
            let token = try #require(first.form(with: ["username": ""])?.values["csrf"])
            #expect(try await browser.post("/sign-up", ["csrf": token, "email": "x@example.com"]).status == 403)
            let other = TestBrowser(server)
            _ = try await other.open("/sign-in")
            #expect(try await other.post("/sign-in", ["csrf": token, "username": "x@example.com"]).status == 403)
            // As browsers send a form of their own page under `no-referrer`: where it comes from says the other header.
            let form = try #require(first.form(with: ["username": ""])).values.merging(["username": "x@example.com"]) {
                $1
            }
            let own = try await browser.post("/sign-in", form, headers: [Self.site: "same-origin", .origin: "null"])
            #expect(own.status == 303, "\(own.text)")
        }
    }

    @Test
    func `A link to an attempt of another browser leads to begin again, and tells nothing`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let page = try await browser.submit(
                try await browser.open("/sign-in"), ["username": SignInPageTests.address])
            let other = TestBrowser(server)
            _ = try await other.open("/sign-in")
            let followed = try await other.open(page.path)
            #expect(followed.kind == "start-again" && followed.status == 400)
            #expect(!followed.html.contains(SignInPageTests.address))
            let stranger = TestBrowser(server)
            #expect(try await stranger.open(page.path).kind == "start-again")
        }
    }

    @Test
    func `Two tabs sign in side by side, and each sign-in has a handle of its own: CVE-2025-12390, keycloak#44168`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            func begin() async throws -> TestPage {
                try await browser.submit(try await browser.open("/sign-in"), ["username": SignInPageTests.address])
            }
            let (one, two) = (try await begin(), try await begin())
            #expect(try await browser.submit(one, ["password": NativeClient.password]).kind == "account")
            let held = browser.cookies[SignInPageTests.session]
            #expect(try await browser.submit(two, ["password": NativeClient.password]).kind == "account")
            #expect(browser.cookies[SignInPageTests.session] != held)
        }
    }

    @Test func `A page is shown in no other page`() async throws {
        try await TestServer.with(.development) { server in
            let browser = TestBrowser(server)
            for destination in ["iframe", "object", "embed", "image", "frame", "script"] {
                for path in [
                    "/", "/sign-in", "/account", "/account/security", "/sign-up", "/auth/action", "/guardian/enroll",
                ] {
                    let reply = try await browser.send(.get, path, headers: [.known("Sec-Fetch-Dest"): destination])
                    #expect(reply.status == 403, "\(path) as \(destination)")
                }
            }
        }
    }

    @Test func `Every page has the headers of pages`() async throws {
        try await TestServer.with(.development) { server in
            for path in [
                "/", "/sign-in", "/sign-up", "/forgot", "/signed-out", "/auth/action", "/guardian/enroll",
                "/dev/inbox", "/no-such-page",
            ] {
                try Self.expectHeaders(of: try await TestBrowser(server).send(.get, path), at: path)
            }
        }
    }

    private static func expectHeaders(of reply: Reply, at path: String) throws {
        let expected: [(HTTPField.Name, String)] = [
            (.contentType, "text/html; charset=utf-8"), (.cacheControl, "no-store"),
            (.known("X-Frame-Options"), "DENY"), (.known("Referrer-Policy"), "no-referrer"),
            (.xContentTypeOptions, "nosniff"), (.known("Cross-Origin-Opener-Policy"), "same-origin"),
            (.known("Cross-Origin-Resource-Policy"), "same-origin"),
            (.known("Strict-Transport-Security"), "max-age=31536000"),
        ]
        for (name, value) in expected { #expect(reply.headers[name] == value, "\(path): \(name)") }
        #expect(reply.headers[.known("Permissions-Policy")]?.contains("camera=()") == true, "\(path)")
        let policy = try #require(reply.headers[.contentSecurityPolicy], "\(path)")
        #expect(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"), "\(path)")
        #expect(
            !policy.contains("unsafe") && !policy.replacing("script-src 'self';", with: "").contains("script-src"),
            "\(path)")
        let page = TestPage(reply: reply, path: path, language: "en")
        #expect(page.kind != nil && reply.has("<h1>"), "\(path)")
    }

    @Test
    func `An error that no application is told has a number, which the log has too`() async throws {
        try await TestServer.with(.development) { server in
            var numbers: Set<String> = []
            for path in [
                "/authorize?client_id=none", "/authorize?client_id=dev-web&redirect_uri=https%3A%2F%2Fevil.example%2F",
                "/oidc/logout?client_id=a&client_id=b",
            ] {
                let page = try await TestBrowser(server).open(path)
                #expect(page.kind == "error" && page.status == 400 && !page.html.contains("evil"))
                let number = try #require(
                    page.html.firstMatch(of: /give this number: ([0-9a-f]+)</), "\(page.html)"
                ).1
                numbers.insert(String(number))
            }
            #expect(numbers.count == 3)
        }
    }

    @Test
    func `A path that does not exist is a page for a browser alone`() async throws {
        try await TestServer.with(.development) { server in
            let browser = TestBrowser(server)
            let page = try await browser.open("/no-such-page")
            #expect(page.status == 404 && page.kind == "not-found")
            #expect(
                try await browser.send(.get, "/no-such-page", headers: [.accept: "*/*"]).text
                    == #"{"error":"not_found"}"#)
        }
    }

    @Test
    func `A page that does not exist leads to no other host, whatever its path says`() async throws {
        try await TestServer.with(.development) { server in
            for path in ["//evil.example/x", "///evil.example", "/\\evil.example", "/\\/evil.example/x?y=z"] {
                let page = try await TestBrowser(server).open(path)
                #expect(page.kind == "not-found" && page.links.count > 2, "\(path): \(page.html)")
                for target in page.links.values {
                    #expect(target.first == "/" && !["/", "\\"].contains(target.dropFirst().first), "\(target)")
                }
            }
        }
    }

    @Test
    func `Signing out takes the session from the browser, asks first, and ends it everywhere on request`() async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let account = try await SignInPageTests.password(browser)
            let held = browser.cookies
            let asked = try await browser.open("/sign-out")
            #expect(asked.kind == "sign-out" && browser.cookies[SignInPageTests.session] != nil)
            #expect(try await browser.post("/sign-out", ["decision": "this"]).status == 403)
            let out = try await browser.submit(asked, ["decision": "this"])
            #expect(out.kind == "signed-out" && browser.cookies[SignInPageTests.session] == nil)
            browser.keep(held)
            #expect(try await browser.open("/account").kind == "sign-in")
            _ = account

            let (one, two) = (TestBrowser(server), TestBrowser(server))
            let page = try await SignInPageTests.password(one)
            #expect(try await SignInPageTests.password(two).kind == "account")
            // Whatever ended since: sessions that go on are not looked for among the newest.
            let (store, now) = (server.realm.store, server.now)
            let email = EmailAddress(kept: SignInPageTests.address)
            let user = try #require(await store.read { try $0.user(email: email) })
            try await store.write { transaction in
                for number in 0..<1001 {
                    let ended = CountersignCore.Session(
                        id: SessionID(rawValue: "ended \(number)"), userID: user.id, dialect: .oauth,
                        tokenEpoch: user.tokenEpoch, createdAt: now + 1, expiresAt: now + 86_400, revokedAt: now + 2,
                        proofs: [])
                    _ = try transaction.insert(ended)
                }
            }
            #expect(try await one.submit(page, ["decision": "all"]).kind == "signed-out")
            #expect(try await two.open("/account").kind == "sign-in")
        }
    }

    @Test
    func `A session that is left alone for an hour is over, one that is used goes on for a day`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            _ = try await SignInPageTests.password(browser)
            for _ in 0..<26 {
                try await server.advance(3300)
                #expect(try await browser.open("/account").kind == "account")
            }
            try await server.advance(3300)
            #expect(try await browser.open("/account").kind == "sign-in")

            let other = TestBrowser(server)
            _ = try await SignInPageTests.password(other)
            try await server.advance(3601)
            #expect(try await other.open("/account").kind == "sign-in")
        }
    }

    @Test(arguments: [false, true])
    func `A form of the account counts after a page has renewed the session's cookie`(isOfThatPage: Bool) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let before = try await SignInPageTests.password(browser)
            let held = browser.cookies[SignInPageTests.session]
            try await server.advance(600)
            let renewing = try await browser.open("/account")
            #expect(renewing.kind == "account" && browser.cookies[SignInPageTests.session] != held)
            let out = try await browser.submit(isOfThatPage ? renewing : before, ["decision": "this"])
            #expect(out.kind == "signed-out" && browser.cookies[SignInPageTests.session] == nil, "\(out.html)")
        }
    }

    @Test
    func `The language of a link stays with the browser`() async throws {
        try await TestServer.with(.development) { server in
            let browser = TestBrowser(server)
            let page = try await browser.open("/sign-in?lang=de")
            #expect(page.html.contains("<html lang=\"de\""))
            #expect(try await browser.open("/sign-up").html.contains("<html lang=\"de\""))
            #expect(browser.cookies["__Host-cs_lang"] == "de")
            #expect(
                try await TestBrowser(server).open("/sign-in?lang=xx", language: "ja").html.contains(
                    "<html lang=\"ja\""))
        }
    }

    // MARK: Every form

    private static let formsOfBrowsers = [
        "/sign-in", "/sign-in/passkey", "/sign-in/passkey/options", "/sign-in/password", "/sign-in/mail",
        "/sign-in/code", "/sign-in/push", "/sign-in/enrol", "/sign-in/enrol/options",
        "/sign-in/confirm", "/sign-in/consent", "/sign-up", "/sign-up/verify", "/sign-up/new-password",
        "/sign-up/profile", "/forgot",
        "/forgot/verify", "/reset", "/activate",
    ]
    private static let formsOfSessions = [
        "/account/activity/not-me", "/account/address", "/account/address/verify", "/account/applications",
        "/account/authenticator", "/account/delete", "/account/device", "/account/factor", "/account/passkeys",
        "/account/password", "/account/profile", "/account/recovery-codes", "/account/passkeys/options",
        "/account/sessions", "/sign-out",
    ]

    /// What a stranger's page can have a browser send: never both locks at once.
    private static let strangers: [HTTPFields] = [
        [site: "cross-site"], [site: "same-site"], [site: "none"], [:], [.origin: "https://evil.example"],
        [site: "cross-site", .origin: "https://evil.example"],
    ]

    /// One server for all forms: none of what is sent counts, so each form finds the session as it was.
    @Test
    func `No form is taken without both locks`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let owner = TestBrowser(server)
            let account = try await SignInPageTests.password(owner)
            #expect(account.kind == "account", "\(account.html)")
            let held = owner.cookies
            #expect(held[SignInPageTests.session] != nil)
            let elsewhere = TestBrowser(server)
            let other = try await SignInPageTests.password(elsewhere)
            let own = try #require(account.form(with: ["decision": ""])?.values["csrf"])
            let foreign = try #require(other.form(with: ["decision": ""])?.values["csrf"])
            let fields = ["decision": "all", "client": "dev-web", "username": SignInPageTests.address]
            for path in Self.formsOfBrowsers + Self.formsOfSessions {
                let browser = TestBrowser(server)
                browser.keep(held)
                // From our own page, without the form's token or with one of another form, another session.
                for token in [nil, "", "AAAA", foreign, path == "/sign-out" ? nil : own] {
                    var fields = fields
                    fields["csrf"] = token
                    let reply = try await browser.post(path, fields)
                    #expect((400..<500).contains(reply.status), "\(path) \(token ?? "nil"): \(reply.status)")
                }
                // With the right token where it is known, from a stranger's page.
                for headers in Self.strangers {
                    let reply = try await browser.post(path, fields.merging(["csrf": own]) { $1 }, headers: headers)
                    #expect((400..<500).contains(reply.status), "\(path) \(headers): \(reply.status)")
                }
                browser.keep(held)
                #expect(try await browser.open("/account").kind == "account", "\(path)")
            }
        }
    }
}
