import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import PasskeyTestSupport
import ServerHTTP
import Testing

/// Signing a browser in with another device on which its user is signed in.
@Suite("Signing in with another device")
struct OtherDeviceTests {
    static let path = "/sign-in/other-device"
    private static let home = "198.51.100.7"
    private static let address = SignInPageTests.address

    /// What a browser that waits shows.
    struct Shown {
        let browser: TestBrowser
        let page: TestPage
        let code: String
        let number: String
    }

    /// A browser that begins to wait.
    static func waiting(
        _ server: TestServer, at address: String? = nil, from path: String = OtherDeviceTests.path
    ) async throws -> Shown {
        let browser = TestBrowser(server, at: address ?? home)
        let first = try await browser.open(path)
        #expect(first.kind == "other-device", "\(first.html)")
        let form = try #require(first.forms.first { $0.action == Self.path })
        let landing = try await browser.sendForm(form, [:])
        let page = try #require(landing.page)
        let texts = page.html.matches(of: /<p class="secret"><span aria-hidden="true">([A-Z0-9-]+)</).map {
            String($0.1)
        }
        #expect(texts.count == 2, "\(page.html)")
        return Shown(
            browser: browser, page: page, code: try #require(texts.first), number: try #require(texts.last))
    }

    /// A device on which the user has just signed in with a password.
    private func phone(_ server: TestServer, at address: String = home) async throws -> TestBrowser {
        let phone = TestBrowser(server, at: address)
        #expect(try await SignInPageTests.password(phone, Self.address).kind == "account")
        return phone
    }

    private func confirm(_ shown: Shown) -> String { "\(Self.path)/confirm?user_code=\(shown.code)" }

    /// The user of a browser, as the account's page names it; nil where it is not signed in.
    private func isSignedIn(_ browser: TestBrowser) async throws -> Bool {
        try await browser.open("/account").kind == "account"
    }

    @Test(arguments: ["en", "de", "ja"])
    func `The picture leads to the page on the other device, which shows where the browser is`(
        language: String
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let shown = try await Self.waiting(server)
            let again = try await shown.browser.open("\(shown.page.path)&lang=\(language)")
            #expect(again.html.contains("<html lang=\"\(language)\"") && again.html.contains(shown.number))
            #expect(again.html.contains("<noscript><meta http-equiv=\"refresh\" content=\"4\"></noscript>"))
            #expect(again.html.contains("wait.js") && again.html.contains("data-expires=\"120\""), "\(again.html)")
            let phone = try await phone(server)
            let page = try await phone.open(confirm(shown), language: language)
            #expect(page.kind == "device-confirm" && page.html.contains(Self.home), "\(page.html)")
            // The number is on the browser's own screen alone.
            #expect(!page.html.contains(shown.number) && page.html.contains(Self.address))
            let form = try #require(page.form(with: ["number": "", "decision": ""]))
            let typed = form.values.merging(["number": shown.number, "decision": "allow"]) { $1 }
            #expect(try await phone.post(form.action, typed).status == 303)
            #expect(try await shown.browser.open(shown.page.path).kind == "account")
            #expect(try await isSignedIn(shown.browser))
        }
    }

    @Test
    func `It goes on to the application that the browser was on its way to`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let browser = TestBrowser(server, at: Self.home)
            let first = try #require(try await browser.land(PageStepTests.request("dev-native")).page)
            let link = try #require(first.links["Sign in with another device"], "\(first.html)")
            let begin = try await browser.open(link)
            let form = try #require(begin.forms.first { $0.action == Self.path })
            let page = try #require(try await browser.sendForm(form, [:]).page)
            let texts = page.html.matches(of: /<p class="secret"><span aria-hidden="true">([A-Z0-9-]+)</)
                .map { String($0.1) }
            let phone = try await phone(server)
            let asked = try await phone.open("\(Self.path)/confirm?user_code=\(try #require(texts.first))")
            let done = try await phone.submit(
                asked, ["number": try #require(texts.last), "decision": "allow"])
            #expect(done.html.contains("The browser is signed in"), "\(done.html)")
            let landing = try await browser.land(page.path)
            #expect(landing.away?.hasPrefix("\(PageStepTests.callback)?code=") == true, "\(landing)")
        }
    }

