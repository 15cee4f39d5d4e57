import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import PasskeyTestSupport
import ServerHTTP
import Testing
import WebPages

/// The pages under `/account`: who sees them, and what a change takes.
@Suite("Pages of the account")
struct AccountPageTests {
    static let address = SignInPageTests.address

    /// Every page that a signed-in user can open without having begun anything.
    static let pages = [
        ("/account", "account"), ("/account/security", "account-security"), ("/account/passkey", "account-passkey"),
        ("/account/sessions", "account-sessions"), ("/account/applications", "account-applications"),
        ("/account/activity", "account-activity"), ("/account/activity?kind=factors", "account-activity"),
        ("/account/profile", "account-profile"), ("/account/address", "account-address"),
        ("/account/authenticator", "account-authenticator"), ("/account/device", "account-device"),
        ("/account/recovery-codes", "account-recovery"), ("/account/password", "account-password"),
        ("/account/data", "account-data"), ("/account/delete", "account-delete"),
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
            // The links to other languages repeat the address, on this server.
            #expect(first.links.values.allSatisfy { $0.hasPrefix("/") && !$0.hasPrefix("//") }, "\(first.html)")
            let form = try #require(first.form(with: ["username": ""]))
            #expect(form.values["return"] == nil, "\(form)")
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
            #expect(back.path == "/account/sessions" && back.notice?.hasPrefix("Thank you, that was you.") == true)
            let again = try await browser.submit(back, ["session": #require(form.values["session"])])
            #expect(again.notice == "The session was ended." && again.form(with: ["session": ""]) == nil)
        }
    }

    @Test
    func `A form whose session has ended leads through the sign-in to its page, and does nothing`() async throws {
        try await Self.signedIn { server, browser in
            let page = try await browser.open("/account/profile")
            let form = try #require(page.form(with: ["display_name": ""]))
            try await server.advance(60 * 86_400)
            var values = form.values
            values["display_name"] = "Zoë Söhne"
            let first = try #require(try await browser.sendForm(form, values).page)
            #expect(first.kind == "sign-in" && first.path.hasPrefix("/sign-in?return="), "\(first.path)")
            try await server.advance(1)
            let password = try await browser.submit(first, ["username": Self.address])
            let back = try await browser.submit(password, ["password": NativeClient.password])
            #expect(back.path == "/account/profile", "\(back.path)")
            #expect(back.notice?.contains("Nothing has been changed yet") == true, "\(back.html)")
            let shown = try #require(back.form(with: ["display_name": ""]))
            #expect(shown.values["display_name"] == "", "Another user may have signed in.")
        }
    }

    /// WCAG 2.2, success criterion 3.3.7.
    @Test
    func `What was typed before a proof was asked for is there after it, and nothing is saved meanwhile`() async throws
    {
        try await Self.signedIn { server, browser in
            for (typed, isKept) in [
                ("Zoë Söhne", true), ("", true), (String(repeating: "語", count: 200), true),
                (String(repeating: "x", count: 20_000), false),
            ] {
                // A proof gives the browser a new session: the form of the one before counts no more.
                let page = try await browser.open("/account/profile")
                let form = try #require(page.form(with: ["display_name": ""]))
                try await server.advance(301)
                var values = form.values
                values["display_name"] = typed
                values["locale"] = "de"
                let asked = try await browser.sendForm(form, values)
                #expect(asked.kind == "confirm", "\(asked)")
                // No address, which a browser's history and a proxy's log keep, says what was typed.
                #expect(asked.page?.path.hasSuffix(".%2Faccount%2Fprofile") == true, "\(asked)")
                try await server.advance(1)
                let early = try await browser.open("/account/profile")
                #expect(early.notice == nil, "Nothing has been proven: \(early.html)")
                #expect(try #require(early.form(with: ["display_name": ""])).values["display_name"] == "")
                let back = try await browser.submit(#require(asked.page), ["password": NativeClient.password])
                #expect(back.kind == "account-profile" && back.path == "/account/profile")
                let said = isKept ? "what you typed is still here" : "was too long to keep: type it again"
                #expect(back.notice?.contains(said) == true, "\(back.html)")
                let shown = try #require(back.form(with: ["display_name": ""]))
                #expect(shown.values["display_name"] == (isKept ? typed : ""), "\(back.html)")
                #expect((shown.values["locale"] == "de") == isKept)
                let stored = try await browser.open("/account/profile")
                #expect(stored.notice == nil, "It is said once.")
                #expect(try #require(stored.form(with: ["display_name": ""])).values["display_name"] == "")
                if isKept, !typed.isEmpty {
                    let saved = try await browser.submit(back, ["display_name": typed])
                    #expect(
                        saved.path == "/account/profile" && saved.notice == "Ihr Profil wurde gespeichert."
                            && saved.form(with: ["display_name": ""])?.values["display_name"] == typed,
                        "\(saved.html)")
                    _ = try await browser.submit(saved, ["display_name": "", "locale": ""])
                }
            }
            let lured = try await browser.open("/account/profile?display_name=Mallory&locale=ja&notice=profileSaved")
            let form = try #require(lured.form(with: ["display_name": ""]))
            #expect(form.values["display_name"] == "" && form.values["locale"] == "" && lured.notice == nil)
            // The links to other languages keep the address as it is.
            #expect(!lured.html.replacing("display_name=Mallory", with: "").contains("Mallory"))
        }
    }

    @Test
    func `What is shown once is shown for five minutes, also to a browser that keeps it longer`() async throws {
        try await Self.signedIn { server, browser in
            let authenticator = try await browser.open("/account/authenticator")
            let form = try #require(authenticator.forms.first { $0.action == "/account/authenticator" })
            _ = try await browser.sendForm(form, [:])
            #expect(try await browser.open("/account/authenticator").form(with: ["code": ""]) != nil)
            let kept = browser.cookies
            try await server.advance(290)
            #expect(try await browser.open("/account/authenticator").form(with: ["code": ""]) != nil)
            try await server.advance(11)
            browser.keep(kept)
            #expect(try await browser.open("/account/authenticator").form(with: ["code": ""]) == nil)
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
    func
        `A passkey of another user changes nothing where the user confirms, neither whose session it is: CVE-2023-6787`()
        async throws
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

    // MARK: Changes

    /// The six digits that an authenticator with the page's secret shows.
    private static func code(of page: TestPage, _ server: TestServer) throws -> String {
        let secret = try #require(page.html.firstMatch(of: /secret=([A-Z2-7]+)/)).1
        return try TOTP(secret: Base32.decode(String(secret))).code(at: server.now).stringCode
    }

    @Test
    func `An authenticator app is set up by the secret that the page shows, and only in the browser that began`()
        async throws
    {
        try await Self.signedIn { server, browser in
            let first = try await browser.open("/account/authenticator")
            #expect(!first.html.contains("otpauth"))
            let form = try #require(first.forms.first { $0.action == "/account/authenticator" })
            let shown = try #require(try await browser.sendForm(form, [:]).page)
            #expect(shown.html.contains("<svg") && shown.html.contains("otpauth://totp/"), "\(shown.html)")
            #expect(shown.html.contains(/<span aria-hidden="true">([A-Z2-7]{4} ){7}[A-Z2-7]{4}</))
            let reloaded = try await browser.open("/account/authenticator")
            #expect(
                try Self.code(of: reloaded, server) == Self.code(of: shown, server), "It is the same after a reload.")
            let elsewhere = TestBrowser(server)
            _ = try await SignInPageTests.password(elsewhere, Self.address)
            #expect(try await !elsewhere.open("/account/authenticator").html.contains("otpauth"))

            let wrong = try await browser.submit(shown, ["code": "000000", "name": "Phone <b>"])
            #expect(wrong.status == 422 && wrong.hasAlert && wrong.html.contains("otpauth"), "\(wrong.html)")
            let added = try await browser.submit(
                wrong, ["code": Self.code(of: shown, server), "name": "Phone <b>"])
            #expect(
                added.path == "/account/security" && added.notice == "The authenticator app was added.", "\(added.html)"
            )
            #expect(added.html.contains("<bdi>Phone &lt;b&gt;</bdi>"))
            #expect(try await browser.open("/account").html.contains("Signed in with two factors."))
            // The activity says which it was.
            let activity = try await browser.open("/account/activity?kind=factors").html
            #expect(activity.contains("Authenticator app: ") && activity.contains("Phone &lt;b&gt;"), "\(activity)")
        }
    }

    @Test
    func `Recovery codes are shown once, as a page and as a file, and each lets its owner in`() async throws {
        try await Self.signedIn { server, browser in
            let begun = try await browser.open("/account/authenticator")
            let form = try #require(begun.forms.first { $0.action == "/account/authenticator" })
            let shown = try #require(try await browser.sendForm(form, [:]).page)
            _ = try await browser.submit(shown, ["code": Self.code(of: shown, server)])
            let page = try await browser.open("/account/recovery-codes")
            let make = try #require(page.forms.first { $0.action == "/account/recovery-codes" })
            let made = try #require(try await browser.sendForm(make, [:]).page)
            let codes = made.recoveryCodes
            #expect(Set(codes).count == 10, "\(made.html)")
            let file = try await browser.send(.get, "/account/recovery-codes.txt")
            #expect(file.headers[.contentDisposition] == "attachment; filename=\"recovery-codes.txt\"")
            #expect(file.headers[.cacheControl] == "no-store")
            #expect(codes.allSatisfy(file.text.contains), "\(file.text)")
            let elsewhere = TestBrowser(server)
            let asked = try await SignInPageTests.password(elsewhere, Self.address)
            let next = try await elsewhere.submit(asked, ["recovery_code": #require(codes.first)])
            #expect(["account", "code"].contains(next.kind ?? ""), "\(next.html)")
            #expect(try await elsewhere.open("/account").kind == "account")
            #expect(try await !elsewhere.open("/account/recovery-codes").html.contains(codes[1]))
        }
    }

    @Test
    func `A changed password ends the other sessions, and this one goes on`() async throws {
        try await Self.signedIn { server, browser in
            let other = TestBrowser(server)
            _ = try await SignInPageTests.password(other, Self.address)
            let page = try await browser.open("/account/password")
            let weak = try await browser.submit(page, ["new_password": "password1234"])
            #expect(weak.status == 422 && weak.hasAlert && !weak.html.contains("password1234"), "\(weak.html)")
            let changed = try await browser.submit(weak, ["new_password": "another four long words"])
            #expect(
                changed.path == "/account/security" && changed.notice?.hasPrefix("The password was changed.") == true,
                "\(changed.html)")
            #expect(try await other.open("/account").kind == "sign-in")
            let again = TestBrowser(server)
            #expect(
                try await SignInPageTests.password(again, Self.address, password: "another four long words").kind
                    == "account")
        }
    }

    @Test(arguments: [("en", "Length is what counts"), ("de", "Auf die Länge kommt es an"), ("ja", "長いほど安全です")])
    func `A new password is chosen with advice on a strong one, also where one was refused`(
        language: String, advice: String
    ) async throws {
        try await Self.signedIn { server, browser in
            let page = try await browser.open("/account/password?lang=\(language)")
            #expect(page.html.contains(advice), "\(page.html)")
            #expect(page.html.contains("aria-describedby=\"new_password-hint\""), "\(page.html)")
            let refused = try await browser.submit(page, ["new_password": "password1234"])
            #expect(refused.status == 422 && refused.html.contains(advice), "\(refused.html)")
            #expect(refused.html.contains("aria-describedby=\"new_password-hint problem\""), "\(refused.html)")
        }
    }

    @Test
    func `Another address takes the code that went there, and a taken one is told to its own mailbox alone`()
        async throws
    {
        try await Self.signedIn { server, browser in
            _ = try await server.account("bob@example.com")
            let page = try await browser.open("/account/address")
            let present = try await browser.submit(page, ["email": Self.address])
            #expect(present.status == 422 && present.html.contains("That is your address already."))
            let refused = try await browser.submit(page, ["email": "no address"])
            #expect(refused.status == 422 && refused.hasAlert && refused.kind == "account-address")
            let taken = try await browser.submit(page, ["email": "bob@example.com"])
            #expect(taken.kind == "account-address-code", "As for an address without an account.")
            let late = try await browser.submit(taken, ["code": server.code(mailedTo: "bob@example.com")])
            #expect(late.status == 422 && late.hasAlert, "\(late.html)")
            let again = try await browser.submit(page, ["email": "ada.new@example.com"])
            #expect(again.status == 409 && again.kind == "form-sent", "It was sent, with the other address.")
            let code = try await browser.submit(
                browser.open("/account/address"), ["email": "ada.new@example.com"])
            #expect(code.kind == "account-address-code" && code.html.contains("<bdi>ada.new@example.com</bdi>"))
            #expect(try await browser.open("/account/profile").html.contains("<bdi>\(Self.address)</bdi>"))
            let wrong = try await browser.submit(code, ["code": "00000000"])
            #expect(wrong.status == 422 && wrong.hasAlert, "\(wrong.html)")
            let done = try await browser.submit(wrong, ["code": server.code(mailedTo: "ada.new@example.com")])
            #expect(done.path == "/account/profile" && done.notice == "Your email address was changed.", "\(done.html)")
            #expect(done.html.contains("<bdi>ada.new@example.com</bdi>") && done.html.contains("Confirmed"))
        }
    }

    @Test
    func `A factor that is reported lost signs in no more, and stays in the list`() async throws {
        try await TestServer.with(.development) { server in
            let totp = try await server.authenticator(of: try await server.account(Self.address))
            let browser = TestBrowser(server)
            let asked = try await SignInPageTests.password(browser, Self.address)
            _ = try await browser.submit(asked, ["code": totp.code(at: server.now).stringCode])
            let list = try await browser.open("/account/security")
            let link = try #require(list.links.values.first { $0.hasPrefix("/account/factor?id=") })
            let frozen = try await browser.submit(
                browser.open(link), ["decision": "lost", "id": PasskeyPageTests.id(link)])
            #expect(frozen.notice?.hasPrefix("It is reported lost") == true && frozen.html.contains("Reported lost"))
            try await server.advance(31)
            let thief = TestBrowser(server)
            let second = try await SignInPageTests.password(thief, Self.address)
            #expect(second.kind == "code", "The password alone is still not enough: \(second.html)")
            // The page says why its codes are no way in, and has the field for those that are.
            #expect(
                second.html.contains("was reported lost") && second.form(with: ["code": ""]) == nil, "\(second.html)")
            #expect(second.html.contains("<details open>"), "\(second.html)")
            let tried = try await thief.post(
                "/sign-in/code",
                (second.form(with: ["recovery_code": ""])?.values ?? [:]).merging(
                    ["code": totp.code(at: server.now).stringCode, "recovery_code": ""]) { $1 })
            #expect(tried.status == 200 && tried.text.contains("was reported lost"), "\(tried.text)")
            #expect(try await thief.open("/account").kind == "sign-in")
        }
    }

