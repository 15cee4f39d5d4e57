import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import Testing

/// The steps of a sign-in beside the password: consent, a device's code, enrolment, the recovery code, the profile.
@Suite("Steps of signing in by pages")
struct PageStepTests {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let callback = "http://127.0.0.1:49152/callback"

    /// An application's request, as its link.
    static func request(
        _ client: String = "dev-web", scope: String = "openid email", _ more: [String: String] = [:]
    ) -> String {
        var components = URLComponents()
        components.path = "/authorize"
        let items = [
            "response_type": "code", "client_id": client, "redirect_uri": callback, "scope": scope, "state": "s",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        ].merging(more) { $1 }
        components.queryItems = items.map { URLQueryItem(name: $0.key, value: $0.value) }
        return components.string ?? ""
    }

    /// Opens a link and follows redirects of this server; answers the page, or the first address elsewhere.
    private func follow(_ browser: TestBrowser, _ path: String) async throws -> Landing {
        try await browser.land(path)
    }

    /// Sends a form that is taken, and follows what comes.
    private func send(_ browser: TestBrowser, _ page: TestPage, _ fields: [String: String]) async throws -> Landing {
        let landing = try await browser.sendForm(of: page, fields)
        #expect(landing.answered == 303, "\(landing.page?.html ?? "")")
        return landing
    }

    /// Signs in on the way to an application.
    private func signIn(
        _ browser: TestBrowser, _ link: String, _ address: String = SignInPageTests.address
    ) async throws -> Landing {
        let first = try #require(try await follow(browser, link).page)
        #expect(first.kind == "sign-in", "\(first.html)")
        let password = try #require(try await send(browser, first, ["username": address]).page)
        return try await send(browser, password, ["password": NativeClient.password])
    }

    // MARK: Consent

    @Test
    func `Consent is asked once, again for more scopes, and after it is taken back`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let consent = try #require(try await signIn(browser, Self.request()).page)
            #expect(consent.kind == "consent", "\(consent.html)")
            #expect(consent.html.contains("127.0.0.1") && consent.html.contains(SignInPageTests.address))
            #expect(consent.html.contains("is not checked by Countersign."), "\(consent.html)")
            let code = try await send(browser, consent, ["decision": "allow"]).away
            #expect(code?.hasPrefix("\(Self.callback)?code=") == true, "\(code ?? "")")
            // Remembered, also for less.
            for scope in ["openid email", "openid"] {
                let again = try await follow(browser, Self.request(scope: scope)).away
                #expect(again?.hasPrefix("\(Self.callback)?code=") == true, "\(again ?? "")")
            }
            let more = try #require(try await follow(browser, Self.request(scope: "openid email profile")).page)
            #expect(more.kind == "consent")
            let denied = try #require(try await send(browser, more, ["decision": "deny"]).away)
            #expect(denied.contains("error=access_denied") && denied.contains("state=s"), "\(denied)")
            // Denying more takes nothing back.
            #expect(try await follow(browser, Self.request()).away?.contains("code=") == true)

            // The activity says what was allowed.
            let activity = try await browser.open("/account/activity?kind=applications").html
            #expect(activity.contains("Application: "), "\(activity)")