    @Test
    func `Twenty confirmations and twenty looks at once make one session`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.account(Self.address)
            let shown = try await Self.waiting(server)
            let phone = try await phone(server)
            let form = try #require(try await phone.open(confirm(shown)).form(with: ["number": ""]))
            let typed = form.values.merging(["number": shown.number, "decision": "allow"]) { $1 }
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await phone.post(form.action, typed).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0 == 303 || $0 == 422 }, "\(answers)")
            let cookies = shown.browser.cookies
            let sessions = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let tab = TestBrowser(server, at: Self.home)
                        tab.keep(cookies)
                        _ = try await tab.send(.get, shown.page.path)
                        return tab.cookies[SignInPageTests.session] == nil ? 0 : 1
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sessions == 1)
            #expect(try await server.realm.sessions.list(of: user.id, limit: 50).count == 2)
        }
    }

    @Test
    func `A link carried to another browser signs that one in to nothing`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let shown = try await Self.waiting(server)
            let phone = try await phone(server)
            let page = try await phone.open(confirm(shown))
            _ = try await phone.submit(page, ["number": shown.number, "decision": "allow"])
            for other in [TestBrowser(server, at: Self.home), try await Self.waiting(server).browser] {
                let followed = try await other.open(shown.page.path)
                #expect(followed.kind == "start-again" && !followed.html.contains(shown.number))
                #expect(try await !isSignedIn(other))
            }
            // The device that allowed it is no browser that waits, either.
            #expect(try await phone.open(shown.page.path).kind == "start-again")
            #expect(try await shown.browser.open(shown.page.path).kind == "account")
        }
    }

    @Test
    func `After two minutes the code counts no more, allowed or not`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let (late, allowed) = (try await Self.waiting(server), try await Self.waiting(server))
            let phone = try await phone(server)
            let page = try await phone.open(confirm(allowed))
            _ = try await phone.submit(page, ["number": allowed.number, "decision": "allow"])
            let open = try await phone.open(confirm(late))
            try await server.advance(120)
            let refused = try await phone.submit(open, ["number": late.number, "decision": "allow"])
            #expect(refused.status == 422 && refused.hasAlert, "\(refused.html)")
            for shown in [late, allowed] {
                let over = try await shown.browser.open(shown.page.path)
                #expect(over.kind == "other-device" && over.status == 410 && over.hasAlert, "\(over.html)")
                #expect(try await !isSignedIn(shown.browser))
            }
        }
    }

    @Test
    func `A denied browser is told, and the code counts no more`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let shown = try await Self.waiting(server)
            let phone = try await phone(server)
            let page = try await phone.open(confirm(shown))
            // Denying needs no number.
            let done = try await phone.submit(page, ["decision": "deny"])
            #expect(done.html.contains("The browser was refused"), "\(done.html)")
            let allowed = try await phone.submit(page, ["number": shown.number, "decision": "allow"])
            #expect(allowed.status == 422, "\(allowed.html)")
            let told = try await shown.browser.open(shown.page.path)
            #expect(told.status == 403 && told.hasAlert)
            #expect(try await !isSignedIn(shown.browser))
        }
    }

    @Test
    func `The number has to be the browser's, and few wrong ones can be tried`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let shown = try await Self.waiting(server)
            let phone = try await phone(server)
            let page = try await phone.open(confirm(shown))
            let wrong = shown.number == "000000" ? "000001" : "000000"
            for number in ["", wrong, String(shown.number.dropLast()), shown.number + "0", wrong] {
                let refused = try await phone.submit(page, ["number": number, "decision": "allow"])
                #expect(refused.status == 422 && refused.hasAlert, "\(refused.html)")
            }
            let limited = try await phone.submit(page, ["number": shown.number, "decision": "allow"])
            #expect(limited.status == 422 && limited.html.contains("Too many attempts"), "\(limited.html)")
            #expect(try await !isSignedIn(shown.browser))
        }
    }

    @Test
    func `A browser in another network cannot be allowed, unless the settings say so`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let shown = try await Self.waiting(server, at: "203.0.113.9")
            let phone = try await phone(server)
            let page = try await phone.open(confirm(shown))
            #expect(page.form(with: ["number": ""]) == nil && page.html.contains("203.0.113.9"), "\(page.html)")
            let form = try #require(page.form(with: ["decision": ""]))
            let forced = form.values.merging(["number": shown.number, "decision": "allow"]) { $1 }
            #expect(try await phone.post(form.action, forced).status == 422)
            #expect(try await !isSignedIn(shown.browser))
            try await server.realm.changeSettings(by: .testAdministrator) {
                $0.browserSessions.otherDevice = .anywhere
            }
            let asked = try await phone.open(confirm(shown))
            _ = try await phone.submit(asked, ["number": shown.number, "decision": "allow"])
            #expect(try await shown.browser.open(shown.page.path).kind == "account")
        }
    }

    @Test
    func `A session of before proves anew who its user is`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let phone = try await phone(server)
            try await server.advance(1)
            let shown = try await Self.waiting(server)
            let page = try await phone.open(confirm(shown))
            #expect(page.form(with: ["number": ""]) == nil, "\(page.html)")
            let form = try #require(page.form(with: ["decision": ""]))
            let forced = form.values.merging(["number": shown.number, "decision": "allow"]) { $1 }
            #expect(try await phone.post(form.action, forced).status == 422)
            let way = try #require(page.links.first { $0.value.hasPrefix("/sign-in/confirm?") }?.value)
            let proving = try await phone.open(way)
            #expect(proving.kind == "confirm" && proving.html.contains(Self.address), "\(proving.html)")
            let back = try await phone.submit(proving, ["password": NativeClient.password])
            #expect(back.kind == "device-confirm" && back.html.contains(shown.code), "\(back.html)")
            _ = try await phone.submit(back, ["number": shown.number, "decision": "allow"])
            #expect(try await shown.browser.open(shown.page.path).kind == "account")
        }
    }

    @Test
    func `A user with a passkey uses it, and the browser's session does not count as resistant to phishing`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let passkeys = PasskeyBrowser(TestBrowser(server, at: Self.home))
            var authenticator = SoftwareAuthenticator(origin: PasskeyPageTests.site)
            _ = try await passkeys.create(
                on: SignInPageTests.password(passkeys.browser, Self.address), &authenticator, name: "Phone")
            let shown = try await Self.waiting(server)
            let phone = PasskeyBrowser(TestBrowser(server, at: Self.home))
            // The password is fresh, and not enough.
            #expect(try await SignInPageTests.password(phone.browser, Self.address).kind == "account")
            let page = try await phone.browser.open(confirm(shown))
            #expect(page.form(with: ["number": ""]) == nil, "\(page.html)")
            let way = try #require(page.links.first { $0.value.hasPrefix("/sign-in/confirm?") }?.value)
            let back = try await phone.get(on: try await phone.browser.open(way), authenticator)
            #expect(back.kind == "device-confirm", "\(back.html)")
            _ = try await phone.browser.submit(back, ["number": shown.number, "decision": "allow"])
            let account = try await shown.browser.open(shown.page.path)
            #expect(account.kind == "account", "\(account.html)")
            let email = try #require(EmailAddress(Self.address))
            let user = try #require(try await server.realm.accounts.user(email: email))
            let weakened = try await server.realm.sessions.list(of: user.id, limit: 50).map(\.session).filter {
                session in
                session.proofs.contains { proof in
                    proof.kind == .passkey && proof.assurance.map { !$0.contains(.phishingResistant) } == true
                }
            }
            #expect(weakened.count == 1, "\(weakened.map(\.proofs))")
        }
    }

    @Test
    func `The user who allows is the one who is signed in`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            _ = try await server.account("bob@example.com")
            let shown = try await Self.waiting(server)
            let ada = try await phone(server)
            let page = try await ada.open(confirm(shown))
            let bob = TestBrowser(server, at: Self.home)
            _ = try await SignInPageTests.password(bob, "bob@example.com")
            // The form of one user's device is none of another's.
            let form = try #require(page.form(with: ["number": ""]))
            let stolen = form.values.merging(["number": shown.number, "decision": "allow"]) { $1 }
            #expect(try await bob.post(form.action, stolen).status == 403)
            let own = try await bob.open(confirm(shown))
            #expect(own.html.contains("bob@example.com") && !own.html.contains(Self.address))
            _ = try await bob.submit(own, ["number": shown.number, "decision": "allow"])
            let account = try await shown.browser.open(shown.page.path)
            #expect(account.html.contains("bob@example.com") && !account.html.contains(Self.address))
        }
    }

    @Test
    func `Disabled meanwhile, signed out meanwhile, and the setting off: nothing is signed in`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.account(Self.address)
            let (one, other) = (try await Self.waiting(server), try await Self.waiting(server))
            let phone = try await phone(server)
            for shown in [one, other] {
                let page = try await phone.open(confirm(shown))
                _ = try await phone.submit(page, ["number": shown.number, "decision": "allow"])
            }
            _ = try await phone.submit(try await phone.open("/sign-out"), ["decision": "this"])
            #expect(try await one.browser.open(one.page.path).status == 410)
            var change = AccountChange()
            change.isDisabled = true
            _ = try await server.realm.accounts.change(user.id, change, by: .testAdministrator)
            #expect(try await other.browser.open(other.page.path).status == 410)
            try await server.realm.changeSettings(by: .testAdministrator) { $0.browserSessions.otherDevice = .off }
            let browser = TestBrowser(server)
            #expect(try await browser.open(Self.path).kind == "sign-in")
            #expect(try await !browser.open("/sign-in").html.contains(Self.path))
        }
    }

    @Test
    func `Codes of devices and of browsers are taken on their own pages alone`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let shown = try await Self.waiting(server)
            let phone = try await phone(server)
            #expect(try await phone.open("/activate?user_code=\(shown.code)").hasAlert)
            let reply = try await server.send(
                .post, "/oauth/device/code", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array("client_id=dev-native&scope=openid".utf8))
            let code = try #require(reply.json["user_code"].text)
            #expect(try await phone.open("\(Self.path)/confirm?user_code=\(code)").hasAlert)
            #expect(try await phone.open("/activate?user_code=\(code)").kind == "device-confirm")
            // Nor does a program get tokens for what a browser waits with.
            let handle = try #require(shown.page.path.firstMatch(of: /attempt=([^.&]+)/)).1
            let token = try await server.send(
                .post, "/oauth/token", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array(
                    ("client_id=dev-native&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code="
                        + handle).utf8))
            #expect(token.status == 400 && token.json["error"].text == "invalid_grant", "\(token.text)")
        }
    }
}
