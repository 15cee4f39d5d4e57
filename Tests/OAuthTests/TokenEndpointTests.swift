import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

/// Refreshing, applications for themselves, introspection and revocation.
@Suite("Tokens of OAuth")
struct TokenEndpointTests {
    private func tokens(
        _ server: TestServer, _ changes: [String: String?] = [:], headers: HTTPFields = [:]
    ) async throws -> JSON {
        _ = try await server.addUser()
        var browser = Browser(server)
        try await browser.signIn()
        let reply = try await server.redeem(browser.code("dev-native", changes), headers: headers)
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json
    }

    // MARK: Refreshing

    @Test
    func `A refresh rotates the token, and the one of before brings the same successor for ten seconds`() async throws {
        try await TestServer.with(.development) { server in
            let first = try await tokens(server)
            let second = try await server.refresh(first["refresh_token"])
            #expect(second.status == 200, "\(second.text)")
            #expect(second.json["refresh_token"] != first["refresh_token"])
            #expect(second.json["id_token"].claims["nonce"] == .null)
            #expect(second.json["id_token"].claims["auth_time"] == first["id_token"].claims["auth_time"])
            try await server.advance(9)
            let again = try await server.refresh(first["refresh_token"])
            #expect(again.json["refresh_token"] == second.json["refresh_token"])
            try await server.advance(2)
            #expect(try await server.refresh(first["refresh_token"]).json["error"] == "invalid_grant")
            // It was stolen, from one of the two: nothing of the grant is left.
            #expect(try await server.refresh(second.json["refresh_token"]).json["error"] == "invalid_grant")
            #expect(try await server.userInfo(second.json["access_token"]).status == 401)
        }
    }

