import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Applications whose client id is the address of a document about them, at every endpoint that they come to.
@Suite("Documents of clients at the endpoints")
struct ClientDocumentEndpointTests {
    private static let callback = "http://127.0.0.1/callback"
    private static let device = "urn:ietf:params:oauth:grant-type:device_code"

    /// The site of a client, which publishes one document.
    private struct Site: Sendable {
        let service: ScriptedService
        var id: String { "http://127.0.0.1:\(service.port)/client.json" }

        init() throws { service = try ScriptedService(ScriptedService.json("{}")) }

        func publish(_ changes: [String: JSON?] = [:], cache: String = "max-age=3600") {
            let text = String(decoding: document(changes).bytes, as: UTF8.self)
            service.answers { _ in
                [.send(ScriptedService.answer(200, text, headers: ["Cache-Control: \(cache)"]))]
            }
        }

        func document(_ changes: [String: JSON?] = [:]) -> JSON {
            JSON.object([
                "client_id": .string(id), "client_name": "Notes", "redirect_uris": [.string(callback)],
                "grant_types": ["authorization_code", "refresh_token", .string(device)],
                "token_endpoint_auth_method": "none",
            ]).with(changes)
        }
    }

    private func with(
        _ mode: ClientDocumentMode = .any, _ body: @Sendable @escaping (TestServer, Site) async throws -> Void
    ) async throws {
        let site = try Site()
        defer { site.service.stop() }
        site.publish()
        try await TestServer.with(.development) { server in
            _ = try await server.realm.changeSettings(by: .testAdministrator) { $0.oauth.clientDocuments = mode }
            _ = try await server.addUser()
            try await body(server, site)
        }
    }

    /// Signs in, allows what is asked, and comes back with a code.
    private func code(
        _ server: TestServer, _ browser: inout Browser, _ id: String, _ changes: [String: String?] = [:]
    ) async throws -> String {
        let asked = try await browser.authorize(id, changes)
        let location = try #require(asked.location, "\(asked.status) \(asked.text)")
        #expect(location.hasPrefix("/sign-in/consent?flow="), "\(location)")
        let handle = FlowHandle(String(location.dropFirst("/sign-in/consent?flow=".count)))
        let key = try #require(BrowserKey(cookie: browser.cookies["__Host-cs_browser"] ?? ""))
        let isDone = try await server.realm.authorizations.answer(
            .allow, to: handle, in: key, session: browser.session?.id, by: .testAdministrator)
        #expect(isDone)
        let back = try await browser.get("/authorize/continue?flow=\(handle.token.reveal())")
        return try #require(back.answer["code"], "\(back.status) \(back.location ?? back.text)")
    }

    @Test
    func `A client that publishes its document signs users in, refreshes, asks userinfo and revokes`() async throws {
        try await with { server, site in
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await code(server, &browser, site.id)
            let tokens = try await server.redeem(code, client: site.id).json
            #expect(tokens["access_token"].claims["client_id"] == .string(site.id), "\(tokens)")
            #expect(tokens["id_token"].claims["aud"] == .string(site.id))
            #expect(tokens["id_token"].header["alg"] == "RS256", "The standard's default.")
            #expect(try await server.userInfo(tokens["access_token"]).status == 200)
            let renewed = try await server.refresh(tokens["refresh_token"], ["client_id": site.id])
            #expect(renewed.status == 200, "\(renewed.text)")
            // Allowed once, not asked again.
            #expect(try await browser.authorize(site.id).answer["code"] != nil)
            let revoked = try await server.form(
                "/oauth/revoke", ["token": renewed.json["refresh_token"].text ?? "", "client_id": site.id])
            #expect(revoked.status == 200)
            #expect(try await server.refresh(renewed.json["refresh_token"], ["client_id": site.id]).status == 400)
            #expect(site.service.requests.count == 1, "It was read once.")
            #expect(site.service.requests.first?.line == "GET /client.json HTTP/1.1")
        }
    }

