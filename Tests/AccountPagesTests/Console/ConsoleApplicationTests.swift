import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import SecurityChecks
import Testing

/// The console's pages about applications, APIs and clients.
@Suite("The console's pages about applications")
struct ConsoleApplicationTests {
    @Test func `An application of each kind is added, and a secret is shown once`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            for kind in ["web", "browser", "native", "service", "device"] {
                let redirect = kind == "native" ? "http://127.0.0.1/callback" : "https://\(kind).example.com/callback"
                let page = try await ConsoleServerPagesTests.answer(
                    owner, "/console/applications-add?kind=\(kind)",
                    ["id": "my-\(kind)", "name": "<b>My \(kind)", "redirects": "\(redirect)\n"])
                #expect(page.kind == "console-application", "\(kind): \(page.html)")
                #expect(page.html.contains("My \(kind)") && !page.html.contains("<b>My"))
                #expect(page.html.contains("my-\(kind)") && page.html.contains("countersign app show my-\(kind)"))
                let application = try #require(
                    try await server.realm.applications.application(ClientID(rawValue: "my-\(kind)")))
                #expect(application.registration.oauth.kind?.rawValue == kind)
                #expect(application.registration.isConfidential == ["web", "service"].contains(kind))
                let isShown = page.html.contains("It is shown this once.")
                #expect(isShown == application.registration.isConfidential, "\(kind)")
                let again = try await owner.open("/console/applications/my-\(kind)")
                #expect(!again.html.contains("It is shown this once."))
                // What a library is told that reads no metadata is what this server signs with.
                let isTold = again.html.contains("OIDC_RP_SIGN_ALGO = &quot;RS256&quot;")
                #expect(isTold == (kind == "web"), "\(again.html)")
            }
            // Where only keys in use are published, what is registered does not count.
            _ = try await server.realm.applications.change(ClientID(rawValue: "my-web"), by: .testAdministrator) {
                $0.oauth.idTokenAlgorithm = .es256
            }
            try await server.realm.changeSettings(by: .testAdministrator) { $0.tokens.publishedKeys = .used }
            try await server.advance(60)
            let site = try await owner.open("/console/applications/my-web")
            #expect(site.html.contains("OIDC_RP_SIGN_ALGO = &quot;RS256&quot;"), "\(site.html)")
            try await server.realm.changeSettings(by: .testAdministrator) { $0.tokens.publishedKeys = .all }
            try await server.advance(60)
            let other = try await owner.open("/console/applications/my-web")
            #expect(other.html.contains("OIDC_RP_SIGN_ALGO = &quot;ES256&quot;"), "\(other.html)")
            let refused = try await ConsoleServerPagesTests.answer(
                owner, "/console/applications-add?kind=web",
                ["id": "my-web", "name": "Twice", "redirects": "https://web.example.com/callback"])
            #expect(refused.status == 422 && refused.hasAlert)
            let malformed = try await ConsoleServerPagesTests.answer(
                owner, "/console/applications-add?kind=web",
                ["id": "other", "name": "x", "redirects": "javascript:alert(1)"])
            #expect(malformed.status == 422)
            #expect(try await server.realm.applications.application(ClientID(rawValue: "other")) == nil)
        }
    }

    @Test func `The tester says what the server would, and a change and a removal are done once`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let auditor = try await stage.administrator(.auditor)
            _ = try await ConsoleServerPagesTests.answer(
                owner, "/console/applications-add?kind=web",
                ["id": "shop", "name": "Shop", "redirects": "https://shop.example.com/callback"])
            let path = "/console/applications/shop"
            func verdict(_ uri: String, _ browser: TestBrowser) async throws -> String {
                let query = uri.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                return try await browser.open("\(path)?uri=\(query)").html
            }
            #expect(try await verdict("https://shop.example.com/callback", auditor).contains("It would pass."))
            for uri in [
                "https://shop.example.com/callback/", "https://shop.example.com/Callback", "https://shop.example.com",
                "javascript:alert(1)", "<script>alert(1)</script>", "https://shop.example.com/callback#x",
            ] {
                let html = try await verdict(uri, owner)
                #expect(html.contains("It would be refused.") && !html.contains("<script>alert"), "\(uri)")
            }
            let changed = try await ConsoleServerPagesTests.answer(
                owner, path + "/settings",
                [
                    "name": "Shop 2", "redirects": "https://shop.example.com/new", "scopes": "openid email",
                    "require-dpop": "1", "redirects-on": "1", "note": "<b>Anna's",
                    "contacts": "anna@example.com\r\n\r\n +49 30 1234567 ",
                ])
            #expect(changed.kind == "console-application", "\(changed.html)")
            let registration = try #require(
                try await server.realm.applications.application(ClientID(rawValue: "shop"))?.registration)
            #expect(registration.displayName == "Shop 2" && registration.scopes == ["openid", "email"])
            #expect(registration.redirectURIs == ["https://shop.example.com/new"])
            #expect(registration.oauth.requiresDPoP && !registration.oauth.requiresPAR)
            #expect(registration.oauth.redirectsOn == true)
            #expect(registration.ownerNote == "<b>Anna's")
            #expect(registration.contacts == ["anna@example.com", "+49 30 1234567"])
            #expect(changed.html.contains("Anna") && !changed.html.contains("<b>Anna"))
            // The settings stand in parts, and each setting of the form is among them.
            let parts = changed.html.matches(of: /<h2[^>]*>([^<]+)<\/h2>/).map { String($0.1) }
            let expected = [
                "How it proves itself", "Where it leads users", "What it may ask for", "How users sign in to it",
            ]
            #expect(parts.filter(expected.contains) == expected, "\(parts)")
            #expect(changed.html.contains("Answers disclose whether an address has an account"), "\(changed.html)")
            #expect(
                changed.html.contains("+49 30 1234567") && changed.html.contains("OAuth and OpenID Connect, not used"))
            server.realm.applicationUses.note(ClientID(rawValue: "shop"), by: .guardian)
            #expect(try await auditor.open(path).html.contains("Guardian, last used"))
            let listed = try await auditor.open("/console/applications").html
            #expect(listed.contains("Guardian, OAuth and OpenID Connect") && !listed.contains("<b>Anna"), "\(listed)")
            let tooLong = try await ConsoleServerPagesTests.answer(
                owner, path + "/settings", ["scopes": "openid", "note": String(repeating: "x", count: 501)])
            #expect(tooLong.status == 422 && tooLong.hasAlert)
            // The alert leads to the field that is refused, among those that were changed.
            #expect(tooLong.html.contains("<a href=\"#note\">Go to the field</a>"), "\(tooLong.html)")
            let invalid = tooLong.html.matches(of: /id="([^"]+)"[^>]*aria-invalid="true"/).map { String($0.1) }
            #expect(invalid == ["note"], "\(invalid)")
            let wrongAddress = try await ConsoleServerPagesTests.answer(
                owner, path + "/settings", ["name": "Shop 3", "backchannel-logout": "ftp://shop.example.com"])
            #expect(wrongAddress.html.contains("href=\"#backchannel-logout\""), "\(wrongAddress.html)")
            let form = try await owner.open(path + "/settings")
            let legends = form.html.matches(of: /<legend><h2>([^<]+)<\/h2><\/legend>/).map { String($0.1) }
            #expect(
                legends == [
                    "About the application", "Links and colour", "Sign-in", "Sign-up and native authentication",
                    "How it proves itself", "Tokens and claims", "Sign-out",
                ], "\(legends)")
            for anchor in form.html.matches(of: /href="#(part-[a-z-]+)"/).map({ String($0.1) }) {
                #expect(form.html.contains("<fieldset class=\"part\" id=\"\(anchor)\">"), "\(anchor)")
            }
            // Each field stands in one part, once.
            let fields = form.html.matches(of: /name="(name|note|contacts|redirects|scopes|resources|require-[a-z]+)"/)
            #expect(fields.count == 9 && Set(fields.map { String($0.1) }).count == 9, "\(fields.map { $0.1 })")
            let secret = try await ConsoleServerPagesTests.answer(owner, path + "/secret", ["overlap": "2"])
            #expect(secret.html.contains("It is shown this once."))
            let wrong = try await ConsoleServerPagesTests.answer(owner, path + "/secret", ["overlap": "721"])
            #expect(wrong.status == 422)

            let shown = try await auditor.open(path).html
            #expect(shown.contains("countersign app show shop") && !shown.contains("Checks of scopes"))
            #expect(!shown.contains("MobileFirst"))
            // Of one that takes part in security checks, what each version asks for.
            _ = try await server.realm.applications.change(ClientID(rawValue: "shop"), by: .testAdministrator) {
                $0.challengeTypes = ["oob", "redirect"]
                $0.audiences = nil
                $0.oauth.defaultACR = ["aal2"]
                $0.oauth.defaultMaxAge = 600
                $0.oauth.initiateLoginURI = "https://shop.example.com/begin"
                $0.oauth.policyURI = "https://shop.example.com/privacy"
                $0.versions = [
                    ApplicationVersion(
                        clientPlatform: "ios", scopeElementMapping: ["payments": "Login Totp"],
                        mandatoryScope: "<b>Device", access: .disabled(message: "", downloadLink: nil))
                ]
            }
            let checked = try await auditor.open(path).html
            for text in [
                "Checks of scopes", "ios *", "payments: Login Totp", "&lt;b&gt;Device", "3600 s", "oob redirect",
                "600 s", "Authenticates by", "client_secret_basic", "issued for (* any)", "Begins a sign-in at",
                "Privacy policy", "MobileFirst, IBMMobileFoundationSwift", "/mfp&quot;)!)",
                "setApplication(id: &quot;shop&quot;, version: &quot;1.0.0&quot;)",
                "ChallengeHandler(securityCheck: &quot;Login&quot;)",
                "ChallengeHandler(securityCheck: &quot;Totp&quot;)",
                "scope: &quot;payments&quot;)",
            ] {
                #expect(checked.contains(text), "\(text): \(checked)")
            }
            #expect(try await auditor.open(path + "/remove").status == 404)
            let removed = try await ConsoleServerPagesTests.answer(owner, path + "/remove")
            #expect(removed.kind == "console-applications" && removed.html.contains("The application was removed."))
            #expect(try await owner.open(path).status == 404)
        }
    }

    @Test func `Everything that the command sets of an application is a field of its form`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let path = "/console/applications/target-app/settings"
            func registration() async throws -> ApplicationRegistration {
                try #require(try await server.realm.applications.registered(ClientID(rawValue: "target-app")))
                    .registration
            }
            let typed = [
                "client-uri": "https://target.example.com", "policy-uri": "https://target.example.com/privacy",
                "tos-uri": "https://target.example.com/terms", "accent": "#155eaf",
                "initiate-login-uri": "https://target.example.com/begin", "default-acr": "phr aal2",
                "default-max-age": "600", "challenge-types": "oob, password",
                "attributes": "city:string:required:/[A-Z].* x/\r\n\r\n age:integer ", "kind": "native",
                "grant-types": "authorization_code, refresh_token urn:ietf:params:oauth:grant-type:device_code",
                "issuer-style": "auth0", "id-token-alg": "ES256",
                "audiences": "https://a.example\r\nhttps://b.example",
            ]
            let saved = try await ConsoleServerPagesTests.answer(owner, path, typed)
            #expect(saved.kind == "console-application", "\(saved.html)")
            let now = try await registration()
            #expect(now.oauth.clientURI == typed["client-uri"] && now.oauth.policyURI == typed["policy-uri"])
            #expect(now.oauth.termsURI == typed["tos-uri"] && now.oauth.accent == "#155eaf")
            #expect(now.oauth.initiateLoginURI == typed["initiate-login-uri"])
            #expect(now.oauth.defaultACR == ["phr", "aal2"] && now.oauth.defaultMaxAge == 600)
            #expect(now.challengeTypes == ["oob", "password"] && now.oauth.kind == .native)
            #expect(
                now.attributes == [
                    .init(name: "city", type: "string", isRequired: true, pattern: "[A-Z].* x"),
                    .init(name: "age", type: "integer", isRequired: false, pattern: nil),
                ])
            let grants = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]
            #expect(now.oauth.grantTypes == grants)
            #expect(now.oauth.issuerStyle == .trailingSlash && now.oauth.idTokenAlgorithm == .es256)
            #expect(now.audiences == ["https://a.example", "https://b.example"])
            // Each is shown as it was typed, and emptied by nothing.
            let form = try await owner.open(path)
            for text in ["city:string:required:/[A-Z].* x/", "value=\"phr aal2\"", "<option value=\"auth0\" selected>"]
            {
                #expect(form.html.contains(text), "\(text): \(form.html)")
            }
            let names =
                ["client-uri", "policy-uri", "tos-uri", "accent", "initiate-login-uri", "default-acr"]
                + ["default-max-age", "challenge-types", "attributes", "id-token-alg"]
            let emptied = try await ConsoleServerPagesTests.answer(
                owner, path, Dictionary(uniqueKeysWithValues: names.map { ($0, "") }))
            #expect(emptied.kind == "console-application", "\(emptied.html)")
            let then = try await registration()
            #expect(then.oauth.clientURI == nil && then.oauth.accent == nil && then.oauth.defaultMaxAge == nil)
            #expect(then.oauth.defaultACR.isEmpty && then.challengeTypes.isEmpty && then.attributes.isEmpty)
            #expect(then.oauth.idTokenAlgorithm == nil && then.oauth.issuerStyle == .trailingSlash)
            for (name, wrong) in [
                ("accent", "<b>red"), ("default-acr", "aal9"), ("default-max-age", "soon"),
                ("policy-uri", "javascript:x"),
                ("attributes", "city"), ("attributes", "city:text"), ("challenge-types", "sms"), ("kind", "<i>"),
                ("grant-types", "password"), ("jwks", "{"), ("jwks", "{\"keys\": 1}"), ("issuer-style", "mine"),
            ] {
                let refused = try await ConsoleServerPagesTests.answer(owner, path, [name: wrong])
                #expect(refused.status == 422 && refused.html.contains("href=\"#\(name)\""), "\(name): \(refused.html)")
                #expect(!refused.html.contains("<b>red") && !refused.html.contains("<i>"), "\(refused.html)")
            }
            #expect(try await registration() == then)
            // A secret goes where the application is to authenticate by none.
            _ = try await server.realm.applications.change(ClientID(rawValue: "target-app"), by: .testAdministrator) {
                $0.setSecret(Secret("a secret of at least 24 characters"))
            }
            let open = try await ConsoleServerPagesTests.answer(
                owner, path, ["remove-secret": "1", "auth-method": "none"])
            #expect(open.kind == "console-application", "\(open.html)")
            #expect(try await !registration().isConfidential)
        }
    }

    @Test func `A picture is looked at before it is set and before it goes, and what is none is refused`() async throws
    {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let (page, path) = ("/console/applications/target-app", "/console/applications/target-app/logo")
            let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
            func logo() async throws -> String? {
                try await server.realm.applications.registered(ClientID(rawValue: "target-app"))?.registration.oauth
                    .logo
            }
            func send(_ bytes: [UInt8], _ fields: [String: String] = [:]) async throws -> TestPage {
                let form = try #require(try await owner.open(path).forms.first { $0.action == path })
                let values = form.values.merging(fields) { $1 }.filter { $0.key != "file" }
                let reply = try await owner.post(path, values, files: ["file": ("<b>.png", bytes)])
                return TestPage(reply: reply, path: path, language: "en")
            }
            for wrong in [Array("<svg onload=alert(1)>".utf8), [0x89, 0x50, 0x4E, 0x47], []] {
                let refused = try await send(wrong)
                #expect(refused.status == 422 && refused.hasAlert, "\(refused.html)")
            }
            let file = try #require(Data(base64Encoded: png))
            let review = try await send(Array(file))
            #expect(
                review.kind == "console-review" && review.html.contains("Another picture, of 1 KiB"), "\(review.html)")
            #expect(!review.html.contains("data:image"), "No picture is shown that this server has not written anew.")
            #expect(try await logo() == nil)
            let set = try await ConsoleStage.confirmed(review, in: owner)
            #expect(set.kind == "console-application" && set.notice == "The picture was changed.", "\(set.html)")
            let name = try #require(try await logo())
            #expect(set.html.contains("<img src=\"/assets/logos/\(name).png\""), "\(set.html)")
            #expect(try await owner.send(.get, "/assets/logos/\(name).png").status == 200)
            // Somebody else's picture in between is told.
            let removal = try await send([], ["remove": "1"])
            #expect(removal.kind == "console-review" && removal.html.contains("app set --logo none"), "\(removal.html)")
            var change = RegistrationChange()
            change.ownerNote = "Theirs"
            _ = try await ChangeApplication(id: "target-app", registration: change).perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            let form = try #require(removal.forms.first { $0.names.contains("seen") })
            #expect(try await owner.post(path, form.values).status == 422)
            #expect(try await logo() == name)
            let gone = try await ConsoleStage.confirmed(try await send([], ["remove": "1"]), in: owner)
            #expect(gone.kind == "console-application", "\(gone.html)")
            #expect(try await logo() == nil)
            #expect(try await owner.open(page).status == 200)
        }
    }

    @Test func `Who is signed in to an application is listed page by page, and ended from there`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let operators = try await stage.administrator(.operator)
            let path = "/console/applications/target-app/sessions"
            let empty = try await operators.open(path)
            #expect(empty.kind == "console-application-sessions" && empty.html.contains("No session goes on."))
            let realm = server.realm
            for number in 0..<52 {
                let user = try await realm.accounts.create(
                    id: UserID(rawValue: "guest\(number)"), email: EmailAddress("guest\(number)@example.com"),
                    password: nil, profile: UserProfile(displayName: "<b>Guest"), by: .testAdministrator
                ).get()
                let session = Session(
                    id: SessionID(rawValue: "s\(number)"), userID: user.id, dialect: .oauth,
                    tokenEpoch: user.tokenEpoch, createdAt: server.now + Double(number), expiresAt: server.now + 86_400,
                    proofs: [Proof(kind: .password, at: server.now)],
                    origin: SessionOrigin(address: "192.0.2.\(number)", userAgent: "Test/1"))
                let grant = Grant(
                    id: GrantID(rawValue: "g\(number)"), sessionID: session.id, userID: user.id,
                    clientID: ClientID(rawValue: "target-app"), dialect: .oauth,
                    createdAt: server.now + Double(number), expiresAt: server.now + 86_400,
                    refresh: RefreshTokenState(currentDigest: Data([UInt8(number)])),
                    terms: GrantTerms(scopes: ["openid"]))
                try await realm.store.write { transaction in
                    _ = try transaction.insert(session)
                    _ = try transaction.insert(grant)
                }
            }
            let first = try await operators.open(path)
            #expect(first.html.contains("guest51@example.com") && first.html.contains("guest2@example.com"))
            #expect(!first.html.contains("guest1@example.com") && !first.html.contains("<b>Guest"))
            #expect(first.html.contains("countersign app sessions --limit 50 target-app"), "\(first.html)")
            let next = try #require(first.links.first { $0.value.contains("after=") }?.value)
            let second = try await operators.open(next)
            #expect(second.html.contains("guest1@example.com") && second.html.contains("guest0@example.com"))
            #expect(!second.html.contains("guest2@example.com"))
            let end = try #require(second.links.values.first { $0.hasSuffix("/sessions/s1/end") })
            let ended = try await ConsoleServerPagesTests.answer(operators, end)
            #expect(ended.status == 200, "\(ended.html)")
            #expect(try await !operators.open(next).html.contains("guest1@example.com"))
            #expect(try await operators.open(path + "?after=zzz").status == 400)
            // Who looks at users and not at applications sees users, and no way to the application.
            let support = try await stage.administrator(.support)
            let seen = try await support.open(path)
            #expect(seen.html.contains("guest51@example.com"))
            #expect(!seen.links.values.contains("/console/applications/target-app"))
            #expect(try await support.open("/console/applications/target-app").status == 404)
        }
    }

    @Test func `The catalogue has each check with where its values come from, and what applications set of their own`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let auditor = try await ConsoleStage(server).administrator(.auditor)
            _ = try await server.realm.applications.change(ClientID(rawValue: "target-app"), by: .testAdministrator) {
                $0.versions = [
                    ApplicationVersion(
                        clientPlatform: "ios", scopeElementMapping: ["payments": "PinCodeAttempts <b>Gone"],
                        mandatoryScope: "PinCodeAttempts",
                        securityCheckConfigurations: [
                            "PinCodeAttempts": ["pinCode": "98765", "maxAttempts": "2", "maxAtempts": "9"],
                            "<b>Gone": ["pinCode": "98765"],
                        ])
                ]
            }
            let answer = try await ListSecurityChecks(application: "target-app").perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            #expect(answer.isServer && answer.isWhole && answer.timeLimit == 10)
            let pin = try #require(answer.checks.first { $0.name == "PinCodeAttempts" })
            #expect(pin.kind == "credentials" && pin.type == "PINSecurityCheck" && pin.maxAttempts == 3)
            #expect(pin.properties.first { $0.name == "maxAttempts" }?.source == "definition")
            let use = try #require(pin.uses.first)
            #expect(pin.uses.count == 1 && use.elements == ["payments"] && use.isMandatory && use.version == "ios *")
            #expect(
                use.properties.map { "\($0.name) \($0.value ?? "–") \($0.isRead)" } == [
                    "pinCode – true", "maxAttempts 2 true", "maxAtempts – false",
                ])
            let gone = try #require(answer.checks.last)
            #expect(gone.name == "<b>Gone" && !gone.isDefined && gone.uses.count == 1)
            #expect(gone.uses.first?.properties.allSatisfy { $0.value == nil && !$0.isRead } == true)

            let page = try await auditor.open("/console/checks-catalogue")
            #expect(page.kind == "console-checks-catalogue")
            for text in [
                "PINSecurityCheck", "default of the check", "not known to the check", "Named, and not there",
                "&lt;b&gt;Gone", "id=\"check-1\"", "href=\"#check-1\"", "countersign check list",
                "/console/applications/target-app",
            ] { #expect(page.html.contains(text), "\(text): \(page.html)") }
            #expect(!page.html.contains("98765"), "A PIN is a secret.")
            let application = try await auditor.open("/console/applications/target-app").html
            #expect(application.contains("/console/checks-catalogue?application="), "\(application)")
            #expect(try await auditor.open("/console/checks-catalogue?application=nobody").status == 404)
        }
    }

    @Test func `A version is added, changed and removed, and what may be a secret is on no page`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let operators = try await stage.administrator(.operator)
            let id = ClientID(rawValue: "target-app")
            let (page, form) = ("/console/applications/target-app", "/console/applications/target-app/version")
            func versions() async throws -> [ApplicationVersion] {
                try #require(try await server.realm.applications.application(id)).registration.versions
            }
            #expect(try await operators.open(page).links.values.contains(form))
            let settings = "PinCodeAttempts pinCode = 98 = 765\r\nPinCodeAttempts maxAttempts = 2 \r\n"
            let typed = [
                "platform": "ios", "number": "1.0", "elements": "pay:all = PinCodeAttempts  <b>Gone\r\n\r\nsee =",
                "mandatory": "see", "lifetime": "600", "settings": settings, "shared": "PinCodeAttempts",
                "refresh-tokens": "1", "not-served": "1", "message": "Update", "link": "https://bank.example.com/",
            ]
            let added = try await ConsoleServerPagesTests.answer(operators, form, typed)
            #expect(added.kind == "console-application" && added.html.contains("pay:all: PinCode"), "\(added.html)")
            let first = ApplicationVersion(
                clientPlatform: "ios", version: "1.0",
                scopeElementMapping: ["pay:all": "PinCodeAttempts <b>Gone", "see": ""], mandatoryScope: "see",
                maxTokenExpiration: 600,
                securityCheckConfigurations: ["PinCodeAttempts": ["pinCode": "98 = 765", "maxAttempts": "2"]],
                sharedChecks: ["PinCodeAttempts"], refreshTokens: true,
                access: .disabled(message: "Update", downloadLink: "https://bank.example.com/"))
            #expect(try await versions() == [first])
            let again = try await ConsoleServerPagesTests.answer(operators, form, typed)
            #expect(again.status == 422 && again.html.contains("There is this version already."), "\(again.html)")
            // One for all others: nothing is typed but what the form begins with.
            let other = try await ConsoleServerPagesTests.answer(operators, form, [:])
            #expect(other.kind == "console-application", "\(other.html)")
            #expect(try await versions() == [first, ApplicationVersion()])

            let own = try #require(other.links.values.first { $0.contains("/version?") && $0.contains("platform=ios") })
            let shown = try await operators.open(own)
            for text in [
                "PinCodeAttempts pinCode = &lt;secret&gt;", "PinCodeAttempts maxAttempts = 2",
                "pay:all = PinCodeAttempts", "countersign app set --versions versions.json target-app",
            ] { #expect(shown.html.contains(text), "\(text): \(shown.html)") }
            #expect(!shown.html.contains("98 = 765") && !shown.html.contains("<b>Gone"), "\(shown.html)")
            // Nor is a secret on the page that shows what changes.
            let editor = try #require(shown.forms.first { $0.action == form })
            let secret = "PinCodeAttempts pinCode = 1357\nPinCodeAttempts maxAttempts = 4"
            let asked = try await operators.post(form, editor.values.merging(["settings": secret]) { $1 })
            let cells = asked.text.matches(of: /<td[^>]*>([\s\S]*?)<\/td>/).map { String($0.1) }.joined(separator: " ")
            #expect(cells.contains("maxAttempts = 4") && cells.contains("another one than now"), "\(asked.text)")
            #expect(!cells.contains("1357"), "\(cells)")
            // A change of one setting leaves the one that is not shown; what is left alone stays.
            let changed = try await ConsoleServerPagesTests.answer(
                operators, own,
                ["settings": "PinCodeAttempts pinCode = <secret>\nPinCodeAttempts maxAttempts = 3"])
            #expect(changed.kind == "console-application", "\(changed.html)")
            var expected = first
            expected.securityCheckConfigurations = ["PinCodeAttempts": ["pinCode": "98 = 765", "maxAttempts": "3"]]
            #expect(try await versions() == [expected, ApplicationVersion()])
            for (name, text, line) in [
                ("elements", "pay = Login\nsee", 2), ("elements", "a = x\n\na = y", 3), ("elements", "a b = x", 1),
                ("settings", "Login = 3", 1), ("settings", "= 3", 1),
            ] {
                let refused = try await ConsoleServerPagesTests.answer(operators, own, [name: text])
                #expect(refused.status == 422 && refused.html.contains("Line \(line) does"), "\(refused.html)")
                #expect(refused.html.contains("href=\"#\(name)\""), "\(refused.html)")
            }
            for fields in [["settings": "New pin = <secret>"], ["lifetime": "0"], ["lifetime": "x"]] {
                let refused = try await ConsoleServerPagesTests.answer(operators, own, fields)
                #expect(refused.status == 422 && refused.hasAlert, "\(fields)")
            }
            #expect(try await versions() == [expected, ApplicationVersion()])

            #expect(changed.html.contains("/version-remove?platform=ios&amp;number=1.0"), "\(changed.html)")
            let removal = page + "/version-remove?platform=ios&number=1.0"
            let removed = try await ConsoleServerPagesTests.answer(operators, removal)
            #expect(removed.kind == "console-application", "\(removed.html)")
            #expect(try await versions() == [ApplicationVersion()])
            #expect(try await operators.open(removal).status == 404)
            let auditor = try await stage.administrator(.auditor)
            #expect(try await auditor.open(page).links.values.allSatisfy { !$0.contains("/version") })
        }
    }

    @Test func `An API is added, changed and removed, and the clients are listed by state`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let added = try await ConsoleServerPagesTests.answer(
                owner, "/console/apis/put",
                [
                    "uri": "https://notes.example.com", "name": "<b>Notes", "scopes": "read write", "level": "aal2",
                    "lifetime": "300", "format": "opaque", "algorithm": "RS256",
                ])
            #expect(added.kind == "console-apis" && !added.html.contains("<b>Notes"), "\(added.html)")
            let resource = try #require(
                try await server.realm.resources.list().first { $0.uri == "https://notes.example.com" })
            #expect(resource.lifetime == 300 && resource.tokenFormat == .opaque && resource.algorithm == .rs256)
            #expect(resource.scopes.map(\.name) == ["read", "write"])
            // A change leaves what the form does not show, and takes what it shows.
            let put = PutResource(
                uri: "https://notes.example.com", scopes: ["read", "write"], scopeTexts: ["read": ["de": "Lesen"]],
                scopeClaims: ["read": ["plan"]])
            _ = try await put.perform(on: server.realm, as: .commandLine, by: .testAdministrator)
            let own = "/console/apis/put?uri=https%3A%2F%2Fnotes%2Eexample%2Ecom"
            let form = try await owner.open(own)
            #expect(form.html.contains("value=\"read=plan\""), "\(form.html)")
            _ = try await ConsoleServerPagesTests.answer(
                owner, own,
                [
                    "uri": "https://notes.example.com", "scopes": "read write",
                    "claims": "read=plan,attributes.city write=tier",
                ])
            let changed = try #require(
                try await server.realm.resources.list().first { $0.uri == "https://notes.example.com" })
            #expect(changed.scopes.map(\.claims) == [["attributes.city", "plan"], ["tier"]])
            #expect(changed.scopes.first?.texts == ["de": "Lesen"])
            // What people read of scopes is said there, too.
            let texts = "read = Read = look\r\nread@de = Lesen\r\nwrite = <b>Write"
            let told = try await ConsoleServerPagesTests.answer(
                owner, own, ["uri": "https://notes.example.com", "scopes": "read write", "texts": texts])
            #expect(told.kind == "console-apis", "\(told.html)")
            let said = try #require(
                try await server.realm.resources.list().first { $0.uri == "https://notes.example.com" })
            #expect(said.scopes.map(\.text) == ["Read = look", "<b>Write"] && said.scopes[0].texts == ["de": "Lesen"])
            for (text, number) in [("read", 1), ("read = a\nread = b", 2), ("read=a", 1), ("a b = c", 1)] {
                let refused = try await ConsoleServerPagesTests.answer(owner, own, ["texts": text])
                #expect(
                    refused.status == 422 && refused.html.contains("Line \(number) of the texts"), "\(refused.html)")
            }
            let levelled = try await ConsoleServerPagesTests.answer(
                owner, own,
                ["uri": "https://notes.example.com", "scopes": "read write", "level": "aal1", "levels": "write=aal2"])
            #expect(levelled.html.contains("read=aal1 write=aal2"), "\(levelled.html)")
            let levels = try #require(
                try await server.realm.resources.list().first { $0.uri == "https://notes.example.com" })
            #expect(levels.scopes.map(\.minimumACR) == [.aal1, .aal2])
            let shown = try await owner.open(own)
            #expect(shown.html.contains("value=\"read=aal1 write=aal2\""), "\(shown.html)")
            for text in ["write=aal3", "other=aal2", "write"] {
                let unknown = try await ConsoleServerPagesTests.answer(
                    owner, own,
                    ["uri": "https://notes.example.com", "scopes": "read write", "levels": text])
                #expect(unknown.status == 422 && unknown.hasAlert, "\(text)")
            }
            let reserved = try await ConsoleServerPagesTests.answer(
                owner, own,
                ["uri": "https://notes.example.com", "scopes": "read", "claims": "read=sub"])
            #expect(reserved.status == 422 && reserved.hasAlert)
            let wrong = try await ConsoleServerPagesTests.answer(owner, "/console/apis/put", ["uri": "no uri"])
            #expect(wrong.status == 422 && wrong.hasAlert)
            let removed = try await ConsoleServerPagesTests.answer(
                owner, "/console/apis/remove?uri=https%3A%2F%2Fnotes%2Eexample%2Ecom")
            #expect(removed.html.contains("The API was removed."))
            #expect(try await server.realm.resources.list().allSatisfy { $0.uri != "https://notes.example.com" })

            let blocked = try await ConsoleServerPagesTests.answer(
                owner, "/console/registrations-documents/block", ["pattern": "evil.example"])
            let lifting = try #require(blocked.links["Take documents again"], "\(blocked.html)")
            let lifted = try await ConsoleServerPagesTests.answer(owner, lifting)
            #expect(lifted.notice == "These documents are taken again." && !lifted.html.contains("evil.example"))

            #expect(try await owner.open("/console/checks?status=STOLEN").kind == "console-checks")
            #expect(try await owner.open("/console/checks?status=BORROWED").status == 400)
        }
    }
}
