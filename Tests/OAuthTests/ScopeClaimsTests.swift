import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Custom claims and attributes that scopes of APIs open (`docs/decisions/0432`).
@Suite("Claims that scopes open")
struct ScopeClaimsTests {
    private static let api = "https://crm.example"

    /// A user with claims and attributes, and an API whose scopes open some of them to `dev-native`, or to `dev-web`.
    private func prepare(
        _ server: TestServer, claims: [String]? = ["plan", "https://crm.example/tier", "attributes.city"],
        format: Resource.TokenFormat? = nil
    ) async throws {
        let id = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
        var change = AccountChange()
        change.customClaims = [
            "plan": "gold", "https://crm.example/tier": .integer(3), "secret": "s", "sub": "other",
            "email": "root@example.org",
        ]
        change.attributes = ["city": "Köln", "plan": "self-made", "age": .integer(36)]
        guard case .changed = try await server.realm.accounts.change(id, change, by: .testAdministrator) else {
            Issue.record("The user was not changed.")
            return
        }
        let resource = Resource(
            uri: Self.api, scopes: [.init(name: "crm", claims: claims), .init(name: "crm:write")],
            owner: ClientID(rawValue: "dev-web"), tokenFormat: format)
        #expect(try await server.realm.resources.put(resource, by: .testAdministrator) == .done)
        for client in ["dev-native", "dev-web"] {
            _ = try await server.realm.applications.change(ClientID(rawValue: client), by: .testAdministrator) {
                $0.scopes += ["crm", "crm:write"]
                $0.oauth.resources += [Self.api]
            }
        }
    }

    private func tokens(_ server: TestServer, _ changes: [String: String?]) async throws -> JSON {
        var browser = Browser(server)
        try await browser.signIn()
        return try await server.redeem(browser.code("dev-native", changes)).json
    }

    @Test
    func `Discovery names the claims that scopes open, and no attribute`() async throws {
        try await TestServer.with(.development) { server in
            func listed() async throws -> [String] {
                try await server.send(.get, "/.well-known/openid-configuration").json["claims_supported"].elements
                    .compactMap(\.text)
            }
            let before = try await listed()
            #expect(before.contains("email") && !before.contains("plan") && !before.contains("attributes"))
            let claims = ["plan", "https://crm.example/tier", "attributes.city", "attributes.salary", "email"]
            for (uri, names) in [(Self.api, claims), ("https://other.example", ["plan", "a"])] {
                let resource = Resource(uri: uri, scopes: [.init(name: "of:\(names.count)", claims: names)])
                #expect(try await server.realm.resources.put(resource, by: .testAdministrator) == .done)
            }
            #expect(try await listed() == before + ["a", "attributes", "https://crm.example/tier", "plan"])
            // A list that others read at every start has an end.
            for api in 0..<11 {
                let names = (0..<20).map { "z\(api)-\($0)" }
                let resource = Resource(
                    uri: "https://api\(api).example", scopes: [.init(name: "s\(api)", claims: names)])
                #expect(try await server.realm.resources.put(resource, by: .testAdministrator) == .done)
            }
            #expect(try await listed().count == before.count + 200)
        }
    }