            let account = try await browser.open("/account/applications")
            let revoked = try await browser.submit(account, ["client": "dev-web"])
            #expect(
                revoked.kind == "account-applications" && revoked.html.contains("role=\"status\""), "\(revoked.html)")
            #expect(try await follow(browser, Self.request()).page?.kind == "consent")
        }
    }

    @Test
    func `A user reads for which APIs an application or a device asks, in each language`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let (uri, mark) = (
                "http://127.0.0.1/api", ["en": "At these services", "de": "Bei diesen Diensten", "ja": "対象のサービス"]
            )
            let browser = TestBrowser(server)
            let link = Self.request(scope: "openid api", ["resource": uri])
            let consent = try #require(try await signIn(browser, link).page)
            let device = try await server.send(
                .post, "/oauth/device/code", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array("client_id=dev-native&scope=openid%20api&resource=http%3A%2F%2F127.0.0.1%2Fapi".utf8))
            let code = try #require(device.json["user_code"].text, "\(device.text)")
            for (language, words) in mark {
                for path in ["\(consent.path)&lang=\(language)", "/activate?user_code=\(code)&lang=\(language)"] {
                    let page = try await browser.open(path)
                    #expect(page.kind == "consent" || page.kind == "device-confirm", "\(page.html)")
                    for text in [words, uri, "Development"] { #expect(page.html.contains(text), "\(path) \(text)") }
                }
            }
            // Where none is named there is nothing to read.
            let without = try #require(try await follow(browser, Self.request(scope: "openid api")).page)
            #expect(without.kind == "consent", "\(without.html)")
            #expect(!mark.values.contains { without.html.contains($0) }, "\(without.html)")
        }
    }

    /// HelpCode-ai/anythingmcp#417.
    @Test
    func `Users of an application that registered itself read so, and where their answer goes, until it is approved`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            try await server.realm.changeSettings(by: .testAdministrator) { $0.oauth.registration = .open }
            let metadata = JSONValue.object([
                "client_name": "Your <bank>", "client_name#de": "Ihre Bank",
                "redirect_uris": .array(["https://evil.example/callback", "https://app.example/callback"]),
                "client_uri": "https://app.example/about", "policy_uri": "https://bank.example/policy",
                "token_endpoint_auth_method": "none", "logo_uri": "https://evil.example/logo.png",
            ])
            let id = try await server.realm.registrations.register(metadata, token: nil, by: .testAdministrator).get()
                .application.id
            let link = Self.request(
                id.rawValue, scope: "openid", ["redirect_uri": "https://evil.example/callback"])
            let browser = TestBrowser(server)
            let consent = try #require(try await signIn(browser, link).page)
            #expect(consent.kind == "consent", "\(consent.html)")
            let warning = "registered itself and is not checked by Countersign. Your answer goes to"
            #expect(consent.html.contains(warning) && consent.html.contains("evil.example"), "\(consent.html)")
            #expect(!consent.html.contains("<bank>") && !consent.html.contains("logo.png"))
            // Links lead to hosts of its own alone.
            #expect(consent.html.contains("https://app.example/about"))
            #expect(!consent.html.contains("bank.example"))
            let german = try #require(
                try await follow(browser, link + "&ui_locales=de").page)
            #expect(
                german.html.contains("Ihre Bank") && german.html.contains("hat sich selbst registriert"),
                "\(german.html)")
            _ = try await send(browser, consent, ["decision": "allow"])
            let account = try await browser.open("/account/applications")
            #expect(account.html.contains("Not checked by Countersign"), "\(account.html)")
            #expect(account.html.contains("It registered itself; answers go to"), "\(account.html)")
            _ = try await server.realm.registrations.approve(id, true, by: .testAdministrator)
            let approved = try #require(
                try await follow(browser, link + "&prompt=consent").page)
            #expect(!approved.html.contains("registered itself"), "\(approved.html)")
            #expect(approved.html.contains("is not checked by Countersign."), "It is a third party still.")
        }
    }

    @Test(arguments: ["", "maybe"])
    func `A consent form without an answer is refused`(decision: String) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let consent = try #require(try await signIn(browser, Self.request()).page)
            let form = try #require(consent.form(with: ["decision": ""]))
            let reply = try await browser.post(form.action, form.values.merging(["decision": decision]) { $1 })
            let refused = TestPage(reply: reply, path: form.action, language: "en")
            #expect(refused.status == 422 && refused.kind == "consent" && refused.hasAlert, "\(refused.html)")
            let allowed = try await send(browser, refused, ["decision": "allow"]).away
            #expect(allowed?.contains("code=") == true)
        }
    }

    // MARK: Step-up

    @Test
    func `A request with prompt=login or max_age asks for the password anew, and one with prompt=none asks nothing`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let silent = try #require(try await follow(browser, Self.request("dev-native", ["prompt": "none"])).away)
            #expect(silent.contains("error=login_required"), "\(silent)")
            let first = try await signIn(browser, Self.request("dev-native")).away
            #expect(first?.contains("code=") == true)
            #expect(
                try await follow(browser, Self.request("dev-native", ["prompt": "none"])).away?.contains("code=")
                    == true)
            let before = browser.cookies[SignInPageTests.session]
            try await server.advance(1)
            let again = try await signIn(browser, Self.request("dev-native", ["prompt": "login"])).away
            #expect(again?.contains("code=") == true)
            #expect(browser.cookies[SignInPageTests.session] != before)
            try await server.advance(120)
            #expect(
                try await follow(browser, Self.request("dev-native", ["max_age": "300"])).away?.contains("code=")
                    == true)
            let old = try #require(try await follow(browser, Self.request("dev-native", ["max_age": "60"])).page)
            #expect(old.kind == "sign-in" && old.html.contains(SignInPageTests.address), "\(old.html)")
        }
    }

    @Test
    func `A request for aal2 asks for the second factor alone, and raises the session`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            #expect(try await signIn(browser, Self.request("dev-native")).away?.contains("code=") == true)
            let before = browser.cookies[SignInPageTests.session]
            let totp = try await server.authenticator(of: user)
            let code = try #require(
                try await follow(browser, Self.request("dev-native", ["acr_values": "aal2"])).page)
            #expect(code.kind == "code", "\(code.html)")
            let done = try await send(browser, code, ["code": totp.code(at: server.now).stringCode]).away
            #expect(done?.contains("code=") == true, "\(done ?? "")")
            #expect(browser.cookies[SignInPageTests.session] != before)
            let again = try await follow(browser, Self.request("dev-native", ["acr_values": "aal2"])).away
            #expect(again?.contains("code=") == true)
        }
    }

    // MARK: Enrolment and recovery

    @Test
    func `A request for aal2 has an authenticator set up, which can be put off where it is not essential`() async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            #expect(try await signIn(browser, Self.request("dev-native")).away?.contains("code=") == true)
            let offered = try #require(
                try await follow(browser, Self.request("dev-native", ["acr_values": "aal2"])).page)
            #expect(offered.kind == "enrol", "\(offered.html)")
            let without = try await send(browser, offered, ["decision": "deny"]).away
            #expect(without?.contains("code=") == true, "\(without ?? "")")
            let essential = #"{"id_token":{"acr":{"essential":true,"values":["aal2"]}}}"#
            let demanded = try #require(
                try await follow(browser, Self.request("dev-native", ["claims": essential])).page)
            #expect(demanded.kind == "enrol", "\(demanded.html)")
            let refused = try #require(try await send(browser, demanded, ["decision": "deny"]).away)
            #expect(refused.contains("error=unmet_authentication_requirements"), "\(refused)")
        }
    }

    // MARK: Later

    private func require(_ server: TestServer, times: Int? = nil, until: String? = nil) async throws {
        try await server.realm.changeSettings(by: .testAdministrator) {
            $0.secondFactors.state = .mandatory
            $0.secondFactors.skippableTimes = times
            $0.secondFactors.skippableUntil = until
        }
    }

    @Test
    func `A second step that the rules require is put off as often as they say, and the page says how often`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            try await require(server, times: 2, until: "2200-12-03")
            let browser = TestBrowser(server)
            let first = try #require(try await signIn(browser, Self.request("dev-native")).page)
            #expect(first.kind == "enrol", "\(first.html)")
            #expect(first.html.contains("You can put this off 2 more times, until"), "\(first.html)")
            #expect(first.html.contains("<time datetime=\"2200-12-03\">2200-12-03</time> (UTC)"))
            let german = try await browser.open("\(first.path)&lang=de")
            #expect(german.html.contains("noch 2 Mal verschieben, bis"), "\(german.html)")
            let japanese = try await browser.open("\(first.path)&lang=ja")
            #expect(japanese.html.contains("あと 2 回後回しにできます"), "\(japanese.html)")
            _ = try await browser.open("\(first.path)&lang=en")
            #expect(try await send(browser, first, ["decision": "later"]).away?.contains("code=") == true)
            // The same day asks nothing, and takes nothing more.
            #expect(try await follow(browser, Self.request("dev-native")).away?.contains("code=") == true)
            let elsewhere = TestBrowser(server)
            #expect(try await signIn(elsewhere, Self.request("dev-native")).away?.contains("code=") == true)

            // On the next day a session that is there is asked again.
            try await server.advance(86_400)
            let second = try #require(try await signIn(TestBrowser(server), Self.request("dev-native")).page)
            #expect(second.html.contains("You can put this off 1 more time, until"), "\(second.html)")
        }
    }

    @Test
    func `A session is not raised where its user puts that off, and the application is told where that cannot be`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            #expect(try await signIn(browser, Self.request("dev-native")).away?.contains("code=") == true)
            try await require(server, times: 1)
            // What the request itself makes a condition is not put off.
            let essential = #"{"id_token":{"acr":{"essential":true,"values":["aal2"]}}}"#
            let demanded = try #require(
                try await follow(browser, Self.request("dev-native", ["claims": essential])).page)
            #expect(demanded.kind == "enrol" && demanded.form(with: ["decision": "later"]) != nil)
            #expect(!demanded.html.contains("value=\"later\"") && demanded.html.contains("value=\"deny\""))
            let forced = try await browser.sendForm(of: demanded, ["decision": "later"])
            #expect(forced.answered == 422 && forced.page?.hasAlert == true, "\(forced)")
            // What it would only like is.
            let liked = try #require(
                try await follow(browser, Self.request("dev-native", ["acr_values": "aal2"])).page)
            #expect(liked.html.contains("value=\"later\""), "\(liked.html)")
            #expect(try await send(browser, liked, ["decision": "later"]).away?.contains("code=") == true)
            #expect(try await follow(browser, Self.request("dev-native")).away?.contains("code=") == true)
            try await server.advance(3000)
            try await server.advance(3000)
            // The rule alone is why it is asked, and nothing is left.
            try await require(server, times: 0)
            let last = try #require(try await signIn(TestBrowser(server), Self.request("dev-native")).page)
            #expect(last.kind == "enrol" && !last.html.contains("value=\"later\""), "\(last.html)")
        }
    }

    @Test(arguments: [false, true])
    func
        `Whom a rule names sets one up, and neither a session nor a refresh token of before goes around it`(
            byRole: Bool
        ) async throws
    {
        try await TestServer.with(.development) { server in
            let user = try await server.account(SignInPageTests.address)
            let link = Self.request("dev-native", scope: "openid offline_access")
            func trade(_ fields: String) async throws -> Reply {
                try await server.send(
                    .post, "/oauth/token", headers: [.contentType: "application/x-www-form-urlencoded"],
                    body: Array("client_id=dev-native&\(fields)".utf8))
            }
            func redeem(_ away: String?) async throws -> Reply {
                let items = URLComponents(string: away ?? "")?.queryItems
                let code = try #require(items?.first { $0.name == "code" }?.value, "\(away ?? "")")
                return try await trade(
                    "grant_type=authorization_code&code=\(code)&code_verifier=\(Self.verifier)"
                        + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A49152%2Fcallback")
            }
            let browser = TestBrowser(server)
            let granted = try await redeem(signIn(browser, link).away)
            let refresh = try #require(granted.json["refresh_token"].text, "\(granted.text)")
            let late = try await follow(browser, link).away

            let staff = try #require(GroupName("staff"))
            if byRole {
                _ = try await server.realm.administrators.grant(.support, to: user.id, by: .testAdministrator)
            } else {
                _ = try await server.realm.groups.add(staff, summary: "", by: .testAdministrator)
                _ = try await server.realm.groups.addMember(user.id, to: staff, by: .testAdministrator)
            }
            try await server.realm.changeSettings(by: .testAdministrator) {
                if byRole {
                    $0.secondFactors.requiredRoles = ["support"]
                } else {
                    $0.secondFactors.requiredGroups = ["staff"]
                }
            }
            for refused in [
                try await trade("grant_type=refresh_token&refresh_token=\(refresh)"), try await redeem(late),
            ] {
                #expect(refused.status == 400 && refused.json["error"] == "invalid_grant", "\(refused.text)")
            }
            #expect(try await follow(browser, link).page?.kind == "enrol")

            let elsewhere = TestBrowser(server)
            let enrol = try #require(try await signIn(elsewhere, link).page)
            #expect(enrol.kind == "enrol", "\(enrol.html)")
            let secret = try #require(enrol.html.firstMatch(of: /secret=([A-Z2-7]+)/)).1
            let code = try TOTP(secret: Base32.decode(String(secret))).code(at: server.now).stringCode
            let shown = try #require(try await send(elsewhere, enrol, ["code": code]).page)
            let back = try #require(shown.links.values.first { $0.hasPrefix("/authorize/continue") })
            #expect(try await redeem(follow(elsewhere, back).away).status == 200)
        }
    }

    @Test
    func
        `An authenticator is set up inside a sign-in, and ten recovery codes are shown by a page that can be reloaded`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            #expect(try await signIn(browser, Self.request("dev-native")).away?.contains("code=") == true)
            let enrol = try #require(
                try await follow(browser, Self.request("dev-native", ["acr_values": "aal2"])).page)
            let secret = try #require(enrol.html.firstMatch(of: /secret=([A-Z2-7]+)/)).1
            let wrong = try await browser.submit(enrol, ["code": "000000"])
            #expect(wrong.status == 422 && wrong.kind == "enrol" && wrong.hasAlert)
            #expect(wrong.html.contains("secret=\(secret)"), "another secret is shown after a wrong code")
            let code = try TOTP(secret: Base32.decode(String(secret))).code(at: server.now).stringCode
            let shown = try #require(try await send(browser, wrong, ["code": code]).page)
            #expect(shown.kind == "recovery" && shown.path.hasPrefix("/sign-in/recovery"), "\(shown.html)")
            let codes = shown.recoveryCodes
            #expect(Set(codes).count == 10, "\(shown.html)")
            let recovery = try #require(codes.first)
            #expect(try await browser.open(shown.path).recoveryCodes == codes)
            let file = try await browser.send(.get, "/account/recovery-codes.txt")
            #expect(codes.allSatisfy(file.text.contains), "\(file.text)")
            // It is of this session alone.
            let other = TestBrowser(server)
            other.keep(
                browser.cookies.filter { $0.key != SignInPageTests.session })
            #expect(try await !other.open(shown.path).html.contains(recovery))
            let back = try #require(shown.links.values.first { $0.hasPrefix("/authorize/continue") })
            #expect(try await follow(browser, back).away?.contains("code=") == true)

            // Each lets its owner in once.
            let elsewhere = TestBrowser(server)
            let asked = try await SignInPageTests.password(elsewhere)
            #expect(asked.kind == "code", "\(asked.html)")
            let refused = try await elsewhere.submit(asked, ["recovery_code": "AAAA AAAA AAAA"])
            #expect(refused.status == 422 && refused.hasAlert)
            _ = try await send(elsewhere, refused, ["recovery_code": recovery])
            #expect(try await elsewhere.open("/account").kind == "account")
            for code in codes.dropLast() {
                let third = TestBrowser(server)
                let page = try await third.submit(
                    try await SignInPageTests.password(third), ["recovery_code": code])
                if code == recovery {
                    #expect(page.status == 422 && page.hasAlert)
                } else {
                    #expect(try await third.open("/account").kind == "account", "\(page.html)")
                }
            }
            // The last one is followed by ten new ones.
            let last = TestBrowser(server)
            let next = try await last.submit(
                try await SignInPageTests.password(last), ["recovery_code": try #require(codes.last)])
            #expect(next.kind == "recovery" && Set(next.recoveryCodes + codes).count == 20, "\(next.html)")
        }
    }

    // MARK: A device

    @Test
    func `A device is confirmed by a page of its own, allowed, and its code counts once`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            func code() async throws -> String {
                let reply = try await server.send(
                    .post, "/oauth/device/code", headers: [.contentType: "application/x-www-form-urlencoded"],
                    body: Array("client_id=dev-native&scope=openid".utf8))
                return try #require(reply.json["user_code"].text, "\(reply.text)")
            }
            let browser = TestBrowser(server)
            let signIn = try await browser.open("/activate")
            #expect(signIn.kind == "sign-in" && signIn.path.contains("to=activate"))
            let password = try await browser.submit(signIn, ["username": SignInPageTests.address])
            let activate = try await browser.submit(password, ["password": NativeClient.password])
            #expect(activate.kind == "activate", "\(activate.html)")
            let wrong = try await browser.submit(activate, ["user_code": "WRONG-CODE"])
            #expect(wrong.status == 422 && wrong.hasAlert && wrong.kind == "activate")
            let shown = try await code()
            let confirm = try #require(try await send(browser, wrong, ["user_code": shown.lowercased()]).page)
            #expect(confirm.kind == "device-confirm" && confirm.html.contains(shown), "\(confirm.html)")
            let allowed = try #require(try await send(browser, confirm, ["decision": "allow"]).page)
            #expect(allowed.kind == "device-confirm" && allowed.html.contains("Your device is connected"))
            // The same decision is made already; another one is none any more.
            let again = try await browser.submit(confirm, ["decision": "allow"])
            #expect(again.path == allowed.path, "\(again.html)")
            let other = try await browser.submit(confirm, ["decision": "deny"])
            #expect(other.status == 422 && other.hasAlert, "\(other.html)")

            // Of another browser, which has no session, the link asks for a sign-in and tells nothing.
            let stranger = try await TestBrowser(server).open("/activate?user_code=\(try await code())")
            #expect(stranger.kind == "sign-in" && !stranger.html.contains("dev-native"), "\(stranger.html)")
        }
    }

    // MARK: Signing up

    @Test
    func `An address with an account is told so after its code, with what to do`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let verify = try await browser.submit(
                try await browser.open("/sign-up"), ["email": SignInPageTests.address])
            #expect(verify.kind == "verify", "\(verify.html)")
            let code = try await server.code(mailedTo: SignInPageTests.address)
            let known = try #require(try await send(browser, verify, ["code": code]).page)
            #expect(known.kind == "sign-up" && known.status == 200 && !known.hasAlert, "\(known.html)")
            #expect(known.links.values.contains("/sign-in") && known.links.values.contains("/forgot"))
        }
    }

    @Test
    func `What an application asks of new users is asked once, by type`() async throws {
        try await TestServer.with(.development) { server in
            var registration = ApplicationRegistration(
                redirectURIs: ["http://127.0.0.1/callback"], scopes: ["openid"],
                attributes: [
                    .init(name: "city", type: "string", isRequired: true),
                    .init(name: "age", type: "integer", isRequired: true),
                ])
            registration.oauth.kind = .native
            registration.oauth.isFirstParty = true
            _ = try await server.realm.applications.add(
                id: ClientID(rawValue: "asks"), registration, by: .testAdministrator)
            let browser = TestBrowser(server)
            let address = "new@example.com"
            let first = try #require(
                try await follow(browser, Self.request("asks", scope: "openid", ["prompt": "create"])).page)
            #expect(first.kind == "sign-up", "\(first.html)")
            let verify = try #require(try await send(browser, first, ["email": address]).page)
            let choose = try #require(
                try await send(browser, verify, ["code": try await server.code(mailedTo: address)]).page)
            let profile = try #require(
                try await send(browser, choose, ["new_password": "four separate long words"]).page)
            #expect(profile.kind == "profile", "\(profile.html)")
            let wrong = try await browser.submit(profile, ["attribute_city": "Berlin", "attribute_age": "young"])
            #expect(wrong.status == 422 && wrong.hasAlert && wrong.kind == "profile")
            let done = try await send(browser, wrong, ["attribute_city": "Berlin", "attribute_age": "41"]).away
            #expect(done?.contains("code=") == true, "\(done ?? "")")
        }
    }

    // MARK: Two tabs

    @Test
    func `A tab that waits goes on with the session of the other tab, to its own application`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let first = try #require(try await follow(browser, Self.request("dev-web")).page)
            let second = try #require(
                try await follow(browser, Self.request("dev-native", ["state": "second"])).page)
            let password = try #require(
                try await send(browser, first, ["username": SignInPageTests.address]).page)
            #expect(try await send(browser, password, ["password": NativeClient.password]).page?.kind == "consent")
            let away = try await send(browser, second, ["username": SignInPageTests.address]).away
            #expect(away?.contains("state=second") == true && away?.contains("code=") == true, "\(away ?? "")")
        }
    }

    @Test
    func `An ID token of another user asks who signs in, and shows nothing of that user`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            _ = try await server.account("bob@example.com")
            let bob = TestBrowser(server)
            let code = try #require(
                try await signIn(bob, Self.request("dev-native"), "bob@example.com").away?.firstMatch(
                    of: /code=([^&]+)/)
            ).1
            let body =
                "grant_type=authorization_code&client_id=dev-native&code=\(code)&redirect_uri=\(Self.callback)"
                + "&code_verifier=\(Self.verifier)"
            let reply = try await server.send(
                .post, "/oauth/token", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array(body.utf8))
            let hint = try #require(reply.json["id_token"].text, "\(reply.text)")
            let browser = TestBrowser(server)
            #expect(try await signIn(browser, Self.request("dev-native")).away?.contains("code=") == true)
            let page = try #require(
                try await follow(browser, Self.request("dev-native", ["id_token_hint": hint])).page)
            #expect(page.kind == "sign-in" && !page.html.contains("bob@example.com"), "\(page.html)")
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func `Two tabs whose time is over go on each to where it began: keycloak#36150`(order: [Int]) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let states = ["of-one", "of-other"]
            var tabs: [TestPage] = []
            for state in states {
                let begun = try #require(
                    try await follow(browser, Self.request("dev-native", ["state": state])).page)
                tabs.append(try #require(try await send(browser, begun, ["username": SignInPageTests.address]).page))
            }
            try await server.advance(20 * 60)
            for tab in order {
                var landing = Landing(answered: 200, page: tabs[tab])
                // The time of the tab's attempt is over: it begins again, which the session of the other tab may spare it.
                for _ in 0..<4 {
                    guard let page = landing.page else { break }
                    let isFirst = page.kind == "sign-in"
                    landing = try await send(
                        browser, page,
                        isFirst ? ["username": SignInPageTests.address] : ["password": NativeClient.password])
                }
                let away = try #require(landing.away, "\(landing.page?.html ?? "")")
                #expect(away.hasPrefix("\(Self.callback)?") && away.contains("code="), "\(away)")
                #expect(away.contains("state=\(states[tab])"), "\(away)")
            }
        }
    }

    // MARK: Guessing

    @Test
    func `A sign-in with too many wrong passwords ends, says so, and the next one begins anew`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            var page = try await browser.submit(
                try await browser.open("/sign-in"), ["username": SignInPageTests.address])
            for _ in 0..<30 where page.kind == "password" {
                page = try await browser.submit(page, ["password": "not that one"])
            }
            #expect(page.kind == "expired" && page.status == 410, "\(page.html)")
            #expect(page.html.contains("Too many wrong answers") && page.links.values.contains("/sign-in"))
            #expect(browser.cookies[SignInPageTests.session] == nil)
        }
    }

    @Test
    func `An authenticator with a hundred wrong codes in a row is locked, and its page says what can be done`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let user = try await server.account(SignInPageTests.address)
            let totp = try await server.authenticator(of: user)
            let factors = try await server.realm.accounts.userAndFactors(user.id)?.factors ?? []
            let id = try #require(factors.first { $0.kind == .totp }?.id)
            let counter = AttemptCounter(
                key: AttemptCounter.factorPrefix + id.rawValue, count: 99, since: server.now)
            try await server.realm.store.write { try $0.put(counter) }
            func give(_ code: String) async throws -> TestPage {
                let browser = TestBrowser(server)
                let asked = try await SignInPageTests.password(browser)
                #expect(asked.kind == "code", "\(asked.html)")
                let page = try await browser.submit(asked, ["code": code])
                #expect(browser.cookies[SignInPageTests.session] == nil)
                return page
            }
            let right = totp.code(at: server.now).stringCode
            #expect(try await give(right == "000000" ? "000001" : "000000").status == 422)
            try await server.advance(86_400)
            let locked = try await give(totp.code(at: server.now).stringCode)
            #expect(locked.kind == "locked" && locked.status == 403, "\(locked.html)")
            #expect(locked.html.contains("give this number") && locked.links.values.contains("/sign-in"))
        }
    }

    @Test
    func `An attempt that took too long begins again on the way to its application, for two hours`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let first = try #require(try await follow(browser, Self.request("dev-native")).page)
            let password = try #require(
                try await send(browser, first, ["username": SignInPageTests.address]).page)
            try await server.advance(20 * 60)
            let again = try #require(try await send(browser, password, ["password": NativeClient.password]).page)
            #expect(again.kind == "sign-in", "\(again.html)")
            let next = try #require(try await send(browser, again, ["username": SignInPageTests.address]).page)
            let back = try await send(browser, next, ["password": NativeClient.password])
            #expect(back.away?.hasPrefix(Self.callback) == true && back.away?.contains("code=") == true)

            let late = TestBrowser(server)
            let left = try #require(try await follow(late, Self.request("dev-native")).page)
            try await server.advance(7201)
            let over = try await late.open(left.path)
            #expect(["expired", "start-again"].contains(over.kind), "\(over.html)")
        }
    }

    // MARK: Settings

    @Test
    func `Where no second factor can be set up, a request for one goes on without or is refused to the application`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            _ = try await server.realm.changeSettings(by: .testAdministrator) { $0.secondFactors.state = .disabled }
            let browser = TestBrowser(server)
            #expect(try await signIn(browser, Self.request("dev-native")).away?.contains("code=") == true)
            let without = try await follow(browser, Self.request("dev-native", ["acr_values": "aal2"])).away
            #expect(without?.contains("code=") == true, "\(without ?? "")")
            let essential = #"{"id_token":{"acr":{"essential":true,"values":["aal2"]}}}"#
            let refused = try await follow(browser, Self.request("dev-native", ["claims": essential])).away
            #expect(refused?.contains("error=unmet_authentication_requirements") == true, "\(refused ?? "")")
        }
    }

    @Test
    func `Where no accounts are made, no page offers one`() async throws {
        try await TestServer.with(.development) { server in
            let browser = TestBrowser(server)
            #expect(try await browser.open("/sign-in").links.values.contains("/sign-up"))
            _ = try await server.realm.changeSettings(by: .testAdministrator) { $0.signUp.isOpen = false }
            #expect(try await !browser.open("/sign-in").links.values.contains("/sign-up"))
            let closed = try await browser.open("/sign-up")
            #expect(closed.kind == "sign-up" && closed.status == 403)
        }
    }

    // MARK: Sent more than once

    @Test
    func `A decision about a device that is sent twenty times at once is made once, and each form is told so`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            _ = try await SignInPageTests.password(browser, SignInPageTests.address)
            func device() async throws -> (form: TestPage.Form, device: String) {
                let reply = try await server.send(
                    .post, "/oauth/device/code", headers: [.contentType: "application/x-www-form-urlencoded"],
                    body: Array("client_id=dev-native&scope=openid".utf8))
                let code = try #require(reply.json["user_code"].text, "\(reply.text)")
                let page = try await browser.open("/activate?user_code=\(code)")
                return (
                    try #require(page.form(with: ["decision": ""]), "\(page.html)"),
                    try #require(reply.json["device_code"].text)
                )
            }
            let (form, waiting) = try await device()
            let fields = form.values.merging(["decision": "allow"]) { $1 }
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<20 { group.addTask { try await browser.post(form.action, fields) } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(replies.allSatisfy { $0.status == 303 }, "\(replies.map(\.status))")
            #expect(Set(replies.map { $0.headers[.location] }) == ["/activate/done"])
            #expect(try await browser.open("/activate/done").html.contains("Your device is connected"))
            // What was allowed is not denied afterwards.
            let denied = try await browser.post(form.action, fields.merging(["decision": "deny"]) { $1 })
            #expect(denied.status == 422)
            let tokens = try await server.send(
                .post, "/oauth/token", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array(
                    "grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=dev-native&device_code=\(waiting)"
                        .utf8))
            #expect(tokens.json["access_token"].text != nil, "\(tokens.text)")
            // None of them counted as a wrong code.
            for _ in 0..<3 {
                let another = try await device().form
                let reply = try await browser.post(another.action, another.values.merging(["decision": "deny"]) { $1 })
                #expect(reply.status == 303)
            }
        }
    }
}