    /// OpenID Connect Core 1.0, section 12.2.
    @Test
    func `A step-up says nothing in tokens of grants before it, however often they are refreshed`() async throws {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            var browser = Browser(server)
            try await browser.signIn()
            let first = try await server.redeem(browser.code()).json
            let totp = try await server.authenticator(of: try #require(await server.realm.accounts.user(user)))
            try await server.advance(120)
            let (session, proof) = (try #require(browser.session), try await browser.proof(with: totp))
            let raised = try #require(await server.realm.sessions.raise(session, by: proof))
            browser.cookies["__Host-cs_session"] = raised.token.reveal()

            let told = first["id_token"].claims
            #expect(told["acr"] == "aal1" && told["amr"] == ["pwd"])
            var tokens = first
            for _ in 0..<2 {
                tokens = try await server.refresh(tokens["refresh_token"]).json
                for token in [tokens["id_token"], tokens["access_token"]] {
                    for name in ["auth_time", "acr", "amr"] {
                        #expect(token.claims[name] == told[name], "\(name): \(token.claims)")
                    }
                }
            }
            let later = try await server.redeem(browser.code()).json
            let stronger = later["id_token"].claims
            #expect(stronger["acr"] == "aal2" && stronger["amr"] == ["pwd", "otp", "mfa"], "\(stronger)")
            #expect((stronger["auth_time"].int ?? 0) >= (told["auth_time"].int ?? 0) + 120)
            #expect(stronger["sid"] == told["sid"])
            let again = try await server.refresh(later["refresh_token"]).json["id_token"].claims
            #expect(again["auth_time"] == stronger["auth_time"] && again["acr"] == "aal2")
        }
    }

    @Test
    func `A step-up of the browser's session lets no grant of before have what an API asks two factors for`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code("dev-native", ["scope": "openid api offline_access"])
            let token = try await server.redeem(code).json["refresh_token"]
            let totp = try await server.authenticator(of: try #require(await server.realm.accounts.user(user)))
            let (session, proof) = (try #require(browser.session), try await browser.proof(with: totp))
            #expect(try await server.realm.sessions.raise(session, by: proof) != nil)
            let resource = Resource(
                uri: "http://127.0.0.1/api", scopes: [Resource.Scope(name: "api", minimumACR: .aal2)])
            #expect(try await server.realm.resources.put(resource, by: .testAdministrator) == .done)
            // Its tokens would say one factor.
            #expect(try await server.refresh(token).json["error"] == "invalid_grant")
            #expect(try await server.refresh(token, ["scope": "openid"]).status == 200)
        }
    }

    @Test
    func `One refresh token sent twenty times at once has one successor`() async throws {
        try await TestServer.with(.development) { server in
            let token = try await tokens(server)["refresh_token"]
            let successors = try await withThrowingTaskGroup(of: JSON.self) { group in
                for _ in 0..<20 { group.addTask { try await server.refresh(token).json["refresh_token"] } }
                return try await group.reduce(into: Set<JSON>()) { $0.insert($1) }
            }
            #expect(successors.count == 1 && successors.first?.text != nil)
        }
    }

    @Test
    func `A refresh narrows scopes for one answer and never widens them`() async throws {
        try await TestServer.with(.development) { server in
            let first = try await tokens(server, ["scope": "openid email offline_access"])
            let narrow = try await server.refresh(first["refresh_token"], ["scope": "openid"])
            #expect(narrow.json["scope"] == "openid")
            let full = try await server.refresh(narrow.json["refresh_token"])
            #expect(full.json["scope"] == "openid email offline_access")
            let wide = try await server.refresh(full.json["refresh_token"], ["scope": "openid api"])
            #expect(wide.json["error"] == "invalid_scope")
            #expect(try await server.refresh(full.json["refresh_token"]).status == 200, "It was not used up.")
        }
    }

    @Test
    func `A session that is too weak for what an API asks by now is refreshed without that API's scope alone`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code("dev-native", ["scope": "openid api offline_access"])
            let first = try await server.redeem(code).json["refresh_token"]
            func ask(for least: ContextClass?) async throws {
                let resource = Resource(
                    uri: "http://127.0.0.1/api", scopes: [Resource.Scope(name: "api", minimumACR: least)])
                #expect(try await server.realm.resources.put(resource, by: .testAdministrator) == .done)
            }
            try await ask(for: .aal2)
            let refused = try await server.refresh(first)
            #expect(refused.status == 400 && refused.json["error"] == "invalid_grant", "\(refused.text)")
            let narrower = try await server.refresh(first, ["scope": "openid"])
            #expect(narrower.status == 200 && narrower.json["scope"] == "openid", "\(narrower.text)")
            try await ask(for: .aal1)
            let whole = try await server.refresh(narrower.json["refresh_token"])
            #expect(whole.json["scope"] == "openid api offline_access", "\(whole.text)")
        }
    }

    @Test
    func `A refresh token of thirty days ago and a grant of ninety days ago are over`() async throws {
        try await TestServer.with(.development) { server in
            let first = try await tokens(server)
            try await server.advance(31 * 86_400)
            #expect(try await server.refresh(first["refresh_token"]).json["error"] == "invalid_grant")
        }
        try await TestServer.with(.development) { server in
            var token = try await tokens(server)["refresh_token"]
            for _ in 0..<4 {
                try await server.advance(22 * 86_400)
                token = try await server.refresh(token).json["refresh_token"]
                #expect(token.text != nil)
            }
            try await server.advance(3 * 86_400)
            #expect(try await server.refresh(token).json["error"] == "invalid_grant")
        }
    }

    @Test
    func `A disabled user, a revocation and the end of the session end refresh tokens`() async throws {
        try await TestServer.with(.development) { server in
            let token = try await tokens(server)["refresh_token"]
            let address = try #require(EmailAddress("ada@example.org"))
            let user = try #require(await server.realm.accounts.user(email: address)).id
            var change = AccountChange()
            change.isDisabled = true
            _ = try await server.realm.accounts.change(user, change, by: .testAdministrator)
            #expect(try await server.refresh(token).json["error"] == "invalid_grant")
            change.isDisabled = false
            _ = try await server.realm.accounts.change(user, change, by: .testAdministrator)
            #expect(try await server.refresh(token).json["error"] == "invalid_grant", "It does not come back.")
        }
    }

    @Test
    func `A public application that shows a secret is refused`() async throws {
        try await TestServer.with(.development) { server in
            let token = try await tokens(server)["refresh_token"]
            let posted = try await server.refresh(token, ["client_secret": "abc"])
            #expect(posted.status == 401 && posted.json["error"] == "invalid_client")
            let basic: HTTPFields = [.authorization: "Basic \(Data("dev-native:abc".utf8).base64EncodedString())"]
            #expect(try await server.refresh(token, ["client_id": nil], headers: basic).status == 401)
            #expect(try await server.refresh(token).status == 200)
        }
    }

    @Test
    func `Our grants are asked for by forms alone`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let members: JSON = [
                "grant_type": "authorization_code", "code": .string(try await browser.code()),
                "redirect_uri": .string(Browser.callback), "code_verifier": .string(Browser.proofKey.verifier),
                "client_id": "dev-native",
            ]
            let reply = try await server.send(
                .post, "/oauth/token", headers: [.contentType: "application/json"], body: members.bytes)
            #expect(reply.status == 400 && reply.json["error"] == "invalid_request")
            let named = try await server.redeem(
                browser.code(), headers: [.contentType: "application/x-www-form-urlencoded; charset=UTF-8"])
            #expect(named.status == 200)
        }
    }

    @Test
    func `A pushed request that is too large is answered with 413`() async throws {
        try await TestServer.with(.development) { server in
            let reply = try await server.form(
                "/oauth/par", ["client_id": "dev-native", "login_hint": String(repeating: "x", count: 20_000)])
            #expect(reply.status == 413 && reply.json["error"] == "invalid_request")
        }
    }

    @Test
    func `A single claim needs its scope of a third party, and no more than the right to it of one's own`() async throws
    {
        try await TestServer.with(.development) { server in
            let claims = #"{"userinfo":{"email":null},"id_token":{"email":{"essential":true}}}"#
            let own = try await tokens(server, ["scope": "openid", "claims": claims])
            #expect(own["id_token"].claims["email"] == "ada@example.org")
            let told = try await server.userInfo(own["access_token"]).json
            #expect(told["email"] == "ada@example.org" && told["email_verified"] == .null && told["name"] == .null)
        }
    }

    @Test
    func `Another application's refresh token is as unknown as a made-up one`() async throws {
        try await TestServer.with(.development) { server in
            let token = try await tokens(server)["refresh_token"]
            let other = try await server.form(
                "/oauth/token", ["grant_type": "refresh_token", "refresh_token": token.text ?? ""],
                headers: TestServer.devWeb)
            #expect(other.status == 400 && other.json["error"] == "invalid_grant")
            #expect(try await server.refresh(token).status == 200)
        }
    }

    // MARK: APIs

    @Test
    func `A token for an API has the API as its audience, and userinfo does not take it`() async throws {
        try await TestServer.with(.development) { server in
            let answer = try await tokens(server, ["scope": "openid api", "resource": "http://127.0.0.1/api"])
            #expect(answer["access_token"].claims["aud"] == "http://127.0.0.1/api")
            #expect(answer["access_token"].claims["scope"] == "openid api")
            #expect(try await server.userInfo(answer["access_token"]).status == 401)
        }
    }

    /// RFC 6750, sections 2 and 3.1.
    @Test
    func `A second access token, in the query, a form or another header, makes a request for an API malformed`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let scope = "openid create:me:authentication_methods"
            let token = try await tokens(server, ["scope": scope])["access_token"].text ?? ""
            let headers: HTTPFields = [.authorization: "Bearer \(token)"]
            var twice = headers
            twice.append(HTTPField(name: .authorization, value: "Bearer x"))
            var json = headers
            json[.contentType] = "application/json"
            let replies = [
                try await server.send(.get, "/userinfo?access_token=\(token)", headers: headers),
                try await server.send(.get, "/userinfo?a=b&acc%65ss_token", headers: headers),
                try await server.send(.get, "/userinfo", headers: twice),
                try await server.form("/userinfo", ["a": "b", "access_token": "x"], headers: headers),
                try await server.send(.get, "/account/v1/profile?access_token=x", headers: headers),
                try await server.send(.get, "/me/v1/authentication-methods?access_token=x", headers: headers),
                try await server.form(
                    "/me/v1/authentication-methods", ["type": "passkey", "access_token": "x"], headers: headers),
                try await server.send(
                    .post, "/admin/v1/users:list?access_token=x", headers: json, body: JSON.object([:]).bytes),
                try await server.send(.get, "/oidc/register/dev-native?access_token=x", headers: headers),
            ]
            for (place, reply) in replies.enumerated() {
                #expect(reply.status == 400, "\(place): \(reply.text)")
                let challenge = reply.headers[.wwwAuthenticate] ?? ""
                #expect(challenge.hasPrefix(#"Bearer error="invalid_request""#), "\(place): \(challenge)")
            }
            #expect(replies[4].json["error"]["code"] == "invalid" && replies[7].json["error"]["code"] == "invalid")
            // Other fields are no tokens, and one where none is taken is none.
            #expect(try await server.form("/userinfo", ["token": "x"], headers: headers).status == 200)
            let elsewhere = try await server.form("/userinfo?access_token=\(token)", ["access_token": token])
            #expect(elsewhere.status == 401 && elsewhere.headers[.wwwAuthenticate] == "Bearer")
        }
    }

    @Test
    func `An API that was not granted cannot be asked for at the token endpoint`() async throws {
        try await TestServer.with(.development) { server in
            let first = try await tokens(server)
            let reply = try await server.refresh(first["refresh_token"], ["resource": "http://127.0.0.1/api"])
            #expect(reply.json["error"] == "invalid_target")
        }
    }

    @Test
    func `A request that asks for what was not approved leaves its code as good as before, and no grant`() async throws
    {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code(
                "dev-native", ["resource": "http://127.0.0.1/api", "scope": "openid api"])
            for (changes, error) in [
                (["resource": "http://127.0.0.1/other"], "invalid_target"),
                (["scope": "openid email"], "invalid_scope"),
            ] {
                #expect(try await server.redeem(code, changes).json["error"].text == error, "\(changes)")
                #expect(try await server.realm.grants.list(of: user).isEmpty, "\(changes)")
            }
            let reply = try await server.redeem(code)
            #expect(reply.status == 200 && reply.json["access_token"].claims["aud"] == "http://127.0.0.1/api")
            #expect(try await server.realm.grants.list(of: user).count == 1)
            // What does not belong to the code uses it up all the same.
            let other = try await browser.code()
            let wrong = ["code_verifier": String(repeating: "a", count: 43), "resource": "http://127.0.0.1/other"]
            #expect(try await server.redeem(other, wrong).json["error"] == "invalid_grant")
            #expect(try await server.redeem(other).json["error"] == "invalid_grant")
        }
    }

    // MARK: Applications for themselves

    @Test
    func `A confidential application gets a token for itself, without refresh and ID token`() async throws {
        try await TestServer.with(.development) { server in
            let fields = [
                "grant_type": "client_credentials", "scope": "api openid", "resource": "http://127.0.0.1/api",
            ]
            let reply = try await server.form("/oauth/token", fields, headers: TestServer.devWeb)
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.json.names == ["access_token", "expires_in", "scope", "token_type"])
            let claims = reply.json["access_token"].claims
            #expect(claims["sub"] == "dev-web" && claims["client_id"] == "dev-web" && claims["sid"] == .null)
            #expect(claims["scope"] == "api" && claims["aud"] == "http://127.0.0.1/api")
            let open = try await server.form(
                "/oauth/token", ["grant_type": "client_credentials", "client_id": "dev-native"])
            #expect(open.json["error"] == "unauthorized_client")
        }
    }

    @Test
    func `No application gets for itself what only a user's token makes use of`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-web"), by: .testAdministrator) {
                $0.scopes = ["api", "account", "admin", "groups", "openid", "read:me:authentication_methods"]
            }
            func granted(_ scope: String?) async throws -> Reply {
                var fields = ["grant_type": "client_credentials"]
                fields["scope"] = scope
                return try await server.form("/oauth/token", fields, headers: TestServer.devWeb)
            }
            for scope in ["account", "admin", "groups", "openid", "read:me:authentication_methods", "account admin"] {
                let refused = try await granted(scope)
                #expect(refused.status == 400 && refused.json["error"] == "invalid_scope", "\(scope): \(refused.text)")
                #expect(refused.json["error_description"].text?.contains(scope.split(separator: " ")[0]) == true)
            }
            for scope in ["api account admin", nil] {
                #expect(try await granted(scope).json["scope"] == "api", "\(scope ?? "all")")
            }
        }
    }

    // MARK: How applications authenticate

    @Test
    func `An application authenticates by its registered method alone, and never by two`() async throws {
        try await TestServer.with(.development) { server in
            let grant = ["grant_type": "client_credentials"]
            let secret = ["client_id": "dev-web", "client_secret": "dev-web-secret"]
            let posted = try await server.form("/oauth/token", grant.merging(secret) { $1 })
            #expect(posted.status == 401 && posted.json["error"] == "invalid_client")
            #expect(posted.headers[.wwwAuthenticate] == "Basic realm=\"countersign\"")
            let both = try await server.form("/oauth/token", grant.merging(secret) { $1 }, headers: TestServer.devWeb)
            #expect(both.status == 401 && both.headers[.wwwAuthenticate]?.hasPrefix("Basic") == true)
            let wrong = Data("dev-web:wrong".utf8).base64EncodedString()
            let unknown = Data("nobody:wrong".utf8).base64EncodedString()
            var texts: Set<String> = []
            for pair in [wrong, unknown] {
                let reply = try await server.form(
                    "/oauth/token", grant, headers: [.authorization: "Basic \(pair)"])
                #expect(reply.status == 401)
                texts.insert(reply.text)
            }
            #expect(texts.count == 1)
            let foreign = try await server.form(
                "/oauth/token", grant.merging(["client_id": "dev-native"]) { $1 }, headers: TestServer.devWeb)
            #expect(foreign.status == 401, "Header and body name two applications: oauthlib CVE-2026-118669.")
        }
    }

    @Test
    func `Two secrets of an application overlap for as long as it was said`() async throws {
        try await TestServer.with(.development) { server in
            let now = server.now
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-web"), by: .testAdministrator) {
                $0.setSecret(Secret("another-secret"), keepingFormerUntil: now + 3600)
            }
            func ask(_ secret: String) async throws -> Int {
                let pair = Data("dev-web:\(secret)".utf8).base64EncodedString()
                return try await server.form(
                    "/oauth/token", ["grant_type": "client_credentials"], headers: [.authorization: "Basic \(pair)"]
                ).status
            }
            #expect(try await ask("another-secret") == 200)
            #expect(try await ask("dev-web-secret") == 200)
            try await server.advance(3600)
            #expect(try await ask("another-secret") == 200)
            #expect(try await ask("dev-web-secret") == 401)
        }
    }

    @Test
    func `Grants that there is no code for are unsupported`() async throws {
        try await TestServer.with(.development) { server in
            for type in ["implicit", "urn:ietf:params:oauth:grant-type:jwt-bearer", "x"] {
                let reply = try await server.form("/oauth/token", ["grant_type": type, "client_id": "dev-native"])
                #expect(reply.status == 400 && reply.json["error"] == "unsupported_grant_type", "\(type)")
            }
            // Guardian's, for applications of before alone.
            let password = try await server.form(
                "/oauth/token",
                ["grant_type": "password", "client_id": "dev-native", "username": "a@b.c", "password": "x"])
            #expect(password.json["error"] == "unauthorized_client")
        }
    }

    // MARK: Asking and revoking

    @Test
    func `Introspection tells a token's application and its API's owner, and nobody else`() async throws {
        try await TestServer.with(.development) { server in
            var owner = ApplicationRegistration()
            owner.oauth = OAuthRegistration(kind: .service)
            owner.setSecret(Secret("owner-secret"))
            try await server.add("owner", owner)
            _ = try await server.realm.resources.put(
                Resource(
                    uri: "http://127.0.0.1/api", scopes: [Resource.Scope(name: "api")],
                    owner: ClientID(rawValue: "owner")), by: .testAdministrator)
            let token = try await tokens(server, ["scope": "openid api", "resource": "http://127.0.0.1/api"])[
                "access_token"]
            let asOwner: HTTPFields = [
                .authorization: "Basic \(Data("owner:owner-secret".utf8).base64EncodedString())"
            ]
            func ask(_ headers: HTTPFields, _ token: JSON) async throws -> Reply {
                try await server.form("/oauth/introspect", ["token": token.text ?? ""], headers: headers)
            }
            let told = try await ask(asOwner, token).json
            #expect(told["active"] == true && told["client_id"] == "dev-native" && told["scope"] == "openid api")
            #expect(told["username"] == "ada@example.org" && told["token_type"] == "Bearer")
            #expect(try await ask(TestServer.devWeb, token).json == ["active": false])
            #expect(try await ask(asOwner, "x").json == ["active": false])
            let open = try await server.form("/oauth/introspect", ["token": "x", "client_id": "dev-native"])
            #expect(open.status == 401)
            var signed = asOwner
            signed[.accept] = "application/token-introspection+jwt"
            let reply = try await ask(signed, token)
            let statement = JSON.string(reply.text)
            #expect(reply.headers[.contentType] == "application/token-introspection+jwt")
            #expect(statement.header["typ"] == "token-introspection+jwt" && statement.claims["aud"] == "owner")
            #expect(statement.claims["token_introspection"]["active"] == true)
            for (accept, isSigned) in [
                ("application/json, application/TOKEN-introspection+JWT;q=0.5", true),
                ("application/token-introspection+jwt; q=0, application/json", false),
                ("application/token-introspection+jwt;q=0.000", false), ("application/*", false), ("*/*", false),
                ("application/token-introspection+jwt-other", false),
            ] {
                signed[.accept] = accept
                let media = try await ask(signed, token).headers[.contentType]
                #expect((media == "application/token-introspection+jwt") == isSigned, "\(accept)")
            }
            try await server.advance(600)
            #expect(try await ask(asOwner, token).json == ["active": false])
        }
    }

    /// What makes a refresh token worth nothing; an empty one leaves it as it is.
    private static let ends: [(String, @Sendable (TestServer, UserID) async throws -> Void)] = [
        ("", { _, _ in }),
        (
            "the user's tokens were revoked",
            { server, user in
                var change = AccountChange()
                change.revokesTokensAt = server.now
                _ = try await server.realm.accounts.change(user, change, by: .testAdministrator)
            }
        ),
        (
            "the user's tokens of before an instant were revoked",
            { server, user in
                try await server.advance(1000)
                var change = AccountChange()
                change.revokesTokensAt = server.now - 400
                _ = try await server.realm.accounts.change(user, change, by: .testAdministrator)
            }
        ),
        (
            "the user was disabled",
            { server, user in
                var change = AccountChange()
                change.isDisabled = true
                _ = try await server.realm.accounts.change(user, change, by: .testAdministrator)
            }
        ),
        (
            "the user was removed",
            { server, user in _ = try await server.realm.accounts.delete(user, by: .commandLine) }
        ),
        ("it was left for thirty days", { server, _ in try await server.advance(30 * 86_400 + 1) }),
        (
            "the operator's own application became a third party, which its user was not asked about",
            { server, _ in
                try await server.advance(1)
                try await Self.change(server) { $0.oauth.isFirstParty = false }
            }
        ),
        (
            "the application wants two factors",
            { server, _ in try await Self.change(server) { $0.requiresSecondFactor = true } }
        ),
        (
            "the application refreshes no more",
            { server, _ in try await Self.change(server) { $0.oauth.grantTypes = ["authorization_code"] } }
        ),
        (
            "the application may have no refresh tokens",
            { server, _ in try await Self.change(server) { $0.scopes = ["openid"] } }
        ),
    ]

    private static func change(
        _ server: TestServer, _ body: @escaping @Sendable (inout ApplicationRegistration) -> Void
    ) async throws {
        _ = try await server.realm.applications.change(ClientID(rawValue: "shop"), by: .commandLine, body)
    }

    /// A refresh token of a confidential application, whose secret is `shop-secret`.
    private func shop(_ server: TestServer) async throws -> (user: UserID, token: JSON) {
        let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
        var shop = ApplicationRegistration(
            redirectURIs: [Browser.callback], scopes: ["openid", "offline_access"])
        shop.oauth.kind = .web
        shop.oauth.isFirstParty = true
        shop.setSecret(Secret("shop-secret"))
        try await server.add("shop", shop)
        var browser = Browser(server)
        try await browser.signIn()
        let reply = try await server.redeem(
            browser.code("shop"), client: "shop", ["client_id": nil], headers: Self.asShop)
        #expect(reply.status == 200, "\(reply.text)")
        return (user, reply.json["refresh_token"])
    }

    private static let asShop: HTTPFields = [
        .authorization: "Basic \(Data("shop:shop-secret".utf8).base64EncodedString())"
    ]

    private func isActive(_ token: JSON, _ server: TestServer) async throws -> JSON {
        try await server.form("/oauth/introspect", ["token": token.text ?? ""], headers: Self.asShop).json["active"]
    }

    /// RFC 7662, section 2.2.
    @Test(arguments: ends.indices)
    func `Introspection calls a refresh token active that a refresh would take, and no other`(_ place: Int) async throws
    {
        try await TestServer.with(.development) { server in
            let (user, token) = try await shop(server)
            let (name, end) = Self.ends[place]
            try await end(server, user)
            #expect(try await isActive(token, server) == .bool(name.isEmpty), "\(name)")
            let refreshed = try await server.refresh(token, ["client_id": nil], headers: Self.asShop)
            #expect(refreshed.status == (name.isEmpty ? 200 : 400), "\(name): \(refreshed.text)")
        }
    }

    @Test
    func `A refresh token that was traded is active for the ten seconds in which it brings its successor again`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let first = try await shop(server).token
            let second = try await server.refresh(first, ["client_id": nil], headers: Self.asShop).json["refresh_token"]
            for token in [first, second] { #expect(try await isActive(token, server) == true) }
            try await server.advance(11)
            #expect(try await isActive(first, server) == false)
            // To ask is not to use it: its successor is not taken for stolen.
            #expect(try await isActive(second, server) == true)
            #expect(try await server.refresh(second, ["client_id": nil], headers: Self.asShop).status == 200)
        }
    }

    @Test
    func `Introspection tells a third party the address where its user allowed that`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let asked = try await browser.authorize("dev-web", ["scope": "openid email"])
            let flow = try #require(asked.answer["flow"])
            let key = try #require(BrowserKey(cookie: browser.cookies["__Host-cs_browser"] ?? ""))
            #expect(
                try await server.realm.authorizations.answer(
                    .allow, to: FlowHandle(flow), in: key, session: browser.session?.id, by: .testAdministrator))
            for (scope, address) in [("openid", nil), ("openid email", "ada@example.org")] as [(String, String?)] {
                let code = try await browser.code("dev-web", ["scope": scope])
                let token = try await server.redeem(code, client: "dev-web").json["access_token"]
                let told = try await server.form(
                    "/oauth/introspect", ["token": token.text ?? ""], headers: TestServer.devWeb
                ).json
                #expect(told["active"] == true && told["username"].text == address, "\(scope): \(told)")
            }
        }
    }

    @Test
    func `A revoked access token is over, a revoked refresh token ends its grant, and all else is taken for done`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let first = try await tokens(server)
            func revoke(_ token: JSON, _ client: String = "dev-native") async throws -> Int {
                try await server.form("/oauth/revoke", ["token": token.text ?? "", "client_id": client]).status
            }
            #expect(try await revoke("nothing") == 200)
            #expect(try await revoke(first["access_token"], "dev-app") == 200)
            #expect(try await server.userInfo(first["access_token"]).status == 200)
            #expect(try await revoke(first["access_token"]) == 200)
            #expect(try await server.userInfo(first["access_token"]).status == 401)
            let second = try await server.refresh(first["refresh_token"]).json
            #expect(try await server.userInfo(second["access_token"]).status == 200)
            #expect(try await revoke(second["refresh_token"]) == 200)
            #expect(try await server.userInfo(second["access_token"]).status == 401)
            #expect(try await server.refresh(second["refresh_token"]).status == 400)
        }
    }

    // MARK: Metadata

    @Test
    func `Both metadata documents are one, and name what there is`() async throws {
        try await TestServer.with(.development) { server in
            let one = try await server.send(.get, "/.well-known/openid-configuration")
            let other = try await server.send(.get, "/.well-known/oauth-authorization-server")
            #expect(one.json == other.json && one.headers[.cacheControl] == "public, max-age=300")
            let document = one.json
            #expect(document["issuer"] == "http://127.0.0.1:8080")
            #expect(document["response_types_supported"] == ["code"])
            #expect(document["registration_endpoint"] == .null)
            #expect(document["backchannel_logout_supported"] == true)
            for value in ["aal1", "aal2", "phr", "phrh"] {
                #expect(document["acr_values_supported"].elements.contains(.string(value)), "\(value)")
            }
            let asked = [
                "token_endpoint": "/oauth/token", "revocation_endpoint": "/oauth/revoke",
                "introspection_endpoint": "/oauth/introspect", "device_authorization_endpoint": "/oauth/device/code",
                "pushed_authorization_request_endpoint": "/oauth/par",
                "backchannel_authentication_endpoint": "/bc-authorize", "mfa_challenge_endpoint": "/mfa/challenge",
            ]
            let read = [
                "authorization_endpoint": "/authorize", "userinfo_endpoint": "/userinfo",
                "end_session_endpoint": "/oidc/logout",
            ]
            let named = document.names.filter { $0.hasSuffix("_endpoint") }
            #expect(Set(named) == Set(asked.keys).union(read.keys))
            for (name, endpoint) in asked.merging(read, uniquingKeysWith: { $1 }) {
                #expect(document[name] == .string("http://127.0.0.1:8080\(endpoint)"))
                let reply =
                    if asked[name] == nil { try await server.send(.get, endpoint) } else {
                        try await server.form(endpoint, [:])
                    }
                #expect(![404, 405].contains(reply.status), "\(endpoint): \(reply.status)")
            }
            for grant in document["grant_types_supported"].elements {
                let reply = try await server.form(
                    "/oauth/token", ["grant_type": grant.text ?? "", "client_id": "dev-native"])
                #expect(reply.json["error"] != "unsupported_grant_type", "\(grant)")
            }
        }
    }

    // MARK: Signing out

    @Test
    func `A hint of the present session signs out at once, and leads to a registered address alone`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .testAdministrator) {
                $0.oauth.postLogoutRedirectURIs = ["https://app.example/bye"]
            }
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let stays = try await server.redeem(browser.code()).json
            let goes = try await server.redeem(browser.code("dev-native", ["scope": "openid"])).json
            let hint = goes["id_token"].text ?? ""
            func leave(_ fields: [String: String]) -> String { "/oidc/logout?" + Browser.query(fields) }
            var tab = browser
            let asked = try await tab.get(leave(["client_id": "dev-native"]))
            #expect(asked.location?.hasPrefix("/sign-out?logout=") == true, "A link alone signs nobody out.")
            for other in ["bob@example.org", "x"] {
                let asked = try await tab.get(leave(["id_token_hint": hint, "logout_hint": other]))
                #expect(asked.location?.hasPrefix("/sign-out?logout=") == true, "\(other) is another user.")
            }
            #expect(try await server.userInfo(goes["access_token"]).status == 200)
            let left = try await browser.get(
                leave(["id_token_hint": hint, "post_logout_redirect_uri": "https://app.example/bye", "state": "a b"]))
            #expect(left.status == 303 && left.location == "https://app.example/bye?state=a%20b")
            #expect(left.headers[.known("Clear-Site-Data")] == "\"cache\", \"storage\"")
            #expect(browser.cookies["__Host-cs_session"]?.isEmpty ?? true)
            #expect(try await server.userInfo(goes["access_token"]).status == 401)
            #expect(try await server.refresh(stays["refresh_token"]).status == 200, "It has offline_access.")
            #expect(try await tab.authorize("dev-native", ["prompt": "none"]).answer["error"] == "login_required")
            let evil = try await browser.get(
                leave(["client_id": "dev-native", "post_logout_redirect_uri": "https://evil.example/"]))
            #expect(evil.location == "/signed-out")
        }
    }

    /// Browsers, proxies and logs keep addresses, and an ID token says who the user is.
    @Test
    func `No address that this server leads to has an ID token that hints at a user`() async throws {
        try await TestServer.with(.development) { server in
            let bye = "https://app.example/bye"
            var (_, browser) = try await server.userInBrowser { $0.oauth.postLogoutRedirectURIs = [bye] }
            let hint = try #require(try await server.redeem(browser.code()).json["id_token"].text)
            let fields = ["id_token_hint": hint, "post_logout_redirect_uri": bye, "state": "a b"]
            func led(_ location: String?) throws -> String {
                let location = try #require(location)
                for part in hint.split(separator: ".") { #expect(!location.contains(part), "\(location)") }
                return location
            }
            func posted(_ more: [String: String] = [:]) async throws -> String {
                try led(await server.form("/oidc/logout", fields.merging(more) { $1 }).location)
            }
            let asking = try led(
                await server.form("/authorize", Browser.parameters("dev-native", ["id_token_hint": hint])).location)
            #expect(try await browser.get(asking).answer["code"] != nil)
            let none = try led(
                await server.form("/authorize", Browser.parameters("dev-native", ["id_token_hint": "x"])).location)
            #expect(try await browser.get(none).answer["error"] == "invalid_request")
            var bob = Browser(server)
            _ = try await server.addUser("bob@example.org")
            try await bob.signIn("bob@example.org")
            #expect(try await bob.get(asking).location?.hasPrefix("/sign-in?flow=") == true, "It is for another user.")
            // The user is asked, after a form as after an address that the application made.
            let query = Browser.query(fields.merging(["logout_hint": "bob@example.org"]) { $1 })
            for asking in ["/oidc/logout?\(query)", try await posted(["logout_hint": "bob@example.org"])] {
                let asked = try led(await browser.get(asking).location)
                #expect(asked.hasPrefix("/sign-out?logout="))
            }
            let first = try await posted()
            let unknown = try await posted(["id_token_hint": "x", "client_id": "dev-native"])
            #expect(try await browser.get(first).location == bye + "?state=a%20b", "At once, as by the token itself.")
            #expect(browser.cookies["__Host-cs_session"]?.isEmpty ?? true)
            // Signed out, it leads back for as long as a page may have been looked at, and no one makes one.
            #expect(try await browser.get(first).location == bye + "?state=a%20b")
            for wrong in [unknown, String(first.dropLast(2)), first + "&client_id=dev-web"] {
                #expect(try await browser.get(wrong).location?.hasPrefix("/signed-out") == true, "\(wrong)")
            }
            try await server.advance(3601)
            #expect(try await browser.get(first).location == "/signed-out")
        }
    }

    @Test(arguments: ["ada@example.org", "ADA@example.org", "the user's id", "the session's id"])
    func `A hint of who signs out is the user's address or id, or the session's`(_ kind: String) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            try await browser.signIn()
            let token = try await server.redeem(browser.code()).json["id_token"]
            let name =
                switch kind {
                case "the user's id": token.claims["sub"].text
                case "the session's id": token.claims["sid"].text
                default: kind
                }
            let query = Browser.query(["id_token_hint": token.text ?? "", "logout_hint": try #require(name)])
            #expect(try await browser.get("/oidc/logout?\(query)").location == "/signed-out")
        }
    }
}