    @Test
    func `An access token for the API has what its granted scopes open, and no other token has it`() async throws {
        try await TestServer.with(.development) { server in
            try await prepare(server)
            let told = try await tokens(server, ["scope": "openid crm", "resource": Self.api])
            let claims = told["access_token"].claims
            #expect(claims["plan"] == "gold" && claims["https://crm.example/tier"] == 3, "\(claims)")
            #expect(claims["attributes"] == ["city": "Köln"] && claims["secret"] == .null)
            #expect(claims["sub"] != "other" && claims["email"] == .null)
            #expect(told["id_token"].claims["plan"] == .null)

            let other = try await tokens(server, ["scope": "openid crm:write", "resource": Self.api])
            #expect(
                other["access_token"].claims["plan"] == .null && other["access_token"].claims["attributes"] == .null)
            let own = try await tokens(server, ["scope": "openid crm"])
            #expect(own["access_token"].claims["plan"] == .null, "It is not for the API.")

            // User info tells by the scopes of its token, now and not as of the sign-in.
            let info = try await server.userInfo(own["access_token"]).json
            #expect(info["plan"] == "gold" && info["attributes"] == ["city": "Köln"] && info["secret"] == .null)
            let less = try await server.userInfo(try await tokens(server, ["scope": "openid"])["access_token"]).json
            #expect(less["plan"] == .null && less["attributes"] == .null, "\(less)")
        }
    }

    @Test
    func `An ID token has what it asks for by name, and a third party nothing that no scope of the grant opens`()
        async throws
    {
        try await TestServer.with(.development) { server in
            try await prepare(server)
            let asked =
                #"{"id_token":{"plan":null,"attributes":null,"secret":null,"email":null},"userinfo":{"plan":null}}"#
            let told = try await tokens(server, ["scope": "openid crm", "claims": asked])
            let claims = told["id_token"].claims
            #expect(claims["plan"] == "gold" && claims["attributes"] == ["city": "Köln"], "\(claims)")
            #expect(claims["secret"] == .null && claims["email"] != "root@example.org")

            // The operator's own application may ask for what its scopes would open, another party's for what its user allowed.
            let own = try await tokens(server, ["scope": "openid", "claims": asked])
            #expect(own["id_token"].claims["plan"] == "gold")
            var browser = Browser(server)
            try await browser.signIn()
            let consent = try await browser.authorize("dev-web", ["scope": "openid", "claims": asked])
            let flow = try #require(consent.answer["flow"])
            let key = try #require(BrowserKey(cookie: browser.cookies["__Host-cs_browser"] ?? ""))
            #expect(
                try await server.realm.authorizations.answer(
                    .allow, to: FlowHandle(flow), in: key, session: browser.session?.id, by: .testAdministrator))
            let code = try #require(await browser.get("/authorize/continue?flow=\(flow)").answer["code"])
            let third = try await server.redeem(code, client: "dev-web").json
            #expect(third["id_token"].claims["plan"] == .null && third["id_token"].claims["attributes"] == .null)
            #expect(try await server.userInfo(third["access_token"]).json["plan"] == .null)
        }
    }

    @Test
    func `An API whose tokens are texts without meaning learns the claims where it asks about them`() async throws {
        try await TestServer.with(.development) { server in
            try await prepare(server, format: .opaque)
            let told = try await tokens(server, ["scope": "openid crm", "resource": Self.api])
            let answer = try await server.form(
                "/oauth/introspect", ["token": told["access_token"].text ?? ""], headers: TestServer.devWeb
            ).json
            #expect(answer["active"] == true && answer["plan"] == "gold", "\(answer)")
            #expect(answer["attributes"] == ["city": "Köln"] && answer["secret"] == .null)
        }
    }

    @Test func `Names that mean something are no claims of scopes`() {
        for name in [
            "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "scope", "client_id", "acr", "amr", "auth_time", "cnf",
            "sid",
            "act", "email", "email_verified", "name", "roles", "groups", "entitlements", "azp", "nonce", "at_hash",
            "active", "username", "events", "attributes", "countersign_epoch", "grant", "", "attributes.", "a b",
            "a\"b",
            "ä", "a\u{0}", String(repeating: "a", count: 129),
        ] {
            #expect(!Resource.Scope.isClaim(name), "\(name)")
        }
        for name in ["plan", "https://example.com/plan", "urn:example:tier", "a_b-c.d", "attributes.email"] {
            #expect(Resource.Scope.isClaim(name), "\(name)")
        }
    }

    @Test
    func `Claims of scopes are judged where an API is put, and one that came into the store otherwise is not told`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let operations: [[String: [String]]] = [
                ["crm": ["sub"]], ["other": ["plan"]], ["crm": ["plan plan"]], ["crm": (0...20).map { "claim\($0)" }],
            ]
            for claims in operations {
                let put = PutResource(uri: Self.api, scopes: ["crm"], scopeClaims: claims)
                await #expect(throws: AdministrationError.self, "\(claims)") {
                    try await put.perform(on: server.realm, as: .commandLine, by: .testAdministrator)
                }
            }
            let put = PutResource(
                uri: Self.api, scopes: ["crm"], scopeClaims: ["crm": ["plan", "plan", "attributes.city"]])
            let made = try await put.perform(on: server.realm, as: .commandLine, by: .testAdministrator)
            #expect(made.resource.scopes.first?.claims == ["attributes.city", "plan"])
            try await prepare(server, claims: ["sub", "email", "plan"])
            let told = try await tokens(server, ["scope": "openid crm", "resource": Self.api])["access_token"].claims
            #expect(told["plan"] == "gold" && told["sub"] != "other" && told["email"] == .null, "\(told)")
        }
    }

    @Test func `What has no room is left out, and the rest is there`() {
        var user = User(id: UserID(rawValue: "ada"), email: nil, createdAt: .now)
        user.profile.customClaims = [
            "a": .string(String(repeating: "x", count: 3000)), "b": .string(String(repeating: "y", count: 100)),
            "c": "z",
        ]
        let resource = Resource(uri: Self.api, scopes: [.init(name: "crm", claims: ["a", "b", "c"])])
        #expect(Set([resource].claims(of: user, openedBy: ["crm"]).keys) == ["a", "c"])
        #expect([resource].claims(of: user, openedBy: ["openid"]).isEmpty)
    }
}