    @Test(arguments: [["grant_types": nil], ["grant_types": .null], ["grant_types": []]] as [[String: JSON?]])
    func `A document without a grant stands for the code's alone`(_ changes: [String: JSON?]) async throws {
        try await with { server, site in
            site.publish(changes)
            var browser = Browser(server)
            try await browser.signIn()
            let tokens = try await server.redeem(code(server, &browser, site.id), client: site.id)
            #expect(tokens.status == 200, "\(tokens.text)")
            let oauth = try await server.realm.applications.registered(ClientID(rawValue: site.id))?.registration.oauth
            #expect(oauth?.grantTypes == ["authorization_code"])
        }
    }

    @Test
    func `What would be undone when a document is read next is refused to administrators, and what they may say stays`()
        async throws
    {
        try await with { server, site in
            var browser = Browser(server)
            _ = try await browser.authorize(site.id)
            func post(_ operation: String, _ body: [String: JSON]) async throws -> Reply {
                try await server.send(
                    .post, "/admin/v1/applications:\(operation)",
                    headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
                    body: JSON.object(body.merging(["id": .string(site.id)]) { $1 }).bytes)
            }
            for change in [
                ["scopes": ["openid"]], ["displayName": "Mine"], ["redirectURIs": ["https://other.example/"]],
                ["isFirstParty": true], ["requiresPAR": true], ["accent": "#8a1c4a"], ["idTokenAlgorithm": "ES256"],
                ["hasSecret": true], ["scopes": ["openid"], "requiresSecondFactor": true],
            ] as [JSON] {
                for isTrial in [true, false] {
                    let reply = try await post("set", ["registration": change, "dryRun": .bool(isTrial)])
                    #expect(reply.json["error"]["code"] == "refused", "\(change): \(reply.status) \(reply.text)")
                    #expect(reply.text.contains("countersign app document block"), "\(reply.text)")
                }
            }
            let logo = try await post("set-logo", ["png": .null])
            #expect(logo.json["error"]["code"] == "refused", "\(logo.text)")
            let id = ClientID(rawValue: site.id)
            #expect(try await server.realm.applications.registered(id)?.registration.requiresSecondFactor == false)
            for change in [
                ["requiresSecondFactor": true, "defaultACR": ["aal2"], "defaultMaxAge": 3600],
                ["ownerNote": "Asked for by sales", "contacts": ["ada@example.org"], "redirectsOn": true],
                // What it says already.
                ["displayName": "Notes", "isFirstParty": false],
            ] as [JSON] {
                let reply = try await post("set", ["registration": change])
                #expect(reply.status == 200, "\(change): \(reply.text)")
            }
            site.publish(["client_name": "Notes 2"])
            try await server.advance(3601)
            _ = try await browser.authorize(site.id)
            let kept = try #require(await server.realm.applications.registered(id)).registration
            #expect(kept.displayName == "Notes 2" && kept.requiresSecondFactor)
            #expect(kept.ownerNote == "Asked for by sales" && kept.contacts == ["ada@example.org"])
            #expect(kept.oauth.defaultACR == ["aal2"] && kept.oauth.defaultMaxAge == 3600)
            #expect(kept.oauth.redirectsOn == true)
        }
    }

    @Test
    func `Such a client pushes requests and begins at devices, where its document is read first`() async throws {
        try await with { server, site in
            let pushed = try await server.form("/oauth/par", Browser.parameters(site.id))
            #expect(pushed.status == 201, "\(pushed.text)")
            var browser = Browser(server)
            try await browser.signIn()
            let query = Browser.query(["client_id": site.id, "request_uri": pushed.json["request_uri"].text ?? ""])
            #expect(try await browser.get("/authorize?\(query)").location?.hasPrefix("/sign-in/consent") == true)
        }
        try await with { server, site in
            let begun = try await server.form("/oauth/device/code", ["client_id": site.id, "scope": "openid"])
            #expect(begun.status == 200, "\(begun.text)")
            let waiting = try await server.form(
                "/oauth/token",
                [
                    "grant_type": Self.device, "device_code": begun.json["device_code"].text ?? "",
                    "client_id": site.id,
                ])
            #expect(waiting.json["error"] == "authorization_pending")
        }
    }

