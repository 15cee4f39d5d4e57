import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import Testing

@Suite("Signing in by pages")
struct SignInPageTests {
    static let address = "ada@example.com"
    static let session = "__Host-cs_session"
    static let browserKey = "__Host-cs_browser"

    /// Up to the page that the password leads to.
    static func password(
        _ browser: TestBrowser, _ address: String = address, password: String = NativeClient.password
    ) async throws -> TestPage {
        let page = try await browser.submit(try await browser.open("/sign-in"), ["username": address])
        #expect(page.kind == "password", "\(page.html)")
        return try await browser.submit(page, ["password": password])
    }

    @Test
    func `The first page is at most 20 KiB, in three requests`() async throws {
        try await TestServer.with(.development) { server in
            let page = try await TestBrowser(server).open("/sign-in")
            let assets = page.html.matches(of: /(?:href|src)="(\/assets\/[^"]*)"/).map { String($0.1) }
            #expect((1...2).contains(assets.count), "\(assets)")
            var bytes = page.html.utf8.count
            for asset in assets { bytes += try await server.send(.get, asset).text.utf8.count }
            #expect(bytes <= 20 * 1024, "\(bytes)")
        }
    }

    @Test(arguments: ["en", "de", "ja"])
    func `A password leads to the account, and cookies are as browsers have to keep them`(language: String) async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let browser = TestBrowser(server)
            let first = try await browser.open("/account", language: language)
            #expect(first.kind == "sign-in" && first.path == "/sign-in")
            #expect(first.html.contains("<html lang=\"\(language)\""))
            let key = try #require(browser.cookies[Self.browserKey])
            let password = try await browser.submit(first, ["username": Self.address])
            #expect(password.kind == "password" && password.html.contains("<bdi>\(Self.address)</bdi>"))
            let wrong = try await browser.submit(password, ["password": "not that one"])
            #expect(wrong.status == 422 && wrong.hasAlert && wrong.kind == "password")
            #expect(!wrong.html.contains("not that one") && browser.cookies[Self.session] == nil)
            let account = try await browser.submit(wrong, ["password": NativeClient.password])
            #expect(account.kind == "account" && account.path == "/account", "\(account.html)")
            #expect(account.html.contains(Self.address))
            #expect(account.html.contains(/<time datetime="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/))

            #expect(browser.cookies[Self.browserKey] != key)
            for line in browser.setCookies {
                #expect(line.contains("; Path=/; HttpOnly; SameSite=Lax; Secure"), "\(line)")
                #expect(line.hasPrefix("__Host-cs_"), "\(line)")
                #expect(line.contains("Max-Age=") == !line.hasPrefix(Self.session), "\(line)")
            }
        }
    }

    @Test
    func `A password can be shown while it is typed, and the end of an attempt is announced`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let browser = TestBrowser(server)
            let first = try await browser.open("/sign-in")
            #expect(!first.html.contains("form.js") && !first.html.contains("data-expires"))
            let page = try await browser.submit(first, ["username": Self.address])
            // Without the script there is no button, and the line says nothing.
            #expect(
                page.html.contains(
                    "data-reveal=\"password\" aria-pressed=\"false\" hidden>Show password</button>"), "\(page.html)")
            #expect(
                page.html.contains("<p role=\"status\" data-expires=\"900\" data-text=\"This step ends in two minutes.")
            )
            #expect(page.html.contains("/form.js\" defer></script>"))
            #expect(page.reply.headers[.contentSecurityPolicy]?.contains("script-src 'self'") == true)
            try await server.advance(600)
            #expect(try await browser.open(page.path).html.contains("data-expires=\"300\""))
            let wrong = try await browser.submit(page, ["password": "not that one"])
            #expect(wrong.status == 422 && wrong.html.contains("data-expires=\"300\""))
            let script = try #require(page.html.firstMatch(of: /src="([^"]*form\.js)"/)).1
            let answer = try await browser.send(.get, String(script))
            #expect(answer.status == 200 && answer.text.utf8.count <= 6144)
        }
    }

    /// `login_hint` fills a field in: the one text of a stranger's that a link puts on the page.
    @Test
    func `A name in a link is text whatever is put upon its quotation marks`() async throws {
        try await TestServer.with(.development) { server in
            let hint = "\u{D4E}\"\u{D4E}>\u{D4E}<b id=\u{D4E}'\u{D4E}x>\"\u{301}>\u{301}<\u{301}b>"
            let escaped = try #require(hint.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let page = try await TestBrowser(server).open(PageStepTests.request() + "&login_hint=" + escaped)
            #expect(page.kind == "sign-in" && page.html.contains("b id="), "\(page.html)")
            for sign in ["<", ">", "\"", "'"] {
                for raw in ["\u{D4E}" + sign, sign + "\u{301}"] {
                    #expect(Data(page.html.utf8).firstRange(of: Data(raw.utf8)) == nil, "\(raw)")
                }
            }
        }
    }

    /// A page of another host of the same site may set cookies that this one gets, but none whose name begins with `__Host-`.
    @Test
    func `No cookie of another host brings one of ours along`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let browser = TestBrowser(server)
            _ = try await Self.password(browser)
            let own = "\(Self.session)=\(try #require(browser.cookies[Self.session]))"
            let separators = [
                ",", ";\u{A0}", "\u{37E}", "\u{37E} ", "\u{FF1B}", ";\u{301}", "\u{204F}", "\t",
            ]
            for (index, cookie) in (separators.map { "x=1\($0)\(own)" } + [own + "; x=1", "x=1;\(own)"]).enumerated() {
                let reply = try await server.send(.get, "/account", headers: [.accept: "text/html", .cookie: cookie])
                #expect((reply.status == 200) == (index >= separators.count), "\(cookie.debugDescription)")
            }
            for separator in separators {
                let cookie = "x=1\(separator)\(Self.session)=another; \(own)"
                let reply = try await server.send(.get, "/account", headers: [.accept: "text/html", .cookie: cookie])
                #expect(reply.status == 200, "\(cookie.debugDescription)")
            }
        }
    }

    @Test
    func `An unknown address looks like a known one`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            var seen: Set<String> = []
            for address in [Self.address, "nina@example.com", "olaf@example.com", "petra@example.com"] {
                let browser = TestBrowser(server)
                let page = try await browser.submit(try await browser.open("/sign-in"), ["username": address])
                let field = page.kind == "mail" ? "code" : "password"
                let wrong = try await browser.submit(page, [field: "12345678"])
                #expect(wrong.status == 422 && wrong.hasAlert && wrong.kind == page.kind)
                if page.kind == "password" {
                    seen.insert(
                        wrong.html.replacing(address, with: "").replacing(/value="[^"]*"|href="[^"]*"/, with: ""))
                }
            }
            #expect(seen.count == 1)
        }
    }

    @Test
    func `A code of an authenticator is asked for, counts once, and a recovery code stands in for it`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.account(Self.address)
            let totp = try await server.authenticator(of: user)
            let browser = TestBrowser(server)
            let page = try await Self.password(browser)
            #expect(page.kind == "code", "\(page.html)")
            let wrong = try await browser.submit(page, ["code": "000000"])
            #expect(wrong.status == 422 && wrong.hasAlert && wrong.kind == "code")
            let code = totp.code(at: server.now).stringCode
            let account = try await browser.submit(wrong, ["code": code])
            #expect(account.kind == "account", "\(account.html)")

            let other = TestBrowser(server)
            let again = try await other.submit(try await Self.password(other), ["code": code])
            #expect(again.status == 422 && again.hasAlert)
        }
    }

    @Test
    func `A device is asked with a number, and its answer signs in`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.account(Self.address)
            let phone = try await server.enrolled(of: "auth0|\(user.id)")
            let browser = TestBrowser(server)
            let page = try await Self.password(browser)
            #expect(page.kind == "push", "\(page.html)")
            #expect(page.html.contains("<noscript><meta http-equiv=\"refresh\" content=\"4\"></noscript>"))
            let shown = try #require(page.html.firstMatch(of: /<p class="secret"><span aria-hidden="true">([0-9 ]+)</))
            let number = shown.1.filter { $0 != " " }
            let push = try #require(try await phone.pushes(on: server).last)
            #expect(push["mfa"]["nl"] == .integer(number.count))
            #expect(try await browser.open(page.path).kind == "push")
            #expect(try await phone.phone.allow(push, number: number, on: server).status < 300)
            let account = try await browser.open(page.path)
            #expect(account.kind == "account", "\(account.html)")
        }
    }

    @Test
    func `A user without a password is mailed a code, and another one on request`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address, password: nil)
            let browser = TestBrowser(server)
            let page = try await browser.submit(try await browser.open("/sign-in"), ["username": Self.address])
            #expect(page.kind == "mail" && !page.html.contains(Self.address), "\(page.html)")
            let first = try await server.code(mailedTo: Self.address)
            try await server.advance(Journeys.pauseBetweenMails)
            let again = try await browser.submit(page, ["again": "1"])
            #expect(again.kind == "mail" && again.html.contains("role=\"status\""))
            let former = try await browser.submit(again, ["code": first])
            #expect(former.status == 422)
            let german = try await browser.open(try #require(former.links["Deutsch"]))
            #expect(german.kind == "mail" && german.html.contains("<html lang=\"de\""), "\(german.html)")
            let second = try await server.code(mailedTo: Self.address)
            #expect(second != first)
            let account = try await browser.submit(former, ["code": second])
            #expect(account.kind == "account", "\(account.html)")
        }
    }

    @Test
    func `A new account is made by a mailed code and a password`() async throws {
        try await TestServer.with(.development) { server in
            let browser = TestBrowser(server)
            let page = try await browser.open("/sign-up")
            #expect(page.kind == "sign-up")
            let verify = try await browser.submit(page, ["email": "new@example.com"])
            #expect(verify.kind == "verify", "\(verify.html)")
            let choose = try await browser.submit(
                verify, ["code": try await server.code(mailedTo: "new@example.com")])
            #expect(choose.kind == "new-password", "\(choose.html)")
            let weak = try await browser.submit(choose, ["new_password": "short"])
            #expect(weak.status == 422 && weak.hasAlert && weak.kind == "new-password")
            let account = try await browser.submit(weak, ["new_password": "four separate long words"])
            #expect(account.kind == "account", "\(account.html)")
            #expect(account.html.contains("new@example.com"))
        }
    }

    @Test
    func `A forgotten password is replaced by a mailed code, and the second factor is asked all the same`() async throws
    {
        try await TestServer.with(.development) { server in
            let user = try await server.account(Self.address)
            let totp = try await server.authenticator(of: user)
            let browser = TestBrowser(server)
            let verify = try await browser.submit(try await browser.open("/forgot"), ["email": Self.address])
            #expect(verify.kind == "verify", "\(verify.html)")
            let reset = try await browser.submit(verify, ["code": try await server.code(mailedTo: Self.address)])
            #expect(reset.kind == "reset", "\(reset.html)")
            let code = try await browser.submit(reset, ["new_password": "another four long words"])
            #expect(code.kind == "code", "\(code.html)")
            let account = try await browser.submit(code, ["code": totp.code(at: server.now).stringCode])
            #expect(account.kind == "account", "\(account.html)")
        }
    }
}
