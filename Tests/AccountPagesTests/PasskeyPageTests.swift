import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import PasskeyTestSupport
import ServerHTTP
import Testing

/// The pages' side of passkeys, with an authenticator in software in place of a browser's.
@Suite("Passkeys on pages")
struct PasskeyPageTests {
    /// Under `--dev` passkeys are of this machine's name.
    static let site = "http://localhost:8080"

    private func with(_ test: @Sendable (TestServer, PasskeyBrowser) async throws -> Void) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            try await test(server, PasskeyBrowser(TestBrowser(server)))
        }
    }

    @Test
    func `A passkey is added on the account page, and signs in from the first page without a name`() async throws {
        try await with { server, passkeys in
            let account = try await SignInPageTests.password(passkeys.browser)
            #expect(account.html.contains("data-passkey=\"create\"") && account.html.contains("data-conditional=\"1\""))
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            let added = try await passkeys.create(on: account, &authenticator, name: "Ada's <laptop>")
            #expect(added.path == "/account/security" && added.notice == "The passkey was added.", "\(added.html)")
            #expect(added.kind == "account-security")
            #expect(added.html.contains("Ada&#39;s &lt;laptop&gt;") || added.html.contains("Ada's &lt;laptop&gt;"))
            #expect(added.html.contains("data-accepted=") && !added.html.contains("data-conditional"))
            #expect(added.html.contains("data-details=") && !added.html.contains("by its own account"))

            let elsewhere = PasskeyBrowser(TestBrowser(server))
            let first = try await elsewhere.browser.open("/sign-in")
            #expect(first.html.contains("passkey.js") && first.html.contains("autocomplete=\"username webauthn\""))
            let signedIn = try await elsewhere.get(on: first, authenticator)
            #expect(signedIn.kind == "account" && signedIn.html.contains(SignInPageTests.address), "\(signedIn.html)")
            #expect(signedIn.html.contains("Signed in with two factors."), "It has verified its user.")
        }
    }

    @Test
    func `A sign-up takes a passkey instead of a password, and who stops on the way signs in by a mailed code`()
        async throws
    {
        try await with { server, passkeys in
            func choosing(_ address: String, in browser: TestBrowser) async throws -> Landing {
                let verify = try await browser.submit(browser.open("/sign-up"), ["email": address])
                let choose = try await browser.submit(verify, ["code": server.code(mailedTo: address)])
                #expect(choose.kind == "new-password", "\(choose.html)")
                let form = try #require(
                    choose.formsOfScripts.first { $0.names.contains("decision") }, "\(choose.html)")
                return try await browser.sendForm(form, ["decision": "passkey"])
            }
            let enrol = try await choosing("new@example.com", in: passkeys.browser)
            #expect(enrol.answered == 303 && enrol.kind == "enrol", "\(enrol)")
            #expect(enrol.page?.html.contains("Your account is made.") == true, "\(enrol)")
            #expect(try await passkeys.browser.open("/account").kind == "sign-in", "It is not over yet.")
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            let landing = try await passkeys.enrol(on: #require(enrol.page), &authenticator)
            #expect(["account", "recovery"].contains(landing.kind ?? ""), "\(landing)")
            #expect(try await passkeys.browser.open("/account").html.contains("Signed in with two factors."))
            let security = try await passkeys.browser.open("/account/security")
            #expect(security.html.contains("You have no password."), "\(security.html)")
            let again = PasskeyBrowser(TestBrowser(server))
            #expect(try await again.get(on: again.browser.open("/sign-in"), authenticator).kind == "account")

            #expect(try await choosing("shy@example.com", in: TestBrowser(server)).kind == "enrol")
            try await server.advance(1)
            let later = TestBrowser(server)
            let mail = try await later.submit(later.open("/sign-in"), ["username": "shy@example.com"])
            #expect(mail.kind == "mail", "\(mail.html)")
            let account = try await later.submit(mail, ["code": server.code(mailedTo: "shy@example.com")])
            #expect(account.kind == "account", "\(account.html)")
        }
    }

    @Test
    func `Where passkeys are off, a sign-up takes none whatever its form says`() async throws {
        try await with { server, passkeys in
            try await server.realm.changeSettings(by: .testAdministrator) { $0.secondFactors.offersPasskeys = false }
            let browser = passkeys.browser
            let verify = try await browser.submit(browser.open("/sign-up"), ["email": "new@example.com"])
            let choose = try await browser.submit(verify, ["code": server.code(mailedTo: "new@example.com")])
            #expect(choose.formsOfScripts.isEmpty, "\(choose.html)")
            let form = try #require(choose.form(with: ["new_password": ""]))
            let forged = try await browser.sendForm(form, ["new_password": "", "decision": "passkey"])
            #expect(forged.answered == 422 && forged.kind == "new-password", "\(forged)")
            let email = try #require(EmailAddress("new@example.com"))
            #expect(try await server.realm.accounts.user(email: email) == nil)
        }
    }

    @Test(arguments: [("en", "Kept by 1Password, by its own account"), ("de", "1Password"), ("ja", "1Password")])
    func `A passkey is listed with what says that it keeps it`(language: String, words: String) async throws {
        try await with { _, passkeys in
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            // bada5566-a7aa-401f-bd96-45619a55120d
            authenticator.aaguid = [
                0xba, 0xda, 0x55, 0x66, 0xa7, 0xaa, 0x40, 0x1f, 0xbd, 0x96, 0x45, 0x61, 0x9a, 0x55, 0x12, 0x0d,
            ]
            _ = try await passkeys.create(
                on: SignInPageTests.password(passkeys.browser), &authenticator, name: "Laptop")
            let listed = try await passkeys.browser.open("/account/security", language: language)
            #expect(listed.html.contains(words), "\(listed.html)")
        }
    }

    @Test(arguments: ["en", "de", "ja"])
    func `A passkey that is not known is said so, and its manager is told`(language: String) async throws {
        try await with { _, passkeys in
            var stranger = SoftwareAuthenticator(origin: Self.site)
            stranger.userHandle = Array("nobody".utf8)
            let first = try await passkeys.browser.open("/sign-in", language: language)
            let refused = try await passkeys.get(on: first, stranger)
            #expect(refused.kind == "passkey" && refused.status == 422 && refused.hasAlert, "\(refused.html)")
            #expect(refused.html.contains("data-unknown=") && refused.html.contains("<html lang=\"\(language)\""))
            #expect(refused.html.contains(stranger.credentialID.base64URLText))
            #expect(refused.html.contains("<noscript>"))
        }
    }

    @Test
    func `A wrong answer is refused in words, and the page goes on with another challenge`() async throws {
        try await with { server, passkeys in
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            _ = try await passkeys.create(
                on: SignInPageTests.password(passkeys.browser), &authenticator, name: "Laptop")
            let elsewhere = PasskeyBrowser(TestBrowser(server))
            var broken = authenticator
            broken.isUserVerified = false
            let refused = try await elsewhere.get(on: elsewhere.browser.open("/sign-in"), broken)
            #expect(refused.kind == "passkey" && refused.status == 422 && !refused.html.contains("data-unknown"))
            #expect(try await elsewhere.get(on: refused, authenticator).kind == "account")
        }
    }

    @Test
    func `Beside an authenticator app the passkey is asked for first, and the app is another way`() async throws {
        try await with { server, passkeys in
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            _ = try await passkeys.create(
                on: SignInPageTests.password(passkeys.browser), &authenticator, name: "Laptop")
            let user = try #require(
                await server.realm.store.read { try $0.user(email: EmailAddress(kept: SignInPageTests.address)) })
            let totp = try await server.totp(of: user)
            let elsewhere = PasskeyBrowser(TestBrowser(server))
            let asked = try await SignInPageTests.password(elsewhere.browser)
            #expect(asked.kind == "passkey", "\(asked.html)")
            let code = try await elsewhere.browser.open(
                #require(asked.links.values.first { $0.contains("/sign-in/code") }))
            #expect(code.kind == "code" && code.choices("factor").count == 2, "\(code.html)")
            authenticator.isUserVerified = false
            #expect(try await elsewhere.get(on: asked, authenticator).kind == "account")

            let third = PasskeyBrowser(TestBrowser(server))
            let again = try await SignInPageTests.password(third.browser)
            let other = try await third.browser.open(
                #require(again.links.values.first { $0.contains("/sign-in/code") }))
            let typed = try await third.browser.submit(
                other, ["code": totp.code(at: server.now).stringCode])
            #expect(typed.kind == "account", "\(typed.html)")
        }
    }

    private static let essential = ["claims": #"{"id_token":{"acr":{"essential":true,"values":["phr"]}}}"#]

    @Test
    func `A request for phr asks for the passkey beside a password, which can be put off where it is not essential`()
        async throws
    {
        try await with { server, passkeys in
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            _ = try await passkeys.create(
                on: SignInPageTests.password(passkeys.browser), &authenticator, name: "Laptop")
            let wanted = PageStepTests.request("dev-native", ["acr_values": "phr"])
            let demanded = PageStepTests.request("dev-native", Self.essential)
            let elsewhere = PasskeyBrowser(TestBrowser(server))
            let browser = elsewhere.browser
            _ = try await SignInPageTests.password(browser)

            let asked = try #require(try await browser.land(wanted).page)
            #expect(asked.kind == "passkey", "\(asked.html)")
            let without = try await browser.sendForm(of: asked, ["decision": "deny"]).away
            #expect(without?.contains("code=") == true, "\(without ?? "")")
            let both = PageStepTests.request("dev-native", ["acr_values": "phr aal2"])
            let preferred = try #require(try await browser.land(both).page)
            #expect(preferred.kind == "passkey", "\(preferred.html)")
            // Then any second factor will do, which this user's passkey is too.
            let lesser = try #require(try await browser.sendForm(of: preferred, ["decision": "deny"]).page)
            #expect(lesser.links.values.contains { $0.contains("/sign-in/code") }, "\(lesser.html)")
            let again = try #require(try await browser.land(demanded).page)
            let refused = try await browser.sendForm(of: again, ["decision": "deny"]).away
            #expect(refused?.contains("error=unmet_authentication_requirements") == true, "\(refused ?? "")")
            for (more, error) in [
                (["acr_values": "phr"], "interaction_required"), (Self.essential, "unmet_authentication_requirements"),
            ] {
                let silent = PageStepTests.request("dev-native", more.merging(["prompt": "none"]) { $1 })
                let away = try await browser.land(silent).away
                #expect(away?.contains("error=\(error)") == true, "\(away ?? "")")
            }

            let page = try #require(try await browser.land(demanded).page)
            let answer = try await elsewhere.answer(on: page, "get") { try authenticator.get(optionsJSON: $0) }
            let form = try #require(page.formsOfScripts.first { $0.names.contains("response") }, "\(page.html)")
            let done = try await browser.sendForm(form, answer).away
            #expect(done?.contains("code=") == true, "\(done ?? "")")
            for path in [wanted, demanded] {
                #expect(try await browser.land(path).away?.contains("code=") == true, "The session has it now.")
            }
        }
    }

    @Test
    func `A request for phrh asks for a passkey as one for phr does, and is not met by one in software`() async throws {
        try await with { server, passkeys in
            let browser = passkeys.browser
            _ = try await SignInPageTests.password(browser)
            let claims = #"{"id_token":{"acr":{"essential":true,"values":["phrh"]}}}"#
            let demanded = PageStepTests.request("dev-native", ["claims": claims])
            // Without a passkey nobody is asked: one that is enrolled now need not be in hardware.
            let refused = try await browser.land(demanded).away
            #expect(refused?.contains("error=unmet_authentication_requirements") == true, "\(refused ?? "")")

            var authenticator = SoftwareAuthenticator(origin: Self.site)
            _ = try await passkeys.create(on: browser.open("/account"), &authenticator, name: "Laptop")
            let elsewhere = PasskeyBrowser(TestBrowser(server))
            _ = try await SignInPageTests.password(elsewhere.browser)
            let page = try #require(try await elsewhere.browser.land(demanded).page)
            #expect(page.kind == "passkey", "\(page.html)")
            let answer = try await elsewhere.answer(on: page, "get") { try authenticator.get(optionsJSON: $0) }
            let form = try #require(page.formsOfScripts.first { $0.names.contains("response") }, "\(page.html)")
            let unmet = try await elsewhere.browser.sendForm(form, answer).away
            #expect(unmet?.contains("error=unmet_authentication_requirements") == true, "\(unmet ?? "")")
            let preferred = PageStepTests.request("dev-native", ["acr_values": "phrh aal2"])
            #expect(try await elsewhere.browser.land(preferred).away?.contains("code=") == true, "It is two factors.")
        }
    }

    @Test
    func `An essential phr has a user without a passkey enrol one, and is refused where that is put off`() async throws
    {
        try await with { _, passkeys in
            let browser = passkeys.browser
            _ = try await SignInPageTests.password(browser)
            let demanded = PageStepTests.request("dev-native", Self.essential)
            let offered = try #require(try await browser.land(demanded).page)
            #expect(offered.kind == "enrol" && !offered.html.contains("otpauth:"), "\(offered.html)")
            let refused = try await browser.sendForm(of: offered, ["decision": "deny"]).away
            #expect(refused?.contains("error=unmet_authentication_requirements") == true, "\(refused ?? "")")
            let silent = PageStepTests.request("dev-native", Self.essential.merging(["prompt": "none"]) { $1 })
            let unasked = try await browser.land(silent).away
            #expect(unasked?.contains("error=unmet_authentication_requirements") == true, "\(unasked ?? "")")
            for values in ["phr", "phr aal1"] {
                let given = try await browser.land(PageStepTests.request("dev-native", ["acr_values": values])).away
                #expect(given?.contains("code=") == true, "\(given ?? "")")
            }
            let next = try await browser.land(PageStepTests.request("dev-native", ["acr_values": "phr aal2"])).page
            #expect(next?.kind == "enrol", "The next of the values counts: \(next?.html ?? "")")

            let page = try #require(try await browser.land(demanded).page)
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            let done = try await passkeys.enrol(on: page, &authenticator).away
            #expect(done?.contains("code=") == true, "\(done ?? "")")
            #expect(try await browser.land(demanded).away?.contains("code=") == true, "The session has it now.")
            #expect(try await browser.open("/account").html.contains("Signed in with two factors."))
            #expect(try await browser.open("/account/security").html.contains("data-accepted="))
        }
    }

    @Test
    func `An essential phr asks for the app that a user has before a passkey is enrolled beside it`() async throws {
        try await with { server, passkeys in
            let browser = passkeys.browser
            _ = try await SignInPageTests.password(browser)
            let user = try #require(
                await server.realm.store.read { try $0.user(email: EmailAddress(kept: SignInPageTests.address)) })
            let totp = try await server.totp(of: user)
            let demanded = PageStepTests.request("dev-native", Self.essential)
            let asked = try #require(try await browser.land(demanded).page)
            #expect(asked.kind == "code", "\(asked.html)")
            let code = totp.code(at: server.now).stringCode
            let page = try #require(try await browser.sendForm(of: asked, ["code": code]).page)
            #expect(page.kind == "enrol" && !page.html.contains("otpauth:"), "\(page.html)")
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            let done = try await passkeys.enrol(on: page, &authenticator).away
            #expect(done?.contains("code=") == true, "\(done ?? "")")
        }
    }

    @Test
    func `What was proven long ago is proven anew before a passkey is enrolled by it`() async throws {
        try await with { server, passkeys in
            let browser = passkeys.browser
            _ = try await SignInPageTests.password(browser)
            try await server.advance(301)
            let demanded = PageStepTests.request("dev-native", Self.essential)
            let asked = try #require(try await browser.land(demanded).page)
            #expect(asked.kind == "sign-in", "\(asked.html)")
            let password = try #require(
                try await browser.sendForm(of: asked, ["username": SignInPageTests.address]).page)
            let page = try #require(
                try await browser.sendForm(of: password, ["password": NativeClient.password]).page)
            #expect(page.kind == "enrol", "\(page.html)")
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            #expect(try await passkeys.enrol(on: page, &authenticator).away?.contains("code=") == true)
        }
    }

    @Test(arguments: ["en", "de", "ja"])
    func `A sign-in that needs a second factor offers a passkey and an app, and says what went wrong with one`(
        language: String
    ) async throws {
        try await with { server, passkeys in
            let browser = passkeys.browser
            _ = try await SignInPageTests.password(browser)
            let request = PageStepTests.request("dev-native", ["acr_values": "aal2"])
            let landed = try #require(try await browser.land(request).page)
            let page = try await browser.open(landed.path, language: language)
            #expect(page.kind == "enrol" && page.html.contains("<html lang=\"\(language)\""))
            #expect(page.html.contains("data-passkey=\"create\"") && page.html.contains("otpauth:"))
            #expect(page.html.contains("<noscript>") && page.html.contains("passkey.js"))
            #expect(!page.html.contains("data-conditional"), "Nothing is made without being asked for.")
            var broken = SoftwareAuthenticator(origin: "https://evil.example")
            let refused = try #require(try await passkeys.enrol(on: page, &broken).page)
            #expect(refused.status == 422 && refused.hasAlert && refused.kind == "enrol", "\(refused.html)")
            #expect(!refused.html.contains("aria-invalid=\"true\""), "The code of the app was not wrong.")
            var weak = SoftwareAuthenticator(origin: Self.site)
            weak.isUserVerified = false
            let unsuitable = try #require(try await passkeys.enrol(on: refused, &weak).page)
            #expect(unsuitable.status == 422 && unsuitable.hasAlert && unsuitable.kind == "enrol")
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            let done = try await passkeys.enrol(on: unsuitable, &authenticator).away
            #expect(done?.contains("code=") == true, "\(done ?? "")")
            let elsewhere = PasskeyBrowser(TestBrowser(server))
            let signedIn = try await elsewhere.get(on: elsewhere.browser.open("/sign-in"), authenticator)
            #expect(signedIn.kind == "account" && !signedIn.html.contains("otpauth:"))
        }
    }

    @Test
    func `Where authenticator apps are off, the passkey alone is offered`() async throws {
        try await with { server, passkeys in
            _ = try await server.realm.changeSettings(by: .testAdministrator) {
                ($0.secondFactors.totp, $0.secondFactors.offersPush) = (nil, false)
            }
            _ = try await SignInPageTests.password(passkeys.browser)
            let request = PageStepTests.request("dev-native", ["acr_values": "aal2"])
            let page = try #require(try await passkeys.browser.land(request).page)
            #expect(page.kind == "enrol" && page.status == 200 && !page.html.contains("otpauth:"), "\(page.html)")
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            #expect(try await passkeys.enrol(on: page, &authenticator).away?.contains("code=") == true)
        }
    }

    @Test
    func `A passkey is removed by its owner, and a session by password alone neither removes nor adds one`()
        async throws
    {
        try await with { server, passkeys in
            var authenticator = SoftwareAuthenticator(origin: Self.site)
            let added = try await passkeys.create(
                on: SignInPageTests.password(passkeys.browser), &authenticator, name: "Laptop")
            let weak = PasskeyBrowser(TestBrowser(server))
            _ = try await SignInPageTests.password(weak.browser)
            let link = try #require(added.links.values.first { $0.hasPrefix("/account/factor?id=") })
            let kept = try await weak.browser.submit(
                weak.browser.open(link), ["decision": "remove", "id": Self.id(link)])
            #expect(kept.kind == "confirm", "It takes the passkey: \(kept.html)")
            #expect(try await passkeys.browser.open("/account/security").links.values.contains(link))
            let reply = try await weak.options(on: weak.browser.open("/account/passkey"), "create")
            #expect(reply.status == 422 && reply.json["problem"].text?.isEmpty == false, "\(reply.text)")
            let removed = try await passkeys.browser.submit(
                passkeys.browser.open(link), ["decision": "remove", "id": Self.id(link)])
            #expect(removed.path == "/account/security" && removed.notice == "It was removed.", "\(removed.html)")
            let gone = PasskeyBrowser(TestBrowser(server))
            #expect(try await gone.get(on: gone.browser.open("/sign-in"), authenticator).html.contains("data-unknown"))
        }
    }

    /// The factor that a link of the security page is about.
    static func id(_ link: String) -> String { link.replacing("/account/factor?id=", with: "") }

    @Test
    func `Neither options nor answers are taken without both locks`() async throws {
        try await with { server, passkeys in
            _ = try await SignInPageTests.password(passkeys.browser)
            for path in [
                "/sign-in/passkey", "/sign-in/passkey/options", "/account/passkeys", "/account/passkeys/options",
            ] {
                for headers in [
                    [.known("Sec-Fetch-Site"): "same-origin"], [.known("Sec-Fetch-Site"): "cross-site"], [:],
                ]
                    as [HTTPFields]
                {
                    let reply = try await passkeys.browser.post(
                        path, ["csrf": "AAAA", "remove": "x"], headers: headers)
                    #expect((400..<500).contains(reply.status), "\(path): \(reply.status)")
                }
            }
        }
    }

    @Test
    func `Where passkeys are off, pages show nothing of them`() async throws {
        try await with { server, passkeys in
            _ = try await server.realm.changeSettings(by: .testAdministrator) {
                $0.secondFactors.offersPasskeys = false
            }
            let first = try await passkeys.browser.open("/sign-in")
            let account = try await SignInPageTests.password(passkeys.browser)
            for page in [first, account] {
                #expect(!page.html.contains("data-passkey") && !page.html.contains("passkey.js"), "\(page.html)")
            }
        }
    }
}

