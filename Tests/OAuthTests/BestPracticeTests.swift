import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

/// The checklist of OAuth 2.0 Security Best Current Practice (RFC 9700, BCP 240), an item a test.
@Suite("Best current practice of OAuth")
struct BestPracticeTests {
    private func with(
        _ body: @Sendable @escaping (TestServer, Browser) async throws -> Void
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            try await body(server, browser)
        }
    }

    @Test(arguments: [
        "http://127.0.0.1/callback/", "http://127.0.0.1/callbacK", "http://127.0.0.1/callback?x",
        "http://127.0.0.2/callback",
        "https://127.0.0.1/callback", "http://127.0.0.1:x/callback", "http://127.0.0.1.evil.example/callback",
    ])
    func `Redirect addresses are compared exactly (section 2.1)`(uri: String) async throws {
        try await with { _, browser in
            var browser = browser
            let reply = try await browser.authorize("dev-native", ["redirect_uri": uri])
            #expect(reply.status == 400 && reply.location == nil)
        }
    }

    @Test
    func `No endpoint is an open redirector (section 4.11)`() async throws {
        try await with { server, browser in
            var browser = browser
            let evil = "https://evil.example/"
            for uri in [
                "/authorize?\(Browser.query(["redirect_uri": evil]))",
                "/authorize?\(Browser.query(Browser.parameters("dev-native", ["redirect_uri": evil, "prompt": "none"])))",
                "/authorize?\(Browser.query(Browser.parameters("no-such-client", ["redirect_uri": evil])))",
                "/oidc/logout?\(Browser.query(["post_logout_redirect_uri": evil]))",
                "/oidc/logout?\(Browser.query(["post_logout_redirect_uri": evil, "client_id": "dev-native"]))",
                "/authorize/continue?flow=x&redirect_uri=\(evil)", "/sign-in?return=\(evil)",
            ] {
                let reply = try await browser.get(uri)
                #expect(reply.location?.contains("//evil.example") != true, "\(uri)")
                #expect(!reply.text.contains("href=\"https://evil.example"), "\(uri)")
            }
            _ = server
        }
    }

    @Test
    func `Every application proves its code with S256, and a downgrade is refused (section 2.1.1 and 4.8)`()
        async throws
    {
        try await with { server, browser in
            var browser = browser
            for client in ["dev-native", "dev-web"] {
                for change in [
                    ["code_challenge": nil], ["code_challenge_method": nil], ["code_challenge_method": "plain"],
                    ["code_challenge": "short"],
                ] as [[String: String?]] {
                    let reply = try await browser.authorize(client, change)
                    #expect(reply.answer["error"] == "invalid_request", "\(client) \(change)")
                }
            }
            let left = try await server.redeem(browser.code(), ["code_verifier": nil])
            #expect(left.json["error"] == "invalid_grant")
            let short = try await server.redeem(browser.code(), ["code_verifier": "short"])
            #expect(short.json["error"] == "invalid_request")
        }
    }

    @Test
    func `A code is good once, for its application alone (section 4.5)`() async throws {
        try await with { server, browser in
            var browser = browser
            let code = try await browser.code()
            #expect(try await server.redeem(code, client: "dev-web").json["error"] == "invalid_grant")
            let own = try await browser.code()
            let tokens = try await server.redeem(own)
            #expect(tokens.status == 200)
            #expect(try await server.redeem(own).json["error"] == "invalid_grant")
            #expect(try await server.userInfo(tokens.json["access_token"]).status == 401)
        }
    }

    @Test
    func `Every answer says whose it is (RFC 9207)`() async throws {
        try await with { _, browser in
            var browser = browser
            let good = try await browser.authorize()
            #expect(good.answer["code"] != nil && good.answer["iss"] == "http://127.0.0.1:8080")
            for change in [["scope": "none"], ["response_type": "token"], ["prompt": "none login"]] {
                let reply = try await browser.authorize("dev-native", change)
                #expect(reply.answer["error"] != nil && reply.answer["iss"] == "http://127.0.0.1:8080", "\(change)")
            }
        }
    }

    /// Keycloak CVE-2026-7571 (keycloak#49110).
    @Test(arguments: ["token", "id_token", "code id_token", "code token", "id_token token", "none", "CODE", "code "])
    func `There is no implicit and no hybrid flow (section 2.1.2, CVE-2026-7571)`(type: String) async throws {
        try await with { server, browser in
            var browser = browser
            let reply = try await browser.authorize("dev-native", ["response_type": type])
            #expect(reply.answer["error"] == "unsupported_response_type")
            #expect(
                reply.answer["access_token"] == nil && reply.answer["id_token"] == nil && reply.answer["code"] == nil)
            let metadata = try await server.send(.get, "/.well-known/openid-configuration").json
            #expect(metadata["response_types_supported"] == ["code"])
        }
    }

    @Test
    func `An application of a kind has no password grant (section 2.4)`() async throws {
        try await with { server, _ in
            for grant in ["password", "http://auth0.com/oauth/grant-type/password-realm", "implicit"] {
                let reply = try await server.form(
                    "/oauth/token",
                    [
                        "grant_type": grant, "client_id": "dev-native", "username": "ada@example.org",
                        "password": TestServer.password, "scope": "openid",
                    ])
                #expect(reply.status == 400 && reply.json["access_token"] == .null, "\(grant) \(reply.text)")
            }
        }
    }

    @Test
    func `Refresh tokens rotate, and reuse ends the family (section 4.14)`() async throws {
        try await with { server, browser in
            var browser = browser
            let first = try await server.redeem(browser.code()).json
            let second = try await server.refresh(first["refresh_token"]).json
            #expect(second["refresh_token"] != first["refresh_token"])
            try await server.advance(11)
            #expect(try await server.refresh(first["refresh_token"]).status == 400)
            #expect(try await server.refresh(second["refresh_token"]).status == 400)
        }
    }

    @Test
    func `Access tokens are for one audience (section 2.3)`() async throws {
        try await with { server, browser in
            var browser = browser
            let own = try await server.redeem(browser.code()).json["access_token"]
            #expect(own.claims["aud"] == "http://127.0.0.1:8080")
            let api = try await server.redeem(
                browser.code("dev-native", ["scope": "openid api", "resource": "http://127.0.0.1/api"])
            ).json["access_token"]
            #expect(api.claims["aud"] == "http://127.0.0.1/api")
            #expect(try await server.userInfo(api).status == 401)
            let unknown = try await browser.authorize("dev-native", ["resource": "https://evil.example"])
            #expect(unknown.answer["error"] == "invalid_target")
        }
    }

    @Test
    func `No token is taken from or put into an address (section 4.3.2)`() async throws {
        try await with { server, browser in
            var browser = browser
            let token = try await server.redeem(browser.code()).json["access_token"].text ?? ""
            #expect(try await server.send(.get, "/userinfo?access_token=\(token)").status == 401)
            let posted = try await server.form("/userinfo", ["access_token": token])
            #expect(posted.status == 401)
            let fragment = try await browser.authorize("dev-native", ["response_mode": "fragment"])
            #expect(fragment.answer["code"] != nil && fragment.answer["access_token"] == nil)
            for path in ["/oauth/token", "/oauth/introspect", "/oauth/revoke", "/oauth/par", "/bc-authorize"] {
                #expect(try await server.send(.get, "\(path)?token=x").status == 405, "\(path)")
            }
        }
    }

    @Test
    func `Browsers are redirected with 303 (section 4.12)`() async throws {
        try await with { server, browser in
            var browser = browser
            #expect(try await browser.authorize().status == 303)
            var other = Browser(server)
            #expect(try await other.authorize().status == 303)
            let body = Array(Browser.query(Browser.parameters()).utf8)
            let posted = try await server.send(
                .post, "/authorize", headers: [.contentType: "application/x-www-form-urlencoded"], body: body)
            #expect(posted.status == 303)
        }
    }

    @Test
    func `Pages of others read public endpoints and never those that browsers are led to (section 2.6)`() async throws {
        try await with { server, _ in
            let origin: HTTPFields = [.origin: "https://evil.example"]
            for path in [
                "/authorize", "/authorize/continue", "/oidc/logout", "/sign-in", "/sign-in/consent", "/activate",
            ] {
                let reply = try await server.send(.get, path, headers: origin)
                #expect(reply.headers[.accessControlAllowOrigin] == nil, "\(path)")
                #expect(reply.headers[.accessControlAllowCredentials] == nil, "\(path)")
            }
            for path in ["/.well-known/openid-configuration", "/.well-known/jwks.json", "/userinfo"] {
                let reply = try await server.send(.get, path, headers: origin)
                #expect(reply.headers[.accessControlAllowOrigin] != nil, "\(path)")
                #expect(reply.headers[.accessControlAllowCredentials] == nil, "\(path)")
            }
            let token = try await server.form("/oauth/token", ["grant_type": "x"], headers: origin)
            #expect(token.headers[.accessControlAllowOrigin] != nil)
        }
    }

    @Test
    func `No page is shown in a frame (section 4.16)`() async throws {
        try await with { _, browser in
            var browser = browser
            var pages = 0
            for path in ["/authorize?client_id=x", "/sign-in", "/start-again", "/signed-out"] {
                let reply = try await browser.get(path)
                // A redirect shows nothing.
                if reply.status == 303 { continue }
                pages += 1
                let policy = reply.headers[.known("Content-Security-Policy")] ?? ""
                #expect(policy.contains("frame-ancestors 'none'"), "\(path)")
            }
            #expect(pages >= 2)
            let form = try await browser.authorize("dev-native", ["response_mode": "form_post"])
            #expect(form.status == 200)
            #expect(form.headers[.known("Content-Security-Policy")]?.contains("frame-ancestors 'none'") == true)
        }
    }

    @Test
    func `An application's own token is no user's (section 4.15)`() async throws {
        try await with { server, browser in
            let token = try await server.form(
                "/oauth/token", ["grant_type": "client_credentials"], headers: TestServer.devWeb
            ).json["access_token"]
            #expect(token.claims["sub"] == "dev-web" && token.claims["sid"] == .null)
            #expect([401, 403].contains(try await server.userInfo(token).status))
            _ = browser
        }
    }

    @Test
    func `State and nonce come back byte for byte (section 4.7)`() async throws {
        try await with { server, browser in
            var browser = browser
            for value in ["a+b c%2F&=", "ü¥–", String(repeating: "s", count: 512), "<script>"] {
                let reply = try await browser.authorize("dev-native", ["state": value, "nonce": value])
                #expect(reply.answer["state"] == value)
                let tokens = try await server.redeem(try #require(reply.answer["code"]))
                #expect(tokens.json["id_token"].claims["nonce"].text == value)
            }
            let long = String(repeating: "s", count: 2049)
            #expect(try await browser.authorize("dev-native", ["state": long]).answer["state"] == nil)
        }
    }
}

