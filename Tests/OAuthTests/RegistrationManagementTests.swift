import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// What applications that registered themselves do with their registration (RFC 7592), and what becomes of them.
@Suite("Registrations that applications manage themselves")
struct RegistrationManagementTests {
    /// A native application and the token with which it changes its registration.
    private struct Own {
        let id: String
        var token: String
        let answer: JSON

        var path: String { "/oidc/register/\(id)" }
    }

    private static let native: JSON = [
        "redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none", "client_name": "App",
        "grant_types": ["authorization_code", "refresh_token"], "client_uri": "https://app.example/",
    ]

    private func added(_ server: TestServer, _ metadata: JSON = native, token: String? = nil) async throws -> Own {
        let reply = try await server.register(metadata, token: token)
        #expect(reply.status == 201, "\(reply.text)")
        return Own(
            id: try #require(reply.json["client_id"].text),
            token: try #require(reply.json["registration_access_token"].text), answer: reply.json)
    }

    private func send(
        _ server: TestServer, _ method: HTTPRequest.Method, _ path: String, _ token: String?, _ body: JSON? = nil
    ) async throws -> Reply {
        var headers: HTTPFields = body == nil ? [:] : [.contentType: "application/json"]
        headers[.authorization] = token.map { "Bearer \($0)" }
        return try await server.send(method, path, headers: headers, body: body?.bytes)
    }

    @Test
    func `It is read, replaced and removed by its token, which is another after each replacement`() async throws {
        try await TestServer.with { server in
            try await server.setRegistration("open")
            let own = try await added(server)
            let shown = try await send(server, .get, own.path, own.token)
            #expect(shown.status == 200 && shown.headers[.cacheControl] == "no-store")
            #expect(shown.json == own.answer, "\(shown.text)")
            let put = try await send(
                server, .put, own.path, own.token,
                Self.native.with(["client_id": .string(own.id), "client_name": "New", "client_uri": nil]))
            #expect(put.status == 200 && put.json["client_name"] == "New", "\(put.text)")
            #expect(put.json["client_uri"] == .null, "What is left out is taken away.")
            let next = try #require(put.json["registration_access_token"].text)
            #expect(next != own.token)
            #expect(try await send(server, .get, own.path, own.token).status == 401)
            #expect(try await send(server, .get, own.path, next).json["client_name"] == "New")
            #expect(try await send(server, .delete, own.path, own.token).status == 401)
            let gone = try await send(server, .delete, own.path, next)
            #expect(gone.status == 204 && gone.text.isEmpty)
            #expect(try await send(server, .get, own.path, next).status == 401)
            let kinds = try await server.realm.auditLog.events().map(\.kind)
            #expect(kinds.contains(.applicationRegistered) && kinds.contains(.applicationRemoved))
        }
    }

    @Test
    func `An unknown application and a wrong token look alike, and so does an administrator's application`()
        async throws
    {
        try await TestServer.with(.development) { server in
            try await server.setRegistration("open")
            let (own, other) = (try await added(server), try await added(server))
            let blocked = try await added(server)
            _ = try await server.realm.applications.change(ClientID(rawValue: blocked.id), by: .testAdministrator) {
                $0.isDisabled = true
            }
            let initial = try await server.initialToken().text
            var texts: Set<String> = []
            for method in [HTTPRequest.Method.get, .put, .delete] {
                for (path, token) in [
                    (own.path, other.token), (own.path, initial),
                    (own.path, "csrat_" + String(repeating: "A", count: 43)),
                    ("/oidc/register/nobody", own.token), ("/oidc/register/dev-native", own.token),
                    (blocked.path, blocked.token),
                ] {
                    let reply = try await send(server, method, path, token, method == .put ? Self.native : nil)
                    #expect(reply.status == 401, "\(method) \(path)")
                    texts.insert(reply.text + (reply.headers[.wwwAuthenticate] ?? ""))
                }
                #expect(try await send(server, method, own.path, nil).status == 401)
            }
            #expect(texts.count == 1, "\(texts)")
            #expect(try await send(server, .get, own.path, own.token).status == 200)
            // A registration access token registers nothing.
            try await server.setRegistration("token")
            #expect(try await server.register(Self.native, token: own.token).status == 401)
        }
    }

    @Test
    func `A replacement names the application and its present secret, or it changes nothing`() async throws {
        try await TestServer.with { server in
            try await server.setRegistration("open")
            let own = try await added(server, SelfRegistrationTests.site)
            let secret = try #require(own.answer["client_secret"].text)
            let site = SelfRegistrationTests.site
            for body in [
                site, site.with(["client_id": "dev-native"]), site.with(["client_id": 1]),
                site.with(["client_id": .string(own.id), "client_secret": "wrong"]),
                site.with(["client_id": .string(own.id), "client_secret": 1]),
                site.with(["client_id": .string(own.id), "redirect_uris": ["javascript:1"]]),
            ] {
                #expect(try await send(server, .put, own.path, own.token, body).status == 400)
            }
            let good = site.with(["client_id": .string(own.id), "client_secret": .string(secret), "client_name": "B"])
            let put = try await send(server, .put, own.path, own.token, good)
            #expect(put.status == 200 && put.json["client_secret"] == .null, "It is told once. \(put.text)")
            let asked = try await server.form("/oauth/introspect", ["token": "x"], headers: .basic(own.id, secret))
            #expect(asked.status == 200, "The secret goes on.")
            // Without a secret it is public; with one again it gets another.
            let next = put.json["registration_access_token"].text
            let bare = try await send(
                server, .put, own.path, next,
                site.with(["client_id": .string(own.id), "token_endpoint_auth_method": "none"]))
            #expect(bare.json["client_secret"] == .null)
            #expect(
                try await server.form("/oauth/introspect", ["token": "x"], headers: .basic(own.id, secret)).status
                    == 401)
            let again = try await send(
                server, .put, own.path, bare.json["registration_access_token"].text,
                site.with(["client_id": .string(own.id)]))
            #expect(again.json["client_secret"].text != nil && again.json["client_secret"].text != secret)
        }
    }