    @Test
    func `The first step of a sign-in can be reported`() async throws {
        try await TestServer.with(.development) { server in
            let totp = try await server.authenticator(of: try await server.account(Self.address))
            let browser = TestBrowser(server)
            let asked = try await SignInPageTests.password(browser, Self.address)
            _ = try await browser.submit(asked, ["code": totp.code(at: server.now).stringCode])
            // Two of them, so that nothing but the entry is between the two titles.
            for _ in 1...2 { _ = try await SignInPageTests.password(TestBrowser(server), Self.address) }
            let page = try await browser.open("/account/activity")
            let parts = page.html.components(separatedBy: "The first step of a sign-in")
            #expect(
                parts.count > 2 && parts[1].contains("/account/activity/not-me?event="), "\(page.html)")
        }
    }

    @Test
    func `A reported sign-in ends the other sessions and tells what was done`() async throws {
        try await Self.signedIn { server, browser in
            let other = TestBrowser(server)
            _ = try await SignInPageTests.password(other, Self.address)
            let page = try await browser.open("/account/activity")
            let link = try #require(page.links.values.first { $0.hasPrefix("/account/activity/not-me?event=") })
            let asked = try await browser.open(link)
            #expect(asked.kind == "account-not-me")
            let done = try await browser.submit(
                asked, ["event": #require(asked.form(with: ["event": ""])?.values["event"])])
            #expect(
                done.path == "/account/activity/not-me/done" && done.html.contains("1 session was ended."),
                "\(done.html)")
            #expect(try await other.open("/account").kind == "sign-in")
            #expect(try await browser.open("/account").kind == "account")
        }
    }

    @Test
    func `What is kept is a page and a file without secrets`() async throws {
        try await Self.signedIn { _, browser in
            let page = try await browser.open("/account/data")
            #expect(page.kind == "account-data" && page.html.contains("<bdi>\(Self.address)</bdi>"))
            let file = try await browser.send(.get, "/account/data.json")
            #expect(file.headers[.contentDisposition] == "attachment; filename=\"account.json\"")
            #expect(file.headers[.contentType] == "application/json")
            #expect(file.json["data"]["profile"]["email"] == .string(Self.address), "\(file.text)")
            #expect(!file.json["log"].elements.isEmpty && !file.text.contains(NativeClient.password))
        }
    }

    @Test
    func `An account is removed by its own name alone, and its sessions end at once`() async throws {
        try await Self.signedIn { server, browser in
            let page = try await browser.open("/account/delete")
            let refused = try await browser.submit(page, ["typed": "bob@example.com"])
            #expect(refused.status == 422 && refused.hasAlert && refused.kind == "account-delete", "\(refused.html)")
            #expect(refused.form(with: ["typed": ""])?.values["typed"] == "bob@example.com", "It can be corrected.")
            let done = try await browser.submit(refused, ["typed": Self.address])
            #expect(done.kind == "account-deleted" && browser.cookies[SignInPageTests.session] == nil, "\(done.html)")
            #expect(try await browser.open("/account").kind == "sign-in")
            let again = TestBrowser(server)
            #expect(try await SignInPageTests.password(again, Self.address).kind != "account")
        }
    }

    // MARK: What a form came to

    /// Pages that say what a form came to.
    private static let ends = [
        "/account/delete/done", "/account/activity/not-me/done", "/activate/done",
        "/sign-in/other-device/confirm/done", "/auth/action/done", "/sign-up/known",
    ]

    @Test
    func `A page that says what a form came to says it to the browser that sent the form, for five minutes`()
        async throws
    {
        try await Self.signedIn { server, browser in
            let other = TestBrowser(server)
            _ = try await SignInPageTests.password(other, Self.address)
            let claims =
                "due=\(Int(server.now.timeIntervalSince1970) + 86_400)&mailed=1&ended=9&frozen=9&decision=allow&done=verifyEmail"
            func expectNothing(_ path: String, in visitor: TestBrowser, signedIn: Bool) async throws {
                let page = try await visitor.open("\(path)?\(claims)")
                let expected =
                    !signedIn || path.hasPrefix("/auth")
                    ? ["home", "sign-in"] : ["account", "account-activity", "home"]
                #expect(expected.contains(page.kind ?? "") && page.status == 200, "\(path): \(page.html)")
                #expect(page.notice == nil && !page.path.contains("/done"), "\(path)")
            }
            for path in Self.ends {
                try await expectNothing(path, in: browser, signedIn: true)
                try await expectNothing(path, in: TestBrowser(server), signedIn: false)
            }
            #expect(try await browser.open("/signed-out").kind == "account", "A link signs nobody out.")
            for path in Self.pages.map(\.0) {
                let page = try await browser.open("\(path)\(path.contains("?") ? "&" : "?")done=saved&notice=revoked")
                #expect(page.notice == nil, "\(path)")
            }

            let link = try #require(
                await browser.open("/account/activity").links.values.first {
                    $0.hasPrefix("/account/activity/not-me?event=")
                })
            let event = try #require(await browser.open(link).form(with: ["event": ""])?.values["event"])
            let done = try await browser.submit(browser.open(link), ["event": event])
            #expect(done.html.contains("1 session was ended."), "\(done.html)")
            let kept = browser.cookies
            #expect(try await browser.open("\(done.path)?lang=de").html.contains("1 Sitzung wurde beendet."))
            // What another page came to, and what another browser did, is nothing here.
            try await expectNothing("/account/delete/done", in: browser, signedIn: true)
            let own = TestBrowser(server)
            _ = try await own.open("/sign-in")
            own.keep(own.cookies.merging(["__Host-cs_outcome": kept["__Host-cs_outcome"] ?? ""]) { $1 })
            try await expectNothing(done.path, in: own, signedIn: false)
            try await server.advance(301)
            browser.keep(kept)
            try await expectNothing(done.path, in: browser, signedIn: true)
        }
    }

    @Test
    func `A removal says its day to the browser that asked for it, and to no one whom a link brings`() async throws {
        try await Self.signedIn { server, browser in
            let page = try await browser.open("/account/delete")
            let wrong = try await browser.submit(page, ["typed": "Ada"])
            #expect(wrong.html.contains("That is not the address of your account."), "\(wrong.html)")
            let done = try await browser.submit(wrong, ["typed": Self.address])
            let day = (server.now + 14 * 86_400).formatted(.iso8601.year().month().day())
            #expect(done.path == "/account/delete/done" && done.html.contains(day), "\(done.html)")
            #expect(done.html.contains("The mail that is on its way has a link that takes it back."))
            #expect(try await browser.open("/account/delete/done").html.contains(day), "It can be loaded again.")
            #expect(try await TestBrowser(server).open("/account/delete/done").kind == "home")
            // Who knows the password is told the day too.
            let late = try await SignInPageTests.password(TestBrowser(server), Self.address)
            #expect(late.kind == "disabled" && late.status == 403 && late.html.contains(day), "\(late.html)")
            #expect(late.html.contains("If you ask for help, give this number"), "\(late.html)")
            let guess = try await SignInPageTests.password(TestBrowser(server), Self.address, password: "no")
            #expect(guess.kind == "password" && !guess.html.contains(day), "\(guess.html)")
            // What an administrator disabled besides is not told as the owner's own doing.
            let email = try #require(EmailAddress(Self.address))
            let user = try #require(try await server.realm.accounts.user(email: email))
            var change = AccountChange()
            change.isDisabled = true
            _ = try await server.realm.accounts.change(user.id, change, by: .commandLine)
            let banned = try await SignInPageTests.password(TestBrowser(server), Self.address)
            #expect(banned.kind == "disabled" && !banned.html.contains(day), "\(banned.html)")
        }
    }

    @Test
    func `Messages are listed by their subjects, each that this server sends, and not by what its files are called`()
        async throws
    {
        try await Self.signedIn { server, browser in
            let templates = try await ListMailTemplates().perform(
                on: server.realm, as: .commandLine, by: .commandLine
            ).templates.map(\.name)
            let messages = Messages.ofServer
            #expect(templates.count > 20)
            for template in templates + ["approve-sign-in", "test-push", "backchannel-logout"] {
                #expect(messages.has(WordFamily.key("message", template)), "\(template)")
            }
            _ = try await browser.submit(browser.open("/account/profile"), ["display_name": "Ada Lovelace"])
            for (language, subject) in [
                ("en", "Your profile was changed"), ("de", "Ihr Profil wurde geändert"),
                ("ja", "プロフィールが変更されました"),
            ] {
                let page = try await browser.open("/account/data", language: language)
                #expect(page.html.contains(subject) && !page.html.contains("profile-changed"), "\(page.html)")
            }
        }
    }

    // MARK: What pages show

    @Test
    func `A name that cannot be is refused with how long one may be, and stays in its field`() async throws {
        try await Self.signedIn { _, browser in
            let page = try await browser.open("/account/profile")
            for name in [String(repeating: "x", count: 201), "   "] {
                let refused = try await browser.submit(page, ["display_name": name])
                #expect(refused.status == 422 && refused.html.contains("at most 200 characters"), "\(refused.html)")
                #expect(refused.form(with: ["display_name": ""])?.values["display_name"] == name)
            }
        }
    }

    @Test
    func `A picture has a field where users may set one, and one that is there is removed without it`() async throws {
        try await Self.signedIn { server, browser in
            let path = "/account/profile"
            #expect(try await !browser.open(path).html.contains("name=\"picture\""))
            try await server.realm.changeSettings(by: .testAdministrator) { $0.accounts.takesPictures = true }
            let plain = "http://pictures.example.com/ada.png"
            let refused = try await browser.submit(browser.open(path), ["picture": plain])
            #expect(refused.status == 422 && refused.html.contains("begins with https://"), "\(refused.html)")
            #expect(refused.form(with: ["picture": ""])?.values["picture"] == plain)
            let address = "https://pictures.example.com/ada.png"
            let saved = try await browser.submit(refused, ["picture": address])
            #expect(saved.path == path && saved.form(with: ["picture": ""])?.values["picture"] == address)
            #expect(!saved.html.contains("src=\"https:"), "This server's pages load nothing from there.")
            try await server.realm.changeSettings(by: .testAdministrator) { $0.accounts.takesPictures = false }
            let off = try await browser.open(path)
            #expect(!off.html.contains("name=\"picture\"") && off.html.contains("pictures.example.com"), "\(off.html)")
            let gone = try await browser.submit(off, ["remove_picture": "1"])
            #expect(gone.path == path && !gone.html.contains("pictures.example.com"), "\(gone.html)")
            #expect(gone.form(with: ["display_name": ""])?.names.contains("remove_picture") == false)
        }
    }

    @Test
    func `Recovery codes are offered with a second factor alone, and what a session was proven with is named`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address, password: nil)
            let browser = TestBrowser(server)
            let mail = try await browser.submit(browser.open("/sign-in"), ["username": Self.address])
            let account = try await browser.submit(mail, ["code": server.code(mailedTo: Self.address)])
            #expect(account.kind == "account", "\(account.html)")
            let page = try await browser.open("/account/recovery-codes")
            #expect(page.html.contains("no second step that they could stand in for"), "\(page.html)")
            #expect(!page.forms.contains { $0.action == "/account/recovery-codes" })
            let sessions = try await browser.open("/account/sessions")
            #expect(sessions.html.contains("Code by mail") && !sessions.html.contains("Something else"))
        }
    }

    @Test
    func `The page of what is kept says all that is known of the user, and the password when it was used`() async throws
    {
        try await Self.signedIn { server, browser in
            let profile = try await browser.open("/account/profile")
            _ = try await browser.submit(profile, ["display_name": "Ada Lovelace", "locale": "de"])
            let page = try await browser.open("/account/data")
            for said in ["Ada Lovelace", "Deutsch", "Bestätigt"] { #expect(page.html.contains(said), "\(said)") }
            let security = try await browser.open("/account/security?lang=en")
            #expect(security.html.contains("<dt>Last used</dt>"), "\(security.html)")
        }
    }

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
            #expect(ended.page?.notice == "You are signed out everywhere else.")
            for other in others { #expect(try await other.open("/account").kind == "sign-in") }
            #expect(try await browser.open("/account").kind == "account")
        }
    }

    @Test
    func `The activity tells what happened in words, the chosen part alone, with older pages`() async throws {
        try await Self.signedIn { server, browser in
            let page = try await browser.open("/account/activity")
            #expect(page.html.contains("Signed in"), "\(page.html)")
            #expect(try await browser.open("/account/activity?kind=factors").html.contains("Nothing happened."))
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
