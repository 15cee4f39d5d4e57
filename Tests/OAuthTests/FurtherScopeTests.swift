import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// What applications that registered themselves may ask for beyond the scopes that they registered (RFC 7591, section 2; the step-up of
/// the Model Context Protocol).
@Suite("Scopes beyond a registration")
struct FurtherScopeTests {
    private static let device = "urn:ietf:params:oauth:grant-type:device_code"
    private static let native: JSON = [
        "redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none", "client_name": "Agent",
        "grant_types": ["authorization_code", "refresh_token"], "scope": "openid notes:read offline_access",
    ]

    private static func with(
        resources: [String]? = [SelfRegistrationTests.notes], _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            try await server.addNotes()
            let other = Resource(uri: "https://other.example", scopes: [.init(name: "secrets")])
            #expect(try await server.realm.resources.put(other, by: .testAdministrator) == .done)
            try await server.setRegistration("open", resources: resources)
            try await body(server)
        }
    }

    private static func added(
        _ server: TestServer, _ metadata: JSON = native, token: String? = nil
    ) async throws -> JSON {
        let reply = try await server.register(metadata, token: token)
        #expect(reply.status == 201, "\(reply.text)")
        return reply.json
    }

    /// Which scopes the user is asked for; nil where no page asks.
    private func asked(_ server: TestServer, _ id: String, _ scope: String) async throws -> [String]? {
        var browser = Browser(server)
        try await browser.signIn()
        let begun = try await browser.authorize(id, ["scope": scope])
        guard let location = begun.location, location.hasPrefix("/sign-in/consent?flow=") else { return nil }
        let key = try #require(BrowserKey(cookie: browser.cookies["__Host-cs_browser"] ?? ""))
        let handle = FlowHandle(String(location.dropFirst("/sign-in/consent?flow=".count)))
        let pending = try await server.realm.authorizations.pending(handle, in: key)
        return try #require(pending).request.scopes
    }

    @Test
    func `An agent registers for one scope, is told of another by the API, and gets it where its user allows it`()
        async throws
    {
        try await Self.with { server in
            let own = try await Self.added(server)
            let id = try #require(own["client_id"].text)
            #expect(own["scope"] == "openid notes:read offline_access")
            let first = try await server.use(id, scope: "openid notes:read offline_access")
            #expect(first["scope"] == "openid notes:read offline_access", "\(first)")
            // The API answered 403 with insufficient_scope: what was allowed before says nothing of the other scope.
            let all = "openid notes:read notes:write offline_access"
            var browser = Browser(server)
            try await browser.signIn()
            let silent = try await browser.authorize(id, ["scope": all, "prompt": "none"])
            #expect(silent.answer["error"] == "consent_required", "\(silent.location ?? silent.text)")
            let second = try await server.use(id, scope: all)
            #expect(second["scope"].text == all && second["access_token"].claims["scope"].text == all, "\(second)")
            let renewed = try await server.refresh(second["refresh_token"], ["client_id": id])
            #expect(renewed.json["scope"].text == all, "\(renewed.text)")
            // The registration is what it was.
            let headers: HTTPFields = [.authorization: "Bearer \(own["registration_access_token"].text ?? "")"]
            let shown = try await server.send(.get, "/oidc/register/\(id)", headers: headers)
            #expect(shown.json["scope"] == own["scope"], "\(shown.text)")
        }
    }

    @Test
    func `A pushed request may name another scope, too`() async throws {
        try await Self.with { server in
            let id = try #require(try await Self.added(server)["client_id"].text)
            let scope = "openid notes:write"
            let pushed = try await server.form("/oauth/par", Browser.parameters(id, ["scope": scope]))
            #expect(pushed.status == 201, "\(pushed.text)")
            var browser = Browser(server)
            try await browser.signIn()
            let query = Browser.query(["client_id": id, "request_uri": pushed.json["request_uri"].text ?? ""])
            #expect(try await browser.get("/authorize?\(query)").location?.hasPrefix("/sign-in/consent") == true)
        }
    }

    @Test
    func `No user is asked for this server's own scopes, or for those of an API that is not open to applications`()
        async throws
    {
        try await Self.with { server in
            let id = try #require(try await Self.added(server)["client_id"].text)
            for scope in [
                "admin", "account", "groups", "roles", "read:me:authentication_methods", "secrets", "made-up",
            ] {
                #expect(try await asked(server, id, "openid \(scope)") == ["openid"], "\(scope)")
            }
            #expect(try await asked(server, id, "email phone notes:write") == ["email", "phone", "notes:write"])
        }
        try await Self.with(resources: nil) { server in
            let metadata = Self.native.with(["scope": "openid"])
            let id = try #require(try await Self.added(server, metadata)["client_id"].text)
            #expect(try await asked(server, id, "openid notes:read") == ["openid"])
        }
    }

    @Test
    func `The scopes of an initial access token are the most that its application asks for`() async throws {
        try await Self.with(resources: nil) { server in
            let allowance = RegistrationAllowance(resources: [SelfRegistrationTests.notes], scopes: ["notes:read"])
            let token = try await server.initialToken(allowance: allowance).text
            let own = try await Self.added(server, Self.native.with(["scope": "openid"]), token: token)
            let id = try #require(own["client_id"].text)
            #expect(try await asked(server, id, "openid notes:read notes:write") == ["openid", "notes:read"])
        }
    }

    @Test
    func `What an administrator took away or wrote holds, for requests, for tokens that are out and for replacements`()
        async throws
    {
        try await Self.with { server in
            let own = try await Self.added(server)
            let (id, all) = (try #require(own["client_id"].text), "openid notes:read notes:write offline_access")
            let tokens = try await server.use(id, scope: all)
            _ = try await server.realm.applications.change(ClientID(rawValue: id), by: .testAdministrator) {
                // The same that it has: it is held to them nevertheless.
                $0.setScopes(["openid", "notes:read", "offline_access"])
            }
            #expect(try await asked(server, id, all + " email") == nil, "What is left was allowed before.")
            let renewed = try await server.refresh(tokens["refresh_token"], ["client_id": id])
            #expect(renewed.json["scope"] == "openid notes:read offline_access", "\(renewed.text)")
            let headers: HTTPFields = [
                .authorization: "Bearer \(own["registration_access_token"].text ?? "")",
                .contentType: "application/json",
            ]
            let body = Self.native.with(["client_id": .string(id), "scope": .string(all + " email")])
            let put = try await server.send(.put, "/oidc/register/\(id)", headers: headers, body: body.bytes)
            #expect(put.json["scope"] == "openid notes:read offline_access", "\(put.text)")
            _ = try await server.realm.applications.change(ClientID(rawValue: id), by: .testAdministrator) {
                $0.scopes.append("email")
            }
            #expect(
                try await asked(server, id, all + " email") == ["openid", "notes:read", "offline_access", "email"])
        }
    }

    @Test
    func `Where no consent page asks a user, an application has what it registered and no more`() async throws {
        try await Self.with { server in
            let allowance = RegistrationAllowance(
                grantTypes: ["client_credentials", Self.device], resources: [SelfRegistrationTests.notes])
            let token = try await server.initialToken(allowance: allowance).text
            let own = try await Self.added(
                server,
                Self.native.with([
                    "grant_types": ["authorization_code", "client_credentials", .string(Self.device)],
                    "token_endpoint_auth_method": "client_secret_basic", "scope": "openid notes:read",
                ]), token: token)
            let basic = HTTPFields.basic(try #require(own["client_id"].text), own["client_secret"].text ?? "")
            let itself = try await server.form(
                "/oauth/token", ["grant_type": "client_credentials", "scope": "notes:read notes:write"],
                headers: basic)
            #expect(itself.json["scope"] == "notes:read", "\(itself.text)")
            let more = try await server.form(
                "/oauth/token", ["grant_type": "client_credentials", "scope": "notes:write"], headers: basic)
            #expect(more.json["error"] == "invalid_scope", "\(more.text)")
            let begun = try await server.form("/oauth/device/code", ["scope": "notes:write"], headers: basic)
            #expect(begun.json["error"] == "invalid_scope", "\(begun.text)")
        }
    }

    @Test
    func `An administrator's application asks for nothing that it does not have, whatever its users say`() async throws
    {
        try await Self.with { server in
            var registration = ApplicationRegistration(
                redirectURIs: [Browser.callback], scopes: ["openid", "notes:read"])
            registration.oauth = OAuthRegistration(kind: .native)
            registration.oauth.resources = [SelfRegistrationTests.notes]
            try await server.add("shop", registration)
            #expect(try await asked(server, "shop", "openid email notes:write") == ["openid"])
        }
    }
}