    @Test
    func `Twenty replacements an hour count, and the next leaves the token as it is`() async throws {
        try await TestServer.with { server in
            try await server.setRegistration("open")
            let own = try await added(server)
            var token = own.token
            let body = Self.native.with(["client_id": .string(own.id)])
            for _ in 0..<20 {
                let put = try await send(server, .put, own.path, token, body)
                token = try #require(put.json["registration_access_token"].text, "\(put.text)")
            }
            let refused = try await send(server, .put, own.path, token, body)
            #expect(refused.status == 429 && refused.headers[.retryAfter] != nil)
            try await server.advance(3601)
            #expect(try await send(server, .put, own.path, token, body).status == 200)
        }
    }

    /// Keycloak CVE-2026-15572: section 13, trap 8.
    @Test
    func `A replacement is judged as if it were new, whatever the application has by now`() async throws {
        try await TestServer.with { server in
            try await server.addNotes()
            try await server.setRegistration("token")
            let allowance = RegistrationAllowance(
                grantTypes: ["client_credentials"], resources: [SelfRegistrationTests.notes], scopes: ["notes:read"])
            let initial = try await server.initialToken(allowance: allowance)
            let plain = try await added(server, SelfRegistrationTests.site, token: server.initialToken().text)
            let own = try await added(server, SelfRegistrationTests.site, token: initial.text)
            let more: [JSON] = [
                ["grant_types": ["authorization_code", "client_credentials"]], ["scope": "admin"],
                ["scope": "notes:read"], ["redirect_uris": ["http://evil.example/callback"]],
                ["grant_types": ["urn:openid:params:grant-type:ciba"]], ["response_types": ["token"]],
            ]
            for changes in more {
                var body = SelfRegistrationTests.site.with(["client_id": .string(plain.id)])
                for (member, value) in changes.ownMembers { body = body.with([member: value]) }
                let reply = try await send(server, .put, plain.path, plain.token, body)
                #expect(reply.status == 400, "\(changes): \(reply.text)")
            }
            // What an administrator gave is not kept by a replacement, and what one demanded is.
            _ = try await server.realm.applications.change(ClientID(rawValue: own.id), by: .testAdministrator) {
                $0.scopes += ["admin", "notes:write"]
                $0.audiences = ["*"]
                $0.requiresSecondFactor = true
                $0.oauth.requiresPAR = true
                $0.oauth.resources += ["https://other.example"]
                $0.oauth.takesTokenEndpointAudience = true
            }
            let body = SelfRegistrationTests.site.with([
                "client_id": .string(own.id), "scope": "openid admin notes:read notes:write",
                "dpop_bound_access_tokens": true, "isFirstParty": true,
            ])
            let put = try await send(server, .put, own.path, own.token, body)
            #expect(put.status == 200 && put.json["scope"] == "openid notes:read", "\(put.text)")
            let kept = try #require(await server.realm.applications.application(ClientID(rawValue: own.id)))
                .registration
            #expect(kept.scopes == ["openid", "notes:read"] && kept.audiences == [])
            #expect(kept.oauth.resources == [SelfRegistrationTests.notes] && !kept.oauth.isFirstParty)
            #expect(!kept.oauth.takesTokenEndpointAudience && kept.requiresSecondFactor && kept.oauth.requiresPAR)
            #expect(kept.oauth.requiresDPoP)
            let token = put.json["registration_access_token"].text
            let fewer = SelfRegistrationTests.site.with(["client_id": .string(own.id)])
            #expect(try await send(server, .put, own.path, token, fewer).status == 200)
            let after = try #require(await server.realm.applications.application(ClientID(rawValue: own.id)))
            #expect(after.registration.oauth.requiresPAR && !after.registration.oauth.requiresDPoP)
        }
    }

