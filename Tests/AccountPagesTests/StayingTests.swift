import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import Testing

/// "Stay signed in", the accounts that a browser shows again, and the limits of NIST SP 800-63B-4.
@Suite("Staying signed in")
struct StayingTests {
    private static let address = SignInPageTests.address
    private static let known = "__Host-cs_known"
    private static let day: Double = 86_400

    /// Signs in by password, asking to stay.
    static func staying(_ browser: TestBrowser, _ address: String) async throws -> TestPage {
        let page = try await browser.submit(
            try await browser.open("/sign-in"), ["username": address, "stay": "1"])
        #expect(page.kind == "password", "\(page.html)")
        return try await browser.submit(page, ["password": NativeClient.password])
    }

    /// The last `Set-Cookie` of the session.
    private func session(_ browser: TestBrowser) throws -> String {
        try #require(browser.setCookies.last { $0.hasPrefix("\(SignInPageTests.session)=") })
    }

    @Test(arguments: ["en", "de", "ja"])
    func `The box is there, is empty, and a session without it is forgotten with the browser`(
        language: String
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let browser = TestBrowser(server)
            // What a link says chooses nothing.
            let page = try await browser.open("/sign-in?stay=1", language: language)
            #expect(
                page.html.contains("<input type=\"checkbox\" id=\"stay\" name=\"stay\" value=\"1\" aria-describedby"))
            #expect(page.form(with: ["username": ""])?.values["stay"] == nil)
            let password = try await browser.submit(page, ["username": Self.address])
            #expect(try await browser.submit(password, ["password": NativeClient.password]).kind == "account")
            #expect(try !session(browser).contains("Max-Age"))
            #expect(browser.cookies[Self.known] == nil)
        }
    }

    @Test
    func `One factor stays for 30 days where the user asks for it, used or not`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let browser = TestBrowser(server)
            #expect(try await Self.staying(browser, Self.address).kind == "account")
            #expect(try session(browser).contains("; Max-Age=2592000; "))
            try await server.advance(15 * Self.day)
            #expect(try await browser.open("/account").kind == "account")
            // Its use is written down, and it stays what it was.
            #expect(try session(browser).contains("; Max-Age=2592000; "))
            try await server.advance(15 * Self.day - 1)
            #expect(try await browser.open("/account").kind == "account")
            try await server.advance(1)
            #expect(try await browser.open("/account").kind == "sign-in")
        }
    }

    @Test
    func `Two factors are an hour idle at most, and a day in all`() async throws {
        try await TestServer.with(.development) { server in
            let totp = try await server.authenticator(of: try await server.account(Self.address))
            let browser = TestBrowser(server)
            let code = try await Self.staying(browser, Self.address)
            #expect(code.kind == "code", "\(code.html)")
            #expect(
                try await browser.submit(code, ["code": totp.code(at: server.now).stringCode]).kind == "account")
            for _ in 0..<23 {
                try await server.advance(3599)
                #expect(try await browser.open("/account").kind == "account")
            }
            let kept = browser.cookies
            try await server.advance(3600)
            #expect(try await browser.open("/account").kind == "sign-in")
            #expect(kept[SignInPageTests.session] != nil)
        }
    }

    @Test(arguments: [(BrowserSessionSettings.Preset.aal2, 3600.0, 24), (.aal3, 900, 48)])
    func `A stricter preset holds for every session, and offers no staying`(
        preset: BrowserSessionSettings.Preset, idle: Double, uses: Int
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let early = TestBrowser(server)
            #expect(try await Self.staying(early, Self.address).kind == "account")
            _ = try await server.realm.changeSettings(by: .testAdministrator) { $0.browserSessions.preset = preset }
            let browser = TestBrowser(server)
            let page = try await browser.open("/sign-in")
            #expect(page.form(with: ["stay": ""]) == nil)
            // A form that was made before, or by hand.
            let form = try #require(page.form(with: ["username": ""]))
            let answer = try await browser.post(
                form.action, form.values.merging(["username": Self.address, "stay": "1"]) { $1 })
            let password = try await browser.open(try #require(answer.headers[.location]))
            #expect(try await browser.submit(password, ["password": NativeClient.password]).kind == "account")
            #expect(try !session(browser).contains("Max-Age") && browser.cookies[Self.known] == nil)
            try await server.advance(idle - 1)
            #expect(try await browser.open("/account").kind == "account")
            try await server.advance(idle)
            #expect(try await browser.open("/account").kind == "sign-in")
            // It holds for those that stayed before.
            #expect(try await early.open("/account").kind == "sign-in")

            let busy = TestBrowser(server)
            #expect(try await SignInPageTests.password(busy, Self.address).kind == "account")
            for _ in 1..<uses {
                try await server.advance(idle - 1)
                #expect(try await busy.open("/account").kind == "account")
            }
            try await server.advance(idle - 1 + Double(uses))
            #expect(try await busy.open("/account").kind == "sign-in")
        }
    }

    @Test
    func `The wish to stay is of the form alone: the name of an attempt cannot be changed to say so`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let browser = TestBrowser(server)
            let plain = try await browser.submit(try await browser.open("/sign-in"), ["username": Self.address])
            let name = try #require(plain.form(with: ["password": ""])?.values["attempt"])
            let parts = name.split(separator: ".").map(String.init)
            #expect(parts.count == 2)
            for other in [
                "\(parts[0]).stay.\(parts[1])", "\(parts[0]).stay", "\(name).stay", "\(parts[0]).x.\(parts[1])",
            ] {
                let page = try await browser.open("/sign-in/password?attempt=\(other)")
                #expect(page.kind == "start-again", "\(other)")
            }
            let staying = try await browser.submit(
                try await browser.open("/sign-in"), ["username": Self.address, "stay": "1"])
            let said = try #require(staying.form(with: ["password": ""])?.values["attempt"])
            let without = said.replacing(".stay.", with: ".")
            #expect(said != without)
            #expect(try await browser.open("/sign-in/password?attempt=\(without)").kind == "start-again")
            #expect(try await browser.open("/sign-in/password?attempt=\(said)").kind == "password")
        }
    }

    @Test
    func `A second factor on the way leaves the session staying`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.account(Self.address)
            let browser = TestBrowser(server)
            #expect(try await Self.staying(browser, Self.address).kind == "account")
            let totp = try await server.authenticator(of: user)
            let code = try #require(
                try await browser.land(PageStepTests.request("dev-native", ["acr_values": "aal2"])).page)
            #expect(code.kind == "code", "\(code.html)")
            let landing = try await browser.sendForm(of: code, ["code": totp.code(at: server.now).stringCode])
            #expect(landing.away?.contains("code=") == true)
            #expect(try session(browser).contains("; Max-Age=2592000; "))
        }
    }

    // MARK: Accounts of the browser

    @Test
    func `A browser shows the accounts whose users asked for it, until it is told to forget them`() async throws {
        try await TestServer.with(.development) { server in
            let browser = TestBrowser(server)
            let addresses = (1...6).map { "person\($0)@example.com" }
            for address in addresses {
                _ = try await server.account(address)
                #expect(try await Self.staying(browser, address).kind == "account")
                _ = try await browser.submit(try await browser.open("/sign-out"), ["decision": "this"])
                let line = try #require(browser.setCookies.last { $0.hasPrefix("\(Self.known)=") })
                #expect(line.contains("; Max-Age=7776000; Path=/; HttpOnly; SameSite=Lax; Secure"))
            }
            _ = try await server.account("silent@example.com")
            _ = try await SignInPageTests.password(browser, "silent@example.com")
            _ = try await browser.submit(try await browser.open("/sign-out"), ["decision": "this"])
            let page = try await browser.open("/sign-in")
            // Five, the latest first.
            let shown = page.html.matches(of: /name="username" value="([^"]+)"/).map { String($0.1) }
            #expect(shown == addresses.dropFirst().reversed())
            #expect(!page.html.contains("silent@example.com"))
            let form = try #require(page.form(with: ["account": "forget"]))
            #expect(form.action == "/sign-in")
            let chosen = try await browser.sendForm(form, ["username": addresses[2]])
            #expect(chosen.kind == "password" && chosen.page?.html.contains(addresses[2]) == true)

            let forgotten = try await browser.submit(try await browser.open("/sign-in"), ["account": "forget"])
            #expect(forgotten.kind == "sign-in" && !forgotten.html.contains("@example.com"))
            #expect(browser.cookies[Self.known] == nil)
        }
    }

    @Test
    func `A list of accounts that the server did not write shows nothing`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let browser = TestBrowser(server)
            _ = try await Self.staying(browser, Self.address)
            _ = try await browser.submit(try await browser.open("/sign-out"), ["decision": "this"])
            let good = try #require(browser.cookies[Self.known])
            let digest = try #require(good.split(separator: ".").last)
            let evil = Array(#"[{"id":"x","address":"evil@example.com"}]"#.utf8).base64URL
            for value in [
                "\(evil).\(digest)", "\(evil).", evil, "", ".", "\(good).", "\(good)x",
                String(repeating: "A", count: 4000) + ".\(digest)",
            ] {
                browser.keep(browser.cookies.merging([Self.known: value]) { $1 })
                let page = try await browser.open("/sign-in")
                #expect(page.kind == "sign-in" && !page.html.contains("@example.com"), "\(value.prefix(80))")
            }
            browser.keep(browser.cookies.merging([Self.known: good]) { $1 })
            #expect(try await browser.open("/sign-in").html.contains(Self.address))
        }
    }
}