/// Faults of other servers (specification, section 13), each by its report.
@Suite("Known faults of authorization servers")
struct KnownFaultTests {
    private func with(
        _ body: @Sendable @escaping (TestServer, Browser) async throws -> Void
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            try await body(server, browser)
        }
    }

    /// Of two faults of fosite the one took any host for loopback's, the other compared without case. Several `@` are keycloak#49109.
    @Test(arguments: [
        "http://127.0.0.1/callback/..;/x", "http://127.0.0.1@evil.example/callback",
        "http://127.0.0.1/callback@evil.example", "http://a@b@127.0.0.1/callback", "http://127.0.0.1/callback#x",
        "http://127.0.0.1\\@evil.example/callback", "http://127.0.0.1/call.ack", "http://127.0.0.1/*",
        "javascript:alert(1)", "data:text/html,x", "http://127.0.0.1/CALLBACK", "HTTP://127.0.0.1/callback",
        "http://127.0.0.1.evil.example/callback", "http://a@127.0.0.1@evil.example/callback",
    ])
    func
        `Matching of redirect addresses is not fooled: CVE-2023-6291, CVE-2024-8883, CVE-2026-3872, CVE-2026-7504, CVE-2024-52289, CVE-2020-15233, CVE-2020-15234, CVE-2026-67333, GHSA-9h33-g3ww-mqff`(
            uri: String
        ) async throws
    {
        try await with { _, browser in
            for prompt in ["none", "login", "create", nil] as [String?] {
                var browser = browser
                let reply = try await browser.authorize("dev-native", ["redirect_uri": uri, "prompt": prompt])
                #expect(reply.status == 400 && reply.location == nil, "\(uri)")
                #expect(!reply.text.contains("href=\"\(uri)"))
            }
        }
    }

    /// GHSA-2wvm-8mvp-22qv and doorkeeper-openid_connect#61 are about `prompt=none`.
    @Test(
        arguments: [
            ["prompt": "none"], ["response_type": "token"], ["scope": "none"], ["code_challenge": nil],
            ["request": "x"], ["resource": "https://evil.example"], ["claims": "["],
        ] as [[String: String?]])
    func
        `Nothing wrong is told to an unchecked address: CVE-2026-41479, CVE-2026-44681, GHSA-2wvm-8mvp-22qv`(
            change: [String: String?]
        ) async throws
    {
        try await with { _, browser in
            var browser = browser
            let evil = change.merging(["redirect_uri": "https://evil.example/cb"]) { $1 }
            let reply = try await browser.authorize("dev-native", evil)
            #expect(reply.status == 400 && reply.location == nil)
        }
    }

    @Test
    func `A proof key cannot be left out: CVE-2023-48228, CVE-2024-23647, CVE-2024-22258, CVE-2026-123542`()
        async throws
    {
        try await with { server, browser in
            var browser = browser
            let code = try await browser.code()
            #expect(try await server.redeem(code, ["code_verifier": ""]).json["error"] == "invalid_grant")
            #expect(try await server.redeem(code).json["error"] == "invalid_grant", "A wrong try used it up.")
        }
    }

    @Test
    func `A wrong verifier uses a code up, and short ones are refused: CVE-2026-41213`() async throws {
        try await with { server, browser in
            var browser = browser
            let code = try await browser.code()
            let wrong = String(repeating: "x", count: 43)
            #expect(try await server.redeem(code, ["code_verifier": wrong]).json["error"] == "invalid_grant")
            #expect(try await server.redeem(code).json["error"] == "invalid_grant")
        }
    }

    @Test
    func `Handles of one kind are none of another: CVE-2026-16089, CVE-2026-4282`() async throws {
        try await with { server, browser in
            var browser = browser
            let code = try await browser.code()
            let tokens = try await server.redeem(browser.code()).json
            let device =
                try await server.form(
                    "/oauth/device/code", ["client_id": "dev-native", "scope": "openid"]
                ).json["device_code"].text ?? ""
            let pushed = try await server.form("/oauth/par", Browser.parameters()).json["request_uri"].text ?? ""
            let refresh = tokens["refresh_token"].text ?? ""
            for other in [device, pushed, refresh, tokens["access_token"].text ?? ""] {
                #expect(try await server.redeem(other).json["error"] == "invalid_grant")
            }
            for other in [code, device, pushed] {
                #expect(try await server.refresh(.string(other)).json["error"] == "invalid_grant")
            }
            for other in [code, pushed, refresh] {
                let reply = try await server.form(
                    "/oauth/token",
                    [
                        "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "dev-native",
                        "device_code": other,
                    ])
                #expect(reply.json["error"] == "invalid_grant")
            }
            for other in [code, device, refresh] {
                let reply = try await browser.get(
                    "/authorize?\(Browser.query(["client_id": "dev-native", "request_uri": other]))")
                #expect(reply.status == 400)
            }
        }
    }

    @Test
    func `An assertion that is none is refused at each endpoint`() async throws {
        try await with { server, _ in
            for endpoint in ["/oauth/token", "/oauth/introspect", "/oauth/par"] {
                let reply = try await server.form(
                    endpoint,
                    [
                        "client_assertion": "e30.e30.e30", "token": "x", "grant_type": "client_credentials",
                        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    ])
                #expect(reply.status == 401 && reply.json["error"] == "invalid_client", "\(endpoint)")
            }
        }
    }

    @Test
    func `An application in the header and another in the body are refused: CVE-2026-118669`() async throws {
        try await with { server, _ in
            for fields in [
                ["client_id": "dev-native"], ["client_id": "dev-web", "client_secret": "dev-web-secret"],
                ["client_secret": "dev-web-secret"],
            ] {
                let reply = try await server.form(
                    "/oauth/token", fields.merging(["grant_type": "client_credentials"]) { $1 },
                    headers: TestServer.devWeb)
                #expect(reply.status == 401 && reply.json["error"] == "invalid_client", "\(fields)")
                #expect(reply.headers[.wwwAuthenticate] == "Basic realm=\"countersign\"")
            }
        }
    }

    @Test
    func `A disabled user's grants end: CVE-2025-64521`() async throws {
        try await with { server, browser in
            var browser = browser
            let tokens = try await server.redeem(browser.code()).json
            var change = AccountChange()
            change.isDisabled = true
            let user = try #require(browser.session).userID
            for isDisabled in [true, false] {
                change.isDisabled = isDisabled
                _ = try await server.realm.accounts.change(user, change, by: .testAdministrator)
                #expect(try await server.refresh(tokens["refresh_token"]).status == 400)
                #expect(try await server.userInfo(tokens["access_token"]).status == 401)
                #expect(
                    try await browser.authorize("dev-native", ["prompt": "none"]).answer["error"] == "login_required")
            }
        }
    }

    @Test
    func `No address of a request is fetched: CVE-2020-10770, CVE-2026-1180`() async throws {
        try await with { _, browser in
            var browser = browser
            for (uri, code) in [
                ("http://127.0.0.1:1/x", "request_uri_not_supported"),
                ("https://evil.example/request", "request_uri_not_supported"),
                ("urn:ietf:params:oauth:request_uri:x", "invalid_request_uri"),
            ] {
                for language in ["en", "de", "ja"] {
                    let query = Browser.query(
                        Browser.parameters("dev-native", ["request_uri": uri, "lang": language]))
                    let reply = try await browser.get("/authorize?\(query)")
                    #expect(reply.status == 400 && reply.location == nil)
                    // Its developers read the standard's word (OpenID Connect Core 1.0, section 3.1.2.6).
                    #expect(reply.text.contains(code) && !reply.text.contains("evil"), "\(uri): \(reply.text)")
                }
            }
        }
    }

    @Test
    func `A grant that is not registered is refused: CVE-2026-75866`() async throws {
        try await with { server, browser in
            var browser = browser
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .testAdministrator) {
                $0.oauth.grantTypes = ["urn:ietf:params:oauth:grant-type:device_code"]
            }
            #expect(try await browser.authorize().answer["error"] == "unauthorized_client")
            for grant in ["authorization_code", "refresh_token", "client_credentials"] {
                let reply = try await server.form(
                    "/oauth/token",
                    ["grant_type": grant, "client_id": "dev-native", "code": "x", "refresh_token": "x"])
                #expect(reply.status == 400 && reply.json["access_token"] == .null, "\(grant)")
            }
        }
    }

    @Test
    func `Another application's question about a token says no more than that: CVE-2021-32701`() async throws {
        try await with { server, browser in
            var browser = browser
            let token = try await server.redeem(browser.code()).json["access_token"].text ?? ""
            let reply = try await server.form("/oauth/introspect", ["token": token], headers: TestServer.devWeb)
            #expect(reply.json == ["active": false])
        }
    }

    @Test
    func `A flow that another browser began leads nowhere: CVE-2026-7507`() async throws {
        try await with { server, browser in
            var attacker = Browser(server)
            let begun = try await attacker.authorize()
            let flow = try #require(begun.answer["flow"])
            var victim = browser
            let reply = try await victim.get("/authorize/continue?flow=\(flow)")
            #expect(reply.location == "/start-again" && reply.answer["code"] == nil)
        }
    }

    @Test
    func
        `A scope that was taken from an application is refreshed no more, and a removed application's tokens end: CVE-2026-75866`()
        async throws
    {
        try await with { server, browser in
            var browser = browser
            let id = ClientID(rawValue: "dev-native")
            let before = try #require(await server.realm.applications.application(id)).registration
            let tokens = try await server.redeem(
                browser.code("dev-native", ["scope": "openid email offline_access"])
            ).json
            _ = try await server.realm.applications.change(id, by: .testAdministrator) {
                $0.scopes = ["openid", "offline_access"]
            }
            let narrow = try await server.refresh(tokens["refresh_token"]).json
            #expect(narrow["scope"] == "openid offline_access")
            #expect(try await server.realm.applications.remove(id, by: .testAdministrator))
            #expect(try await server.userInfo(narrow["access_token"]).status == 401)
            try await server.advance(1)
            try await server.add("dev-native", before)
            #expect(try await server.refresh(narrow["refresh_token"]).json["error"] == "invalid_grant")
            #expect(try await server.userInfo(narrow["access_token"]).status == 401)
        }
    }

    @Test
    func `A method that needs credentials admits no application without any: CVE-2026-75866`() async throws {
        try await with { server, _ in
            for method in [ClientAuthenticationMethod.secretBasic, .secretPost, .privateKeyJWT] {
                var registration = ApplicationRegistration(redirectURIs: [Browser.callback], scopes: ["openid"])
                registration.oauth.authMethod = method
                try await server.add("bare-\(method.rawValue)", registration)
                for secret in [nil, "x"] as [String?] {
                    var fields = [
                        "grant_type": "authorization_code", "code": "x", "client_id": "bare-\(method.rawValue)",
                    ]
                    fields["client_secret"] = secret
                    #expect(try await server.form("/oauth/token", fields).status == 401, "\(method)")
                }
            }
        }
    }
}
