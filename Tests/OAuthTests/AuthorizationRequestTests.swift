import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// What an authorization request has to be, once its address is known: section 3 of RFC 9700's demands and OpenID Connect's.
@Suite("Authorization requests")
struct AuthorizationRequestTests {
    private static let refused: [(String, [String: String?], String)] = [
        ("no response type", ["response_type": nil], "invalid_request"),
        ("the implicit flow", ["response_type": "token"], "unsupported_response_type"),
        ("the hybrid flow", ["response_type": "code id_token"], "unsupported_response_type"),
        ("an unknown response mode", ["response_mode": "web_message"], "invalid_request"),
        ("no challenge", ["code_challenge": nil], "invalid_request"),
        ("no method", ["code_challenge_method": nil], "invalid_request"),
        ("the method plain", ["code_challenge_method": "plain"], "invalid_request"),
        ("a short challenge", ["code_challenge": "abc"], "invalid_request"),
        ("a challenge of other characters", ["code_challenge": String(repeating: "~", count: 43)], "invalid_request"),
        ("no scope that the application has", ["scope": "admin"], "invalid_scope"),
        ("no scope", ["scope": nil], "invalid_scope"),
        ("an unknown resource", ["resource": "https://evil.example/api"], "invalid_target"),
        ("a relative resource", ["resource": "api"], "invalid_target"),
        ("a resource with a fragment", ["resource": "http://127.0.0.1/api#x"], "invalid_target"),
        ("an unknown prompt", ["prompt": "maybe"], "invalid_request"),
        ("a negative age", ["max_age": "-1"], "invalid_request"),
        ("an age that is none", ["max_age": "soon"], "invalid_request"),
        ("claims that are no JSON", ["claims": "{"], "invalid_request"),
        ("claims that are no object", ["claims": "[]"], "invalid_request"),
        ("claims that are too long", ["claims": String(repeating: "a", count: 4097)], "invalid_request"),
        ("a request object", ["request": "e30.e30."], "request_not_supported"),
        ("a registration", ["registration": "{}"], "registration_not_supported"),
        ("an ID token of elsewhere", ["id_token_hint": "e30.e30.e30"], "invalid_request"),
        ("a nonce that is too long", ["nonce": String(repeating: "n", count: 513)], "invalid_request"),
        ("a thumbprint that is none", ["dpop_jkt": "abc"], "invalid_request"),
    ]