    @Test
    func `A document's keys authenticate its client, and the name alone does not`() async throws {
        try await with { server, site in
            let key = ClientKey()
            site.publish([
                "token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [key.jwk.with(["kid": "1"])]],
            ])
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await code(server, &browser, site.id)
            let header: JSON = ["alg": "ES256", "kid": "1"]
            let now = Int(server.now.timeIntervalSince1970)
            func assertion(_ subject: String) throws -> String {
                let claims: JSON = [
                    "iss": .string(subject), "sub": .string(subject), "aud": "http://127.0.0.1:8080",
                    "jti": .string(UUID().uuidString), "iat": .integer(now), "exp": .integer(now + 60),
                ]
                let input = "\(header.bytes.base64URL).\(claims.bytes.base64URL)"
                return "\(input).\(Array(try key.key.signature(for: Data(input.utf8)).rawRepresentation).base64URL)"
            }
            let proof = try assertion(site.id)
            let fields: [String: String?] = [
                "client_assertion": proof,
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ]
            #expect(try await server.redeem(code, client: site.id).status == 401)
            let tokens = try await server.redeem(code, client: site.id, fields)
            #expect(tokens.status == 200, "\(tokens.text)")
            // It acts for users alone.
            var own = fields.compactMapValues { $0 }
            own["client_assertion"] = try assertion(site.id)
            own["grant_type"] = "client_credentials"
            #expect(try await server.form("/oauth/token", own).json["error"] == "unauthorized_client")
        }
    }

    @Test
    func `Where documents are off, not listed or blocked nothing is fetched, and what was allowed is over`()
        async throws
    {
        for mode in [ClientDocumentMode.off, .listed] {
            try await with(mode) { server, site in
                var browser = Browser(server)
                let reply = try await browser.authorize(site.id)
                #expect(reply.status == 400 && reply.location == nil)
                #expect(try await server.form("/oauth/par", Browser.parameters(site.id)).status == 401)
                #expect(site.service.requests.isEmpty)
                let metadata = try await server.send(.get, "/.well-known/oauth-authorization-server").json
                #expect(metadata["client_id_metadata_document_supported"] == (mode == .off ? .null : true))
            }
        }
        try await with { server, site in
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await code(server, &browser, site.id)
            let tokens = try await server.redeem(code, client: site.id).json
            #expect(try await server.realm.clientDocuments.block(site.id, by: .testAdministrator))
            #expect(try await server.refresh(tokens["refresh_token"], ["client_id": site.id]).status == 401)
            #expect(try await browser.authorize(site.id).status == 400)
        }
    }

