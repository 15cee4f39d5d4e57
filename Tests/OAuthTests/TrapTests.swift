import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Faults of other servers that show after a restart, in whom an assertion is for, at a change of a registration, on the way out, or in
/// what users say of themselves (specification, section 13, numbers 5, 7, 8, 11 and 12).
@Suite("Known faults: restarts, assertions, registrations, the way out, claims")
struct TrapTests {
    // MARK: 5

    /// What was used before a restart.
    private struct Used: Sendable {
        var refreshTokens: [JSON]
        var accessToken: JSON
        var code: String
        var assertion: String
        var requestURI: String
    }

    private static let key = P256.Signing.PrivateKey()

    private static var jwk: JSON {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            "kty": "EC", "crv": "P-256", "x": .string(point[..<32].base64URL), "y": .string(point[32...].base64URL),
        ]
    }

    private static func signed(_ header: JSON, _ claims: JSON) throws -> String {
        let input = "\(header.bytes.base64URL).\(claims.bytes.base64URL)"
        return "\(input).\(Array(try key.signature(for: Data(input.utf8)).rawRepresentation).base64URL)"
    }

    private static func clientCredentials(_ server: TestServer, _ assertion: String) async throws -> Reply {
        try await server.form(
            "/oauth/token",
            [
                "grant_type": "client_credentials", "client_assertion": assertion,
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ])
    }

    private static func pushed(_ browser: inout Browser, _ uri: String) async throws -> Reply {
        try await browser.get("/authorize?\(Browser.query(["client_id": "dev-native", "request_uri": uri]))")
    }

    @Test
    func `A server that starts anew knows what was rotated and used up: CVE-2026-1035, CVE-2026-9802`() async throws {
        try await TestServer.withRestart { server -> Used in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            var registration = ApplicationRegistration(scopes: ["api"])
            registration.assertionKeys = try AssertionKey.keys(
                ofJWKS: JSONParser.parse(JSON.object(["keys": .array([Self.jwk])]).bytes))
            registration.oauth.kind = .service
            registration.oauth.authMethod = .privateKeyJWT
            try await server.add("robot", registration)

            let code = try await browser.code()
            let first = try await server.redeem(code).json
            let second = try await server.refresh(first["refresh_token"]).json
            let third = try await server.refresh(second["refresh_token"]).json
            #expect(third["refresh_token"].text != nil)

            let now = Int(server.now.timeIntervalSince1970)
            let assertion = try Self.signed(
                ["alg": "ES256", "typ": "JWT"],
                [
                    "iss": "robot", "sub": "robot", "aud": "http://127.0.0.1:8080", "jti": "once",
                    "exp": .integer(now + 300),
                ])
            #expect(try await Self.clientCredentials(server, assertion).status == 200)

            let push = try await server.form("/oauth/par", Browser.parameters())
            let uri = try #require(push.json["request_uri"].text, "\(push.text)")
            #expect(try await Self.pushed(&browser, uri).answer["code"] != nil)

            let tokens = try await server.refresh(third["refresh_token"]).json
            #expect(tokens["refresh_token"].text != nil)
            return Used(
                refreshTokens: [first, second, third].map { $0["refresh_token"] } + [tokens["refresh_token"]],
                accessToken: tokens["access_token"], code: code, assertion: assertion, requestURI: uri)
        } after: { server, used in
            var browser = Browser(server)
            try await browser.signIn()
            #expect(try await Self.clientCredentials(server, used.assertion).json["error"] == "invalid_client")
            let pushed = try await Self.pushed(&browser, used.requestURI)
            #expect(pushed.status == 400 && pushed.location == nil)
            #expect(try await server.userInfo(used.accessToken).status == 200)
            // The last refresh token is good; one that was traded long ago ends the grant with all that came of it.
            let last = try await server.refresh(used.refreshTokens[3]).json["refresh_token"]
            #expect(last.text != nil)
            server.clock.advance(61)
            #expect(try await server.refresh(used.refreshTokens[1]).json["error"] == "invalid_grant")
            #expect(try await server.refresh(last).json["error"] == "invalid_grant")
            #expect(try await server.userInfo(used.accessToken).status == 401)
            #expect(try await server.redeem(used.code).json["error"] == "invalid_grant")
        }
    }

    // MARK: 7

    /// What an assertion may say whom it is for, by the reason why it is refused.
    private static let audiences: [(String, JSON)] = [
        ("the token endpoint", "http://127.0.0.1:8080/oauth/token"), ("another server", "https://elsewhere.example"),
        ("a slash more", "http://127.0.0.1:8080/"), ("none", .null), ("no text", 1), ("nothing in it", .array([])),
        ("the issuer and another", ["http://127.0.0.1:8080", "https://elsewhere.example"]),
        ("the issuer and its endpoint", ["http://127.0.0.1:8080", "http://127.0.0.1:8080/oauth/token"]),
        ("the issuer twice", ["http://127.0.0.1:8080", "http://127.0.0.1:8080"]),
    ]

    @Test(arguments: audiences.indices)
    func `An assertion is for this issuer alone: CVE-2025-27370, CVE-2025-27371, DuendeSoftware/foss#307`(
        place: Int
    ) async throws {
        let (name, audience) = Self.audiences[place]
        try await TestServer.with(.development) { server in
            var registration = ApplicationRegistration(scopes: ["api"])
            registration.assertionKeys = try AssertionKey.keys(
                ofJWKS: JSONParser.parse(JSON.object(["keys": .array([Self.jwk])]).bytes))
            registration.oauth.kind = .service
            registration.oauth.authMethod = .privateKeyJWT
            try await server.add("robot", registration)
            func ask(_ audience: JSON, _ id: String) async throws -> Reply {
                let claims: JSON = [
                    "iss": "robot", "sub": "robot", "jti": .string(id), "aud": audience,
                    "exp": .integer(Int(server.now.timeIntervalSince1970) + 60),
                ]
                return try await Self.clientCredentials(server, Self.signed(["alg": "ES256", "typ": "JWT"], claims))
            }
            let refused = try await ask(audience, "refused")
            #expect(refused.status == 401 && refused.json["error"] == "invalid_client", "\(name): \(refused.text)")
            // Nothing else is wrong with it.
            for (number, good) in (["http://127.0.0.1:8080", ["http://127.0.0.1:8080"]] as [JSON]).enumerated() {
                #expect(try await ask(good, "good \(number)").status == 200)
            }
        }
    }

    // MARK: 8

    private func change(_ server: TestServer, _ registration: JSON) async throws -> Reply {
        try await server.send(
            .post, "/admin/v1/applications:set",
            headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
            body: JSON.object(["id": "dev-web", "registration": registration]).bytes)
    }

    @Test
    func `A registration is judged at each change as if it were new: CVE-2026-15572`() async throws {
        try await TestServer.with(.development) { server in
            let id = ClientID(rawValue: "dev-web")
            let before = try await server.realm.applications.application(id)
            let hostile: [JSON] = [
                "javascript:alert(1)", "data:text/html,x", "http://evil.example/", "https://evil.example/#x",
                "https://a@evil.example/", "https://evil.example/..;/x", "https://evil.example/*", "app:x",
                "//evil.example",
            ]
            for uri in hostile {
                for change in [
                    ["redirectURIs": .array([uri])], ["postLogoutRedirectURIs": .array([uri])],
                    ["backchannelLogoutURI": uri], ["jwksURI": uri], ["initiateLoginURI": uri], ["clientURI": uri],
                    ["policyURI": uri], ["termsURI": uri],
                ] as [JSON] {
                    let reply = try await self.change(server, change)
                    #expect(reply.status == 400, "\(change): \(reply.text)")
                }
            }
            for change in [
                ["grantTypes": .array(["password"])], ["grantTypes": .array(["implicit"])], ["kind": "browser"],
                ["authMethod": "private_key_jwt"], ["authMethod": "none"], ["resources": .array(["not a uri"])],
                ["idTokenAlgorithm": "none"], ["idTokenAlgorithm": "HS256"],
                ["initiateLoginURI": "com.example.app:/begin"],
            ] as [JSON] {
                let reply = try await self.change(server, change)
                #expect(reply.status == 400, "\(change): \(reply.text)")
            }
            #expect(try await server.realm.applications.application(id) == before, "Nothing was changed.")
            let good = try await change(server, ["initiateLoginURI": "https://shop.example.com/begin"])
            #expect(good.status == 200, "\(good.text)")
            #expect(good.json["application"]["oauth"]["initiateLoginURI"] == "https://shop.example.com/begin")
        }
    }

    // MARK: 11

    @Test(arguments: [
        ("https://app.example/cb", "'self' https://app.example"),
        ("https://app.example:8443/cb?a=b", "'self' https://app.example:8443"),
        ("http://127.0.0.1:49152/cb", "'self' http://127.0.0.1:49152"),
        ("com.example.app:/cb", "'self' com.example.app:"), ("http://[::1]:49152/cb", "'self'"),
    ])
    func `The policy of each page of a sign-in names the way out and no other: kanidm#3354, kanidm#2390, hexpm#1413`(
        uri: String, sources: String
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var registration = ApplicationRegistration(redirectURIs: [uri], scopes: ["openid"])
            registration.oauth.kind = .native
            try await server.add("leads-out", registration)
            var browser = Browser(server)
            func policy(_ reply: Reply) throws -> String {
                let policy = try #require(reply.headers[.contentSecurityPolicy])
                let part = policy.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
                return try #require(part.first { $0.hasPrefix("form-action ") })
            }
            let asked = try await browser.authorize("leads-out", ["redirect_uri": uri, "scope": "openid"])
            let page = try await browser.get(try #require(asked.location))
            #expect(try policy(page) == "form-action \(sources)")
            try await browser.signIn()
            let consent = try await browser.get(
                try #require(
                    try await browser.authorize("leads-out", ["redirect_uri": uri, "scope": "openid"]).location))
            #expect(consent.text.contains("data-page=\"consent\""))
            #expect(try policy(consent) == "form-action \(sources)")
            // A page of no application's request leads nowhere else.
            #expect(try policy(try await browser.get("/sign-out")) == "form-action 'self'")
        }
    }

    // MARK: 12

    @Test
    func `A user cannot say that an address is verified, and says nothing of who the user is: CVE-2026-27946`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let made = try await server.post(
                "/v1/accounts:signUp",
                [
                    "email": "eve@example.org", "password": .string(TestServer.password), "returnSecureToken": true,
                    "emailVerified": true, "localId": "chosen",
                ])
            // What users must not say is refused or left aside.
            if made.status != 200 {
                let plain = try await server.post(
                    "/v1/accounts:signUp",
                    ["email": "eve@example.org", "password": .string(TestServer.password), "returnSecureToken": true])
                #expect(plain.status == 200, "\(plain.text)")
            }
            let address = try #require(EmailAddress("eve@example.org"))
            let user = try #require(await server.realm.accounts.user(email: address))
            #expect(!user.profile.emailVerified && user.id.rawValue != "chosen")
            let signedIn = try await server.post(
                "/v1/accounts:signInWithPassword",
                ["email": "eve@example.org", "password": .string(TestServer.password), "returnSecureToken": true])
            for body in [
                ["emailVerified": true], ["customAttributes": #"{"email_verified":true,"sub":"chosen"}"#],
                ["localId": "chosen"],
            ] as [JSON] {
                _ = try await server.post(
                    "/v1/accounts:update", body.with(["idToken": signedIn.json["idToken"]]))
            }
            var browser = Browser(server)
            try await browser.signIn("eve@example.org")
            let tokens = try await server.redeem(
                browser.code("dev-native", ["scope": "openid email"])
            ).json
            let info = try await server.userInfo(tokens["access_token"]).json
            #expect(info["email_verified"] == false && info["sub"].text == user.id.rawValue, "\(info)")
            #expect(tokens["id_token"].claims["sub"].text == user.id.rawValue)
        }
    }

    @Test
    func `An account that takes the address of one that was deleted is another subject`() async throws {
        try await TestServer.with(.development) { server in
            let former = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            var browser = Browser(server)
            try await browser.signIn()
            let tokens = try await server.redeem(browser.code()).json
            #expect(try await server.realm.accounts.delete(former, by: .testAdministrator))
            let present = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            #expect(former != present)
            #expect(try await server.userInfo(tokens["access_token"]).status == 401)
            #expect(try await server.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant")
            var again = Browser(server)
            try await again.signIn()
            let subject = try await server.redeem(again.code()).json["id_token"].claims["sub"].text
            #expect(subject == present.rawValue)
            // What the application kept of the former user asks for that one, and not for the present one.
            for prompt in [nil, "none"] {
                let hinted = try await again.authorize(
                    "dev-native", ["id_token_hint": tokens["id_token"].text, "prompt": prompt])
                #expect(hinted.answer["error"] == "login_required", "\(hinted.location ?? hinted.text)")
            }
        }
    }
}