/// What `passkey.js` does with a page's form.
struct PasskeyBrowser: Sendable {
    let browser: TestBrowser

    init(_ browser: TestBrowser) {
        self.browser = browser
    }

    private struct Form {
        var action: String
        var options: String
        var values: [String: String]
    }

    private func form(_ page: TestPage, _ ceremony: String) throws -> Form {
        let match = try #require(
            page.html.matches(
                of:
                    /<form method="post" action="([^"]*)" hidden data-passkey="([a-z]+)" data-options="([^"]*)"([\s\S]*?)<\/form>/
            )
            .first { $0.2 == ceremony }, "\(page.html)")
        var values: [String: String] = [:]
        for input in match.4.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/) {
            values[String(input.1)] = String(input.2).replacingOccurrences(of: "&amp;", with: "&")
        }
        return Form(action: String(match.1), options: String(match.3), values: values)
    }

    func options(on page: TestPage, _ ceremony: String) async throws -> Reply {
        let form = try form(page, ceremony)
        return try await browser.post(form.options, form.values)
    }

    /// What the script puts into the form.
    func answer(
        on page: TestPage, _ ceremony: String, _ answer: (Data) throws -> Data
    ) async throws -> [String: String] {
        let reply = try await options(on: page, ceremony)
        #expect(reply.status == 200, "\(reply.text)")
        var fields = ["response": String(decoding: try answer(Data(reply.json["options"].bytes)), as: UTF8.self)]
        if let attempt = reply.json["attempt"].text { fields["attempt"] = attempt }
        return fields
    }

    private func send(
        _ page: TestPage, _ ceremony: String, _ more: [String: String], _ answer: (Data) throws -> Data
    ) async throws -> TestPage {
        let form = try form(page, ceremony)
        let values = form.values.merging(more) { $1 }.merging(try await self.answer(on: page, ceremony, answer)) { $1 }
        let sent = try await browser.post(
            form.action, values,
            headers: [.known("Sec-Fetch-Site"): "same-origin", .acceptLanguage: page.language])
        if sent.status == 303 {
            return try await browser.open(#require(sent.headers[.location]), language: page.language)
        }
        return TestPage(reply: sent, path: form.action, language: page.language)
    }

    func create(
        on page: TestPage, _ authenticator: inout SoftwareAuthenticator, name: String
    ) async throws -> TestPage {
        var made = authenticator
        let next = try await send(page, "create", ["passkey_name": name]) { try made.create(optionsJSON: $0) }
        authenticator = made
        return next
    }

    /// A passkey that completes a sign-in.
    func enrol(on page: TestPage, _ authenticator: inout SoftwareAuthenticator) async throws -> Landing {
        var made = authenticator
        let answer = try await answer(on: page, "create") { try made.create(optionsJSON: $0) }
        authenticator = made
        let form = try #require(page.formsOfScripts.first { $0.names.contains("response") }, "\(page.html)")
        return try await browser.sendForm(form, answer)
    }

    func get(on page: TestPage, _ authenticator: SoftwareAuthenticator) async throws -> TestPage {
        var authenticator = authenticator
        return try await send(page, "get", [:]) { try authenticator.get(optionsJSON: $0) }
    }
}

extension [UInt8] {
    fileprivate var base64URLText: String { SoftwareAuthenticator.base64URL(self) }
}

extension TestServer {
    /// Enrols an authenticator app, as an administrator puts one in.
    fileprivate func totp(of user: User) async throws -> TOTP {
        let secret = [UInt8](repeating: 9, count: 20)
        let portable = try #require(PortableTOTP(id: nil, name: "Phone", enrolledAt: nil, secret: Secret(secret)))
        _ = try await realm.enrolments.add([portable], to: user.id, by: .testAdministrator)
        return try TOTP(secret: secret)
    }
}