    @Test
    func `What an administrator took away is not registered again, until it is given again`() async throws {
        try await TestServer.with { server in
            try await server.addNotes()
            try await server.setRegistration("open", resources: [SelfRegistrationTests.notes])
            let two = SelfRegistrationTests.site.with([
                "redirect_uris": ["https://app.example/callback", "https://old.example/callback"]
            ])
            var own = try await added(server, two)
            let id = ClientID(rawValue: own.id)
            _ = try await server.realm.applications.change(id, by: .testAdministrator) {
                $0.scopes = ["openid", "notes:read"]
                $0.redirectURIs = ["https://app.example/callback"]
                $0.oauth.grantTypes = ["authorization_code"]
            }
            func put(_ body: JSON) async throws -> Reply {
                let reply = try await send(
                    server, .put, own.path, own.token, body.with(["client_id": .string(own.id)]))
                own.token = reply.json["registration_access_token"].text ?? own.token
                return reply
            }
            #expect(try await put(two).json["error"] == "invalid_redirect_uri")
            #expect(try await put(SelfRegistrationTests.site).json["error"] == "invalid_client_metadata")
            let narrow = SelfRegistrationTests.site.with(["grant_types": nil, "scope": "openid email notes:write"])
            #expect(try await put(narrow).json["scope"] == "openid")
            #expect(try await put(narrow.with(["scope": nil])).json["scope"] == "openid notes:read")
            _ = try await server.realm.applications.change(id, by: .testAdministrator) { $0.scopes.append("email") }
            #expect(try await put(narrow).json["scope"] == "openid email")
        }
    }