@Suite("Words for what is used up, and for who asks")
struct PageReasonTests {
    @Test
    func `Wrong codes use a mailed code up and lock no account: another one goes on with the same sign-up`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let browser = TestBrowser(server)
            let address = "new@example.com"
            var page = try await browser.submit(try await browser.open("/sign-up"), ["email": address])
            let first = try await server.code(mailedTo: address)
            for _ in 0..<6 {
                page = try await browser.submit(page, ["code": first == "00000000" ? "00000001" : "00000000"])
                #expect(page.kind == "verify" && page.status == 422 && page.hasAlert, "\(page.html)")
            }
            #expect(page.html.contains("good no more"), "\(page.html)")
            page = try await browser.submit(page, ["code": first])
            #expect(page.kind == "verify" && page.status == 422, "\(page.html)")
            try await server.advance(Journeys.pauseBetweenMails)
            let again = try await browser.submit(page, ["again": "1"])
            #expect(again.kind == "verify" && again.status == 200, "\(again.html)")
            let next = try await browser.submit(again, ["code": server.code(mailedTo: address)])
            #expect(next.kind == "new-password", "\(next.html)")
        }
    }

    @Test
    func `The page that asks to sign out names the application that wants it, where it names itself`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            _ = try await SignInPageTests.password(browser)
            let asked = try await browser.open("/oidc/logout?client_id=dev-web&state=x")
            #expect(
                asked.kind == "sign-out" && asked.html.contains("<bdi>Development web</bdi> asks you to sign out."),
                "\(asked.html)")
            for silent in ["/sign-out", "/oidc/logout?client_id=nobody", "/sign-out?logout=client_id%3D%3Cb%3E"] {
                #expect(try await !browser.open(silent).html.contains("asks you"), "\(silent)")
            }
        }
    }
}