    @Test
    func `A document that is none leads to a page of this server, and no code goes to an address that it names`()
        async throws
    {
        try await with { server, site in
            let faults: [[String: JSON?]] = [
                ["client_id": "https://other.example/client.json"], ["client_secret": "x"],
                ["token_endpoint_auth_method": "client_secret_post"],
                ["redirect_uris": ["https://evil.example/callback"]],
                ["redirect_uris": ["javascript:alert(1)"]],
            ]
            for fault in faults {
                site.publish(fault)
                for prompt in ["none", "login", "consent"] {
                    var browser = Browser(server)
                    let reply = try await browser.authorize(
                        site.id, ["prompt": prompt, "redirect_uri": "https://evil.example/callback"])
                    #expect(reply.status == 400 && reply.location == nil, "\(fault)")
                    #expect(!reply.text.contains("evil.example"))
                }
            }
            let other = try ScriptedService(ScriptedService.json("{}"))
            defer { other.stop() }
            for status in [301, 302, 303, 307, 308, 201, 204, 404, 500] {
                site.service.answers { _ in
                    [
                        .send(
                            ScriptedService.answer(status, "{}", headers: ["Location: http://127.0.0.1:\(other.port)/"])
                        )
                    ]
                }
                var browser = Browser(server)
                #expect(try await browser.authorize(site.id).status == 400, "\(status)")
            }
            #expect(other.requests.isEmpty, "No redirect is followed.")
            let long = String(repeating: " ", count: ClientDocuments.longest)
            let text = String(decoding: site.document().bytes, as: UTF8.self) + long
            site.service.answers { _ in [.send(ScriptedService.answer(200, text))] }
            var browser = Browser(server)
            #expect(try await browser.authorize(site.id).status == 400)
            site.publish()
            #expect(try await browser.authorize(site.id).location?.hasPrefix("/sign-in") == true)
        }
    }

    @Test
    func `Scopes of the operator's own and APIs that are not open are never a document's`() async throws {
        try await with { server, site in
            _ = try await server.realm.resources.put(
                Resource(uri: "https://open.example", scopes: [.init(name: "notes")]), by: .testAdministrator)
            var browser = Browser(server)
            try await browser.signIn()
            for scope in ["admin", "account", "api", "notes", "groups"] {
                #expect(
                    try await browser.authorize(site.id, ["scope": scope]).answer["error"] == "invalid_scope",
                    "\(scope)")
            }
            for resource in ["http://127.0.0.1/api", "https://open.example"] {
                let reply = try await browser.authorize(site.id, ["resource": resource])
                #expect(reply.answer["error"] == "invalid_target")
            }
            _ = try await server.realm.changeSettings(by: .testAdministrator) {
                $0.oauth.registrationResources = ["https://open.example"]
            }
            // The registration says it from its next reading on.
            #expect(try await server.realm.clientDocuments.forget(ClientID(rawValue: site.id), by: .testAdministrator))
            let code = try await code(
                server, &browser, site.id, ["scope": "openid notes", "resource": "https://open.example"])
            let token = try await server.redeem(code, client: site.id).json["access_token"]
            #expect(token.claims["aud"] == "https://open.example" && token.claims["scope"] == "openid notes")
        }
    }

    @Test
    func `No other protocol knows an application that no administrator registered`() async throws {
        try await with { server, site in
            var browser = Browser(server)
            _ = try await browser.authorize(site.id)
            #expect(try await server.realm.applications.application(ClientID(rawValue: site.id)) != nil)
            let signIn: [String: String] = [
                "client_id": site.id, "username": "ada@example.org", "password": TestServer.password,
            ]
            for type in ["password", "http://auth0.com/oauth/grant-type/password-realm"] {
                let reply = try await server.form("/oauth/token", signIn.merging(["grant_type": type]) { $1 })
                #expect(reply.json["error"] == "unauthorized_client", "\(reply.text)")
            }
            let native = try await server.form(
                "/tenant/oauth2/v2.0/initiate",
                ["client_id": site.id, "username": "ada@example.org", "challenge_type": "password redirect"])
            #expect(native.status >= 400)
            let challenge = try await server.form("/mfa/challenge", ["client_id": site.id, "mfa_token": "x"])
            #expect(challenge.status >= 400)
            // Under --dev any key will do, and the application is that of development.
            let toolkit = try await server.post(
                "/v1/accounts:signInWithPassword?key=\(site.id.percentEncoded)",
                ["email": "ada@example.org", "password": .string(TestServer.password), "returnSecureToken": true])
            #expect(toolkit.status == 200, "\(toolkit.text)")
            let events = try await server.realm.auditLog.events(limit: 100).filter { $0.dialect == .identityToolkit }
            #expect(!events.isEmpty && events.allSatisfy { $0.clientID?.rawValue != site.id })
        }
    }
}