    @Test
    func `No administrator makes it a first party, and its approval ends with another name or address`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            try await server.setRegistration("open")
            let own = try await added(server)
            let id = ClientID(rawValue: own.id)
            var trusted = try #require(await server.realm.applications.application(id)).registration
            trusted.oauth.isFirstParty = true
            #expect(trusted.fault == .firstPartyOfOthers)
            let approved = try #require(await server.realm.registrations.approve(id, true, by: .testAdministrator))
            #expect(approved.isSelfRegistered && !approved.application.registration.oauth.isUnchecked)
            try await server.use(own.id)
            var browser = Browser(server)
            try await browser.signIn()
            #expect(try await browser.authorize(own.id, ["prompt": "none"]).answer["code"] != nil)
            // What people do not see leaves it approved.
            let same = Self.native.with(["client_id": .string(own.id), "software_version": "2"])
            let first = try await send(server, .put, own.path, own.token, same)
            #expect(try #require(await server.realm.applications.application(id)).registration.oauth.approval != nil)
            #expect(try await browser.authorize(own.id, ["prompt": "none"]).answer["code"] != nil)
            try await server.advance(1)
            let other = same.with(["client_name": "Your bank"])
            let second = try await send(
                server, .put, own.path, first.json["registration_access_token"].text, other)
            #expect(second.status == 200, "\(second.text)")
            #expect(try #require(await server.realm.applications.application(id)).registration.oauth.isUnchecked)
            // Users said yes to another name.
            #expect(
                try await browser.authorize(own.id, ["prompt": "none"]).answer["error"] == "consent_required")
        }
    }

    @Test(arguments: ["itself", "administrator", "blocked"])
    func `Tokens of an application that is removed or blocked are dead at once`(_ way: String) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            try await server.setRegistration("open")
            let own = try await added(server)
            let tokens = try await server.use(own.id)
            #expect(try await server.userInfo(tokens["access_token"]).status == 200)
            let id = ClientID(rawValue: own.id)
            switch way {
            case "itself": #expect(try await send(server, .delete, own.path, own.token).status == 204)
            case "administrator": #expect(try await server.realm.applications.remove(id, by: .testAdministrator))
            default:
                _ = try await server.realm.applications.change(id, by: .testAdministrator) { $0.isDisabled = true }
            }
            #expect(try await server.userInfo(tokens["access_token"]).status == 401)
            let introspected = try await server.form(
                "/oauth/introspect", ["token": tokens["access_token"].text ?? ""], headers: TestServer.devWeb)
            #expect(introspected.json["active"] == false)
            let refreshed = try await server.refresh(tokens["refresh_token"], ["client_id": own.id])
            #expect(refreshed.status == 401, "\(refreshed.text)")
            var browser = Browser(server)
            try await browser.signIn()
            #expect(try await browser.authorize(own.id).status == 400)
        }
    }

    // MARK: Races

    private func volley(
        _ first: TestServer, _ second: TestServer, _ send: @Sendable @escaping (TestServer) async throws -> Reply
    ) async throws -> [Reply] {
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for copy in 0..<20 { group.addTask { try await send(copy.isMultiple(of: 2) ? first : second) } }
            return try await group.reduce(into: [Reply]()) { $0.append($1) }
        }
    }

    @Test(arguments: TwoServersTests.Shared.available)
    func `An initial token that is good for one registers one of twenty at once, at two servers`(
        store: TwoServersTests.Shared
    ) async throws {
        try await TwoServersTests.with(store) { first, second in
            try await first.setRegistration("token")
            let token = try await first.initialToken(count: 1)
            let replies = try await volley(first, second) {
                try await $0.register(SelfRegistrationTests.site, token: token.text)
            }
            #expect(replies.filter { $0.status == 201 }.count == 1, "\(replies.map(\.status))")
            #expect(replies.filter { $0.status == 401 }.count == 19)
            #expect(try await second.realm.registrations.list().rows.count == 1)
        }
    }

    @Test(arguments: TwoServersTests.Shared.available)
    func `Of twenty replacements at once by one token one counts`(store: TwoServersTests.Shared) async throws {
        try await TwoServersTests.with(store) { first, second in
            try await first.setRegistration("open")
            let own = try await added(first)
            let (path, token) = (own.path, own.token)
            let body = Self.native.with(["client_id": .string(own.id), "client_name": "New"])
            let replies = try await volley(first, second) {
                try await $0.send(
                    .put, path, headers: [.contentType: "application/json", .authorization: "Bearer \(token)"],
                    body: body.bytes)
            }
            let good = replies.filter { $0.status == 200 }
            #expect(good.count == 1 && replies.filter { $0.status == 401 }.count == 19, "\(replies.map(\.status))")
            let next = try #require(good.first?.json["registration_access_token"].text)
            #expect(try await send(second, .get, path, next).status == 200)
        }
    }
}