    @Test
    func `Each fault after the address is known is told there, with state and issuer`() async throws {
        try await TestServer.with(.development) { server in
            var browser = Browser(server)
            for (name, changes, error) in Self.refused {
                let reply = try await browser.authorize("dev-native", changes)
                #expect(reply.status == 303 && reply.location?.hasPrefix(Browser.callback + "?") == true, "\(name)")
                #expect(reply.answer["error"] == error, "\(name): \(reply.answer)")
                #expect(
                    reply.answer["state"] == "st/at+e=&" && reply.answer["iss"] == "http://127.0.0.1:8080", "\(name)")
            }
        }
    }

    @Test(
        arguments: [
            (.aal2, [ContextClass.multiFactorAlias], [], ContextClass.multiFactorAlias), (.aal2, ["aal2"], [], "aal2"),
            (.aal2, ["x", ContextClass.multiFactorAlias, "aal2"], [], ContextClass.multiFactorAlias),
            (.aal2, [], [], "aal2"), (.aal2, ["aal1"], [], "aal2"),
            (.aal1, [ContextClass.multiFactorAlias], [], "aal1"),
            (.aal1, ["aal2", "aal1"], [], "aal1"), (.aal2, ["phr", "aal2"], ["phr"], "phr"),
            (.aal2, ["phrh", "phr"], ["phr"], "phr"), (.aal2, ["phr"], [], "aal2"), (.aal2, ["aal2"], ["phr"], "aal2"),
        ] as [(ContextClass, [String], Set<String>, String)])
    func `A token says how a user was authenticated in the word that was asked for, where that is true`(
        _ present: ContextClass, _ asked: [String], _ others: Set<String>, _ told: String
    ) {
        #expect(AuthorizationRequest.told(present, asked: asked, others: others) == told)
    }

    @Test(
        arguments: [
            (.aal2, ["aal1"], [], "aal1"), (.aal2, ["x", "phr", "aal1"], [], "aal1"),
            (.aal2, ["aal1", "aal2"], [], "aal2"),
            (.aal2, ["phr", "aal1"], ["phr"], "phr"), (.aal1, ["aal1"], [], "aal1"), (.aal2, ["x"], [], "aal2"),
        ] as [(ContextClass, [String], Set<String>, String)])
    func `A token that has to say one of the words that were asked for says no stronger one instead`(
        _ present: ContextClass, _ asked: [String], _ others: Set<String>, _ told: String
    ) {
        #expect(AuthorizationRequest.told(present, asked: asked, others: others, isEssential: true) == told)
    }

    /// OpenID Connect Core 1.0, section 5.5.1.1.
    @Test
    func `An essential acr is told in one of the words of the request, also of a stronger session`() async throws {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            let totp = try await server.authenticator(of: try #require(await server.realm.accounts.user(user)))
            var browser = Browser(server)
            let begun = try #require(await server.realm.sessions.begin(inBrowser: browser.proof(with: totp)))
            browser.cookies["__Host-cs_session"] = begun.token.reveal()
            let claims = #"{"id_token":{"acr":{"essential":true,"values":["aal1"]}}}"#
            let asked = try await server.redeem(browser.code("dev-native", ["claims": claims])).json
            #expect(asked["id_token"].claims["acr"] == "aal1")
            // What an API judges by stays as it is.
            #expect(asked["access_token"].claims["acr"] == "aal2")
            let refreshed = try await server.refresh(asked["refresh_token"]).json
            #expect(refreshed["id_token"].claims["acr"] == "aal1")
            let plain = try await server.redeem(browser.code("dev-native", ["acr_values": "aal1"])).json
            #expect(plain["id_token"].claims["acr"] == "aal2")
        }
    }

    @Test
    func `A state of two kilobytes comes back, and a longer one is refused without it`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let longest = String(repeating: "s", count: 2048)
            #expect(try await browser.authorize("dev-native", ["state": longest]).answer["state"] == longest)
            let refused = try await browser.authorize("dev-native", ["state": longest + "s"])
            #expect(refused.answer["error"] == "invalid_request" && refused.answer["state"] == nil)
            let without = try await browser.authorize("dev-native", ["state": nil])
            #expect(without.answer["code"] != nil && without.answer["state"] == nil)
        }
    }

    @Test(arguments: [
        ["display": "popup"], ["display": "x"], ["ui_locales": "fr xx-1 de"], ["access_type": "offline"],
        ["audience": "x"],
    ])
    func `What changes nothing is ignored`(_ changes: [String: String]) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let reply = try await browser.authorize("dev-native", changes.mapValues { .some($0) })
            #expect(reply.answer["code"] != nil, "\(reply.status) \(reply.location ?? reply.text)")
        }
    }

    @Test
    func `Who is to be chosen is asked of a user who is signed in, and not beside prompt=none`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            // Who signs in at the instant of the request has chosen.
            try await server.advance(1)
            let chosen = try await browser.authorize("dev-native", ["prompt": "select_account"])
            #expect(
                chosen.status == 303 && chosen.location?.hasPrefix("/sign-in?flow=") == true,
                "\(chosen.location ?? "–")")
            let both = try await browser.authorize("dev-native", ["prompt": "none select_account"])
            #expect(both.answer["error"] == "invalid_request")
            #expect(try await browser.authorize("dev-native", ["prompt": "none"]).answer["code"] != nil)
        }
    }

    @Test
    func `An application that compares issuers with a slash at their end gets them so, and its tokens count`()
        async throws
    {
        let (base, own) = ("http://127.0.0.1:8080", "http://127.0.0.1:8080/")
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            for (style, issuer) in [(OAuthRegistration.IssuerStyle.trailingSlash, own), (.standard, base)] {
                _ = try await server.realm.applications.change(
                    ClientID(rawValue: "dev-native"), by: .testAdministrator
                ) { $0.oauth.issuerStyle = style }
                var browser = Browser(server)
                try await browser.signIn()
                let answer = try await browser.authorize("dev-native")
                #expect(answer.answer["iss"] == issuer, "\(answer.answer)")
                let tokens = try await server.redeem(try #require(answer.answer["code"])).json
                for token in ["access_token", "id_token"] {
                    #expect(tokens[token].claims["iss"].text == issuer, "\(token)")
                }
                #expect(try await server.userInfo(tokens["access_token"]).status == 200)
                let renewed = try await server.refresh(tokens["refresh_token"]).json
                #expect(renewed["id_token"].claims["iss"].text == issuer)
                let hint = tokens["id_token"].text ?? ""
                let again = try await browser.authorize("dev-native", ["prompt": "none", "id_token_hint": hint])
                #expect(again.answer["code"] != nil, "\(again.answer)")
                let refused = try await browser.authorize("dev-native", ["scope": "nothing"])
                #expect(refused.answer["error"] == "invalid_scope" && refused.answer["iss"] == issuer)
                let bye = try await browser.get("/oidc/logout?" + Browser.query(["id_token_hint": hint]))
                #expect(bye.location == "/signed-out")
            }
            let discovery = try await server.send(.get, "/.well-known/openid-configuration").json
            #expect(discovery["issuer"].text == base)
        }
    }

    @Test
    func `An unknown scope is left out, and the answer says which were granted`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code("dev-native", ["scope": "openid everything api"])
            let tokens = try await server.redeem(code).json
            #expect(tokens["scope"] == "openid api")
            #expect(tokens["refresh_token"] == .null, "offline_access was not asked for.")
        }
    }

    @Test
    func `An application without the grant gets no code`() async throws {
        try await TestServer.with(.development) { server in
            var service = ApplicationRegistration(redirectURIs: ["https://app.example/cb"], scopes: ["openid"])
            service.oauth = OAuthRegistration(kind: .service)
            service.setSecret(Secret("s3cret"))
            try await server.add("service", service)
            var browser = Browser(server)
            let reply = try await browser.authorize("service", ["redirect_uri": "https://app.example/cb"])
            #expect(reply.answer["error"] == "unauthorized_client")
        }
    }

    @Test
    func `An application that has to push its requests gets an error at its address otherwise`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .testAdministrator) {
                $0.oauth.requiresPAR = true
            }
            var browser = Browser(server)
            #expect(try await browser.authorize().answer["error"] == "invalid_request")
        }
    }

    @Test
    func `The authorization endpoint is open to no other origin's scripts, and the token endpoint is`() async throws {
        try await TestServer.with(.development) { server in
            let origin: HTTPFields = [.origin: "https://evil.example"]
            let query = Browser.query(Browser.parameters())
            let page = try await server.send(.get, "/authorize?\(query)", headers: origin)
            #expect(page.headers[.accessControlAllowOrigin] == nil)
            let token = try await server.form("/oauth/token", ["grant_type": "x"], headers: origin)
            #expect(token.headers[.accessControlAllowOrigin] != nil)
            #expect(token.headers[.accessControlExposeHeaders]?.contains("DPoP-Nonce") == true)
        }
    }

    @Test
    func `A token of another user leads to a page that asks for that user`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            _ = try await server.addUser("bob@example.org")
            var ada = Browser(server)
            try await ada.signIn()
            let hint = try #require(await server.redeem(ada.code()).json["id_token"].text)
            #expect(try await ada.authorize("dev-native", ["id_token_hint": hint]).answer["code"] != nil)
            var bob = Browser(server)
            try await bob.signIn("bob@example.org")
            let asked = try await bob.authorize("dev-native", ["id_token_hint": hint])
            #expect(asked.location?.hasPrefix("/sign-in?flow=") == true)
            let silent = try await bob.authorize("dev-native", ["id_token_hint": hint, "prompt": "none"])
            #expect(silent.answer["error"] == "login_required")
        }
    }

    @Test
    func `A request that names another user shows nothing of that user, and one that names the own prefills`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            _ = try await server.addUser("bob@example.org")
            var ada = Browser(server)
            try await ada.signIn()
            let token = try #require(await server.redeem(ada.code()).json["id_token"].text)
            let claims = #"{"id_token":{"sub":{"value":"\#(JSON.string(token).claims["sub"].text ?? "")"}}}"#
            var bob = Browser(server)
            try await bob.signIn("bob@example.org")
            try await server.advance(1)
            for changes in [["id_token_hint": token], ["claims": claims], ["claims": claims, "prompt": "login"]] {
                func page(_ browser: inout Browser, _ more: [String: String] = [:]) async throws -> Reply {
                    let reply = try await browser.authorize("dev-native", changes.merging(more) { $1 })
                    return try await browser.get(try #require(reply.location))
                }
                let foreign = try await page(&bob)
                #expect(foreign.status == 200 && foreign.text.contains("data-page=\"sign-in\""), "\(foreign.text)")
                #expect(!foreign.text.contains("ada@example.org") && !foreign.text.contains("value=\"bob@"))
                var stranger = Browser(server)
                #expect(try await !page(&stranger).text.contains("ada@example.org"))
                #expect(try await page(&ada, ["prompt": "login"]).text.contains("value=\"ada@example.org\""))
            }
        }
    }

    @Test
    func `A request for a new account is one to sign in where no accounts are made`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            func first(_ browser: Browser) async throws -> String {
                var browser = browser
                var reply = try await browser.authorize("dev-native", ["prompt": "create"])
                for _ in 0..<3 {
                    guard let next = reply.location, !next.hasPrefix(Browser.callback) else { break }
                    reply = try await browser.get(next)
                }
                if reply.answer["code"] != nil { return "code" }
                return reply.text.split(separator: "data-page=\"").last?.split(separator: "\"").first.map(String.init)
                    ?? ""
            }
            var signedIn = Browser(server)
            try await signedIn.signIn()
            try await server.advance(1)
            #expect(try await first(Browser(server)) == "sign-up")
            #expect(try await first(signedIn) == "sign-up")
            _ = try await server.realm.changeSettings(by: .testAdministrator) { $0.signUp.isOpen = false }
            #expect(try await first(Browser(server)) == "sign-in")
            #expect(try await first(signedIn) == "code")
        }
    }

    @Test
    func `A request that its user does not see does not prolong the browser's session`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            try await server.advance(301)
            let silent = try await browser.authorize("dev-native", ["prompt": "none"])
            #expect(silent.answer["code"] != nil && silent.headers[.setCookie] == nil)
            let refused = try await browser.authorize("dev-native", ["prompt": "none", "max_age": "1"])
            #expect(refused.answer["error"] == "login_required" && refused.headers[.setCookie] == nil)
            let seen = try await browser.authorize()
            #expect(seen.answer["code"] != nil && seen.headers[.setCookie]?.contains("cs_session") == true)
        }
    }

    // MARK: Pushed requests

    @Test
    func `An address pushes so many requests without credentials or as a stranger, and more with an application's own`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let source = "198.51.100.77"
            for _ in 0..<RateLimit.attemptsPerSource.count {
                let begun = try await server.realm.authorizations.push(
                    [:], of: ClientID(rawValue: "dev-native"), from: source)
                guard case .begun = begun else { throw Unexpected(what: "\(begun)") }
            }
            var headers: HTTPFields = [.xForwardedFor: source]
            let limited = try await server.form("/oauth/par", Browser.parameters(), headers: headers)
            #expect(limited.status == 429 && limited.json["error"] == "temporarily_unavailable", "\(limited.text)")
            #expect(limited.headers[.retryAfter] != nil)
            let elsewhere = try await server.form("/oauth/par", Browser.parameters())
            #expect(elsewhere.status == 201, "\(elsewhere.text)")
            headers[.authorization] = TestServer.devWeb[.authorization]
            let confidential = try await server.form("/oauth/par", Browser.parameters("dev-web"), headers: headers)
            #expect(confidential.status == 201, "\(confidential.text)")
            // One that registered itself has as many credentials as it likes.
            try await server.setRegistration("open")
            let stranger = try await server.register(SelfRegistrationTests.site).json
            let id = try #require(stranger["client_id"].text)
            let secret = try #require(stranger["client_secret"].text)
            headers[.authorization] = "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"
            let asked = Browser.parameters(id, ["redirect_uri": "https://app.example/callback"])
            #expect(try await server.form("/oauth/par", asked, headers: headers).status == 429)
            headers[.xForwardedFor] = "198.51.100.79"
            let admitted = try await server.form("/oauth/par", asked, headers: headers)
            #expect(admitted.status == 201, "\(admitted.text)")
        }
    }

    @Test
    func `A pushed request is brought once, by its application, within a minute`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            func push(_ changes: [String: String?] = [:]) async throws -> Reply {
                try await server.form("/oauth/par", Browser.parameters("dev-native", changes))
            }
            let pushed = try await push()
            #expect(pushed.status == 201 && pushed.json["expires_in"] == 60, "\(pushed.text)")
            let uri = try #require(pushed.json["request_uri"].text)
            let query = "/authorize?" + Browser.query(["client_id": "dev-native", "request_uri": uri])
            let foreign = "/authorize?" + Browser.query(["client_id": "dev-app", "request_uri": uri])
            #expect(try await browser.get(foreign).status == 400)
            let first = try await browser.get(query)
            #expect(try await server.redeem(#require(first.answer["code"])).status == 200)
            let second = try await browser.get(query)
            #expect(second.status == 400 && second.location == nil)
            let late = try #require(await push().json["request_uri"].text)
            try await server.advance(61)
            #expect(
                try await browser.get("/authorize?" + Browser.query(["client_id": "dev-native", "request_uri": late]))
                    .status == 400)
            #expect(try await push(["request_uri": uri]).json["error"] == "invalid_request")
            #expect(try await push(["redirect_uri": "https://evil.example"]).json["error"] == "invalid_request")
            #expect(try await push(["code_challenge": nil]).json["error"] == "invalid_request")
            // What a developer reads whose client does not use proof keys unless told to.
            let bare = try await push(["code_challenge": nil, "code_challenge_method": nil])
            #expect(bare.json["error_description"].text?.contains("PKCE") == true, "\(bare.text)")
        }
    }

    @Test
    func `A pushed request that is brought twenty times at once ends in one code`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var signedIn = Browser(server)
            try await signedIn.signIn()
            let pushed = try await server.form("/oauth/par", Browser.parameters())
            let uri = try #require(pushed.json["request_uri"].text)
            let query = "/authorize?" + Browser.query(["client_id": "dev-native", "request_uri": uri])
            let browser = signedIn
            let codes = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        var tab = browser
                        return try await tab.get(query).answer["code"]
                    }
                }
                return try await group.reduce(into: [String]()) { if let code = $1 { $0.append(code) } }
            }
            #expect(codes.count == 1)
        }
    }
}
