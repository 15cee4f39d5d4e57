import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Sign-ins that applications begin by themselves (OpenID Connect CIBA, poll mode).
@Suite("Backchannel sign-ins")
struct BackchannelSignInTests {
    private static let grant = "urn:openid:params:grant-type:ciba"

    /// An application that may, and one that may not.
    private func addShops(_ server: TestServer) async throws {
        for (id, grants) in [("shop", [Self.grant, "refresh_token"]), ("other", [Self.grant]), ("plain", nil)] {
            var registration = ApplicationRegistration(
                redirectURIs: [Browser.callback], scopes: ["openid", "email", "offline_access"])
            registration.setSecret(Secret("s3cret"))
            registration.oauth = OAuthRegistration(kind: .web)
            registration.oauth.grantTypes = grants
            try await server.add(id, registration)
        }
    }

    private func begin(
        _ server: TestServer, _ changes: [String: String?] = [:]
    ) async throws -> Reply {
        var fields = [
            "client_id": "shop", "client_secret": "s3cret", "scope": "openid email",
            "login_hint": "ada@example.org", "binding_message": "Order 7 – ¥",
        ]
        for (name, value) in changes { fields[name] = value }
        return try await server.form("/bc-authorize", fields)
    }

    private func poll(
        _ server: TestServer, _ id: JSON, client: String = "shop", _ more: [String: String] = [:]
    ) async throws -> Reply {
        try await server.form(
            "/oauth/token",
            [
                "grant_type": Self.grant, "auth_req_id": id.text ?? "", "client_id": client,
                "client_secret": "s3cret",
            ].merging(more) { $1 })
    }

    private static let api = "http://127.0.0.1/api"
    private static let other = "https://other.example"

    /// Two APIs that the shop may use, and one that it may not.
    private func addAPIs(_ server: TestServer) async throws {
        for (uri, scope) in [(Self.api, "api"), (Self.other, "secrets"), ("https://foreign.example", "foreign")] {
            let api = Resource(uri: uri, scopes: [.init(name: scope)], owner: ClientID(rawValue: "dev-web"))
            #expect(try await server.realm.resources.put(api, by: .testAdministrator) == .done)
        }
        _ = try await server.realm.applications.change(ClientID(rawValue: "shop"), by: .commandLine) {
            $0.oauth.resources = [Self.api, Self.other]
            $0.scopes += ["api", "secrets"]
        }
    }

    /// RFC 8707, section 2: as by an authorization code.
    @Test
    func `Tokens are for the API that was asked for, with its scopes, and for it alone`() async throws {
        try await with { server, user, device in
            try await addAPIs(server)
            let begun = try await begin(
                server, ["scope": "openid api secrets offline_access", "resource": Self.api])
            #expect(begun.status == 200, "\(begun.text)")
            try await device.allow()
            let id = begun.json["auth_req_id"]
            for uri in [Self.other, "https://unknown.example"] {
                let refused = try await poll(server, id, ["resource": uri])
                #expect(refused.status == 400 && refused.json["error"] == "invalid_target", "\(refused.text)")
            }
            let wider = try await poll(server, id, ["scope": "openid email"])
            #expect(wider.json["error"] == "invalid_scope", "\(wider.text)")
            #expect(try await server.realm.grants.list(of: user.id).isEmpty)
            // What was refused has used nothing up.
            let tokens = try await poll(server, id, ["scope": "openid api", "resource": Self.api])
            #expect(tokens.status == 200, "\(tokens.text)")
            #expect(tokens.json["access_token"].claims["aud"].text == Self.api)
            #expect(tokens.json["scope"] == "openid api" && tokens.json["access_token"].claims["scope"] == "openid api")
            let known = ["client_id": "shop", "client_secret": "s3cret"]
            let more = try await server.refresh(tokens.json["refresh_token"], known)
            #expect(more.json["access_token"].claims["aud"].text == Self.api, "\(more.text)")
            #expect(
                more.json["scope"] == "openid api offline_access", "Scopes of another API mean nothing to this one.")
        }
    }

    @Test
    func `Several APIs are granted at once, and each token is for one`() async throws {
        try await with { server, _, device in
            try await addAPIs(server)
            let fields = Browser.query([
                "client_id": "shop", "client_secret": "s3cret", "scope": "openid api secrets",
                "login_hint": "ada@example.org", "resource": Self.api,
            ])
            let begun = try await server.send(
                .post, "/bc-authorize", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array("\(fields)&\(Browser.query(["resource": Self.other]))".utf8))
            #expect(begun.status == 200, "\(begun.text)")
            try await device.allow()
            let id = begun.json["auth_req_id"]
            #expect(try await poll(server, id).json["error"] == "invalid_target")
            let tokens = try await poll(server, id, ["resource": Self.other])
            #expect(tokens.json["access_token"].claims["aud"].text == Self.other, "\(tokens.text)")
            #expect(tokens.json["scope"] == "openid secrets")
        }
    }

    @Test
    func `An API that is unknown, or not the application's, or was taken from it since, is no target`() async throws {
        try await with { server, _, device in
            try await addAPIs(server)
            for uri in ["https://unknown.example", "https://foreign.example", "no uri", "\(Self.api)#x"] {
                let reply = try await begin(server, ["resource": uri])
                #expect(reply.status == 400 && reply.json["error"] == "invalid_target", "\(uri): \(reply.text)")
            }
            let pushes = try await server.realm.outbox.messages().filter { $0.message.channel == .push }
            #expect(pushes.isEmpty)
            let begun = try await begin(server, ["scope": "openid api", "resource": Self.api])
            try await device.allow()
            _ = try await server.realm.applications.change(ClientID(rawValue: "shop"), by: .commandLine) {
                $0.oauth.resources = [Self.other]
            }
            #expect(try await poll(server, begun.json["auth_req_id"]).json["error"] == "invalid_target")
        }
    }

    private func enable(_ server: TestServer, _ user: User) async throws {
        var change = AccountChange()
        change.isDisabled = false
        _ = try await server.realm.accounts.change(user.id, change, by: .testAdministrator)
    }

    @Test
    func `What a device allowed does not come back with a user who was disabled and is enabled again`() async throws {
        try await with { server, user, device in
            let begun = try await begin(server)
            try await device.allow()
            let waiting = try await begin(server)
            try await disable(server, user)
            try await enable(server, user)
            for id in [begun.json["auth_req_id"], waiting.json["auth_req_id"]] {
                let reply = try await poll(server, id)
                #expect(reply.status == 400 && reply.json["access_token"] == .null, "\(reply.text)")
            }
            #expect(try await server.realm.grants.list(of: user.id).isEmpty)
            try await server.advance(1)
            let again = try await begin(server)
            try await device.allow()
            #expect(try await poll(server, again.json["auth_req_id"]).status == 200)
        }
    }

    private func with(
        _ body: @Sendable @escaping (TestServer, User, SignedDevice) async throws -> Void
    ) async throws {
        try await TestServer.with(.development) { server in
            let id = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            let user = try #require(await server.realm.accounts.user(id))
            try await addShops(server)
            try await body(server, user, try await server.device(of: user))
        }
    }

    private func disable(_ server: TestServer, _ user: User) async throws {
        var change = AccountChange()
        change.isDisabled = true
        _ = try await server.realm.accounts.change(user.id, change, by: .testAdministrator)
    }

    @Test
    func `A request that nothing but phr would meet is refused, whoever is meant`() async throws {
        try await with { server, _, _ in
            for hint in ["ada@example.org", "nobody@example.org"] {
                let reply = try await begin(server, ["acr_values": "phr", "login_hint": hint])
                #expect(reply.status == 400, "\(reply.text)")
                #expect(reply.json["error"] == "unmet_authentication_requirements", "\(reply.text)")
                #expect(try await begin(server, ["acr_values": "phr aal1", "login_hint": hint]).status == 200)
            }
        }
    }

    @Test
    func `A user named by an address allows it on a device, and the tokens are fetched once`() async throws {
        try await with { server, user, device in
            let begun = try await begin(server)
            #expect(begun.status == 200, "\(begun.text)")
            #expect(begun.json["expires_in"] == 300 && begun.json["interval"] == 5)
            let id = begun.json["auth_req_id"]
            #expect(try await poll(server, id).json["error"] == "authorization_pending")
            #expect(try await poll(server, id).json["error"] == "slow_down")
            #expect(try await poll(server, id, client: "other").json["error"] == "invalid_grant")
            try await device.allow()
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<20 { group.addTask { try await poll(server, id) } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            let good = replies.filter { $0.status == 200 }
            #expect(good.count == 1)
            #expect(replies.allSatisfy { $0.status == 200 || $0.json["error"] == "invalid_grant" })
            let tokens = try #require(good.first).json
            let identity = tokens["id_token"].claims
            #expect(identity["sub"].text == user.id.rawValue && identity["aud"] == "shop")
            #expect(identity["acr"] == "aal1", "A device's answer is one factor.")
            #expect(tokens["scope"] == "openid email" && tokens["refresh_token"] == .null)
            #expect(try await server.userInfo(tokens["access_token"]).json["email"] == "ada@example.org")
        }
    }

    @Test
    func `What a device allowed opens nothing after its user took it back, or ended all sessions`() async throws {
        try await with { server, user, device in
            for isOfApplication in [true, false] {
                try await server.advance(1)
                let begun = try await begin(server)
                try await device.allow()
                if isOfApplication {
                    _ = try await server.realm.consents.revoke(
                        ClientID(rawValue: "shop"), of: user.id, by: .testAdministrator)
                } else {
                    _ = try await server.realm.sessions.endAll(of: user.id, by: .testAdministrator)
                }
                for _ in 0..<2 {
                    #expect(try await poll(server, begun.json["auth_req_id"]).json["error"] == "access_denied")
                }
            }
            try await server.advance(1)
            let again = try await begin(server)
            try await device.allow()
            #expect(try await poll(server, again.json["auth_req_id"]).status == 200)
        }
    }

    @Test
    func `A user is named by an ID token or an id too, and says no`() async throws {
        try await with { server, user, device in
            let byID = try await begin(server, ["login_hint": user.id.rawValue])
            try await device.reject()
            #expect(try await poll(server, byID.json["auth_req_id"]).json["error"] == "access_denied")
            // Messages are in the order of time.
            try await server.advance(1)
            let again = try await begin(server)
            try await device.allow()
            let token = try await poll(server, again.json["auth_req_id"]).json["id_token"]
            try await server.advance(1)
            let hinted = try await begin(server, ["login_hint": nil, "id_token_hint": token.text])
            #expect(hinted.status == 200, "\(hinted.text)")
            try await device.allow()
            #expect(try await poll(server, hinted.json["auth_req_id"]).status == 200)
            let foreign = try await begin(
                server, ["client_id": "other", "login_hint": nil, "id_token_hint": token.text])
            #expect(foreign.json["error"] == "invalid_request")
        }
    }

    @Test
    func `Nobody, a disabled user and one without a device are answered like one who does not answer`() async throws {
        try await with { server, user, _ in
            _ = try await server.addUser("bob@example.org")
            let known = try await begin(server)
            for hint in ["nobody@example.org", "bob@example.org", "no-such-id"] {
                let begun = try await begin(server, ["login_hint": hint])
                #expect(begun.status == 200, "\(begun.text)")
                #expect(begun.json["expires_in"] == known.json["expires_in"])
                #expect(begun.json["auth_req_id"].text?.utf8.count == known.json["auth_req_id"].text?.utf8.count)
                #expect(try await poll(server, begun.json["auth_req_id"]).json["error"] == "authorization_pending")
                #expect(try await poll(server, begun.json["auth_req_id"]).json["error"] == "slow_down")
            }
            try await disable(server, user)
            let disabled = try await begin(server)
            #expect(try await poll(server, disabled.json["auth_req_id"]).json["error"] == "authorization_pending")
            try await server.advance(301)
            for begun in [known, disabled] {
                #expect(try await poll(server, begun.json["auth_req_id"]).json["error"] == "expired_token")
            }
        }
    }

    @Test
    func `Five a minute reach whom a hint means, whether there is anybody or not`() async throws {
        try await with { server, _, _ in
            for hint in ["ada@example.org", "nobody@example.org"] {
                for _ in 0..<5 { #expect(try await begin(server, ["login_hint": hint]).status == 200) }
                let sixth = try await begin(server, ["login_hint": hint.uppercased()])
                #expect(sixth.status == 429 && sixth.headers[.retryAfter] != nil)
            }
        }
    }

    /// Keycloak CVE-2026-9798 and CVE-2026-16103.
    @Test
    func `A user who is disabled after the beginning, or after the answer, gets no tokens`() async throws {
        try await with { server, user, device in
            let begun = try await begin(server)
            try await device.allow()
            try await disable(server, user)
            #expect(try await poll(server, begun.json["auth_req_id"]).status == 400)
            #expect(try await poll(server, begun.json["auth_req_id"]).json["access_token"] == .null)
        }
        try await with { server, user, device in
            let begun = try await begin(server)
            try await disable(server, user)
            try? await device.allow()
            #expect(try await poll(server, begun.json["auth_req_id"]).json["access_token"] == .null)
        }
        try await with { server, user, device in
            let begun = try await begin(server)
            try await device.allow()
            var change = AccountChange()
            change.revokesTokensAt = server.now
            _ = try await server.realm.accounts.change(user.id, change, by: .testAdministrator)
            #expect(try await poll(server, begun.json["auth_req_id"]).json["access_token"] == .null)
        }
    }

    private func pushes(_ server: TestServer) async throws -> Int {
        try await server.realm.outbox.messages().count { $0.message.channel == .push }
    }

    private func requireTwoFactors(of user: User, _ server: TestServer) async throws {
        let staff = try #require(GroupName("staff"))
        _ = try await server.realm.groups.add(staff, summary: "", by: .testAdministrator)
        _ = try await server.realm.groups.addMember(user.id, to: staff, by: .testAdministrator)
        try await server.realm.changeSettings(by: .testAdministrator) { $0.secondFactors.requiredGroups = ["staff"] }
    }

    @Test
    func `Whom a rule asks for two factors is not signed in by one, and no device is asked`() async throws {
        try await with { server, user, _ in
            try await requireTwoFactors(of: user, server)
            let begun = try await begin(server)
            #expect(begun.status == 200, "Whom a rule names is told to no application. \(begun.text)")
            #expect(try await pushes(server) == 0)
            #expect(try await poll(server, begun.json["auth_req_id"]).json["error"] == "authorization_pending")
        }
    }

    @Test
    func `A rule that came after the answer counts when tokens are fetched or refreshed`() async throws {
        try await with { server, user, device in
            let session = try await begin(server, ["scope": "openid offline_access"])
            try await device.allow()
            let token = try #require(
                try await poll(server, session.json["auth_req_id"]).json["refresh_token"].text)
            try await server.advance(1)
            let begun = try await begin(server)
            try await device.allow()
            try await requireTwoFactors(of: user, server)
            #expect(try await poll(server, begun.json["auth_req_id"]).json["error"] == "access_denied")
            let refreshed = try await server.form(
                "/oauth/token",
                [
                    "grant_type": "refresh_token", "refresh_token": token, "client_id": "shop",
                    "client_secret": "s3cret",
                ])
            #expect(refreshed.status == 400 && refreshed.json["error"] == "invalid_grant", "\(refreshed.text)")
        }
    }

    enum Everyone: CaseIterable, Sendable {
        case realm, application
    }

    @Test(arguments: Everyone.allCases)
    func `Where two factors are required of everyone, the application is told at once`(of everyone: Everyone)
        async throws
    {
        try await with { server, _, _ in
            switch everyone {
            case .realm:
                try await server.realm.changeSettings(by: .testAdministrator) { $0.secondFactors.state = .mandatory }
            case .application:
                _ = try await server.realm.applications.change(ClientID(rawValue: "shop"), by: .commandLine) {
                    $0.requiresSecondFactor = true
                }
            }
            let reply = try await begin(server)
            #expect(reply.status == 400, "\(reply.text)")
            #expect(reply.json["error"] == "unmet_authentication_requirements", "\(reply.text)")
            #expect(try await pushes(server) == 0)
        }
    }

    @Test(
        arguments: [
            (["scope": "email"], "invalid_scope"), (["scope": nil], "invalid_scope"),
            (["login_hint": nil], "invalid_request"), (["id_token_hint": "x"], "invalid_request"),
            (["login_hint": nil, "id_token_hint": "x"], "invalid_request"),
            (["login_hint_token": "x"], "invalid_request"), (["request": "x"], "invalid_request"),
            (["login_hint": String(repeating: "a", count: 321)], "invalid_request"),
            (["binding_message": String(repeating: "a", count: 65)], "invalid_binding_message"),
            (["binding_message": "a" + String(repeating: "\u{301}", count: 64)], "invalid_binding_message"),
            (["binding_message": "two\nlines"], "invalid_binding_message"),
            (["binding_message": "\u{202E}turned"], "invalid_binding_message"),
            (["requested_expiry": "0"], "invalid_request"), (["requested_expiry": "301"], "invalid_request"),
            (["requested_expiry": "-1"], "invalid_request"), (["requested_expiry": "soon"], "invalid_request"),
            (["client_id": "plain"], "unauthorized_client"), (["client_secret": "wrong"], "invalid_client"),
            (["client_id": "dev-native", "client_secret": nil], "invalid_client"),
        ] as [([String: String?], String)])
    func `What is wrong with a request is said, and no device is asked`(
        changes: [String: String?], error: String
    ) async throws {
        try await with { server, _, _ in
            let reply = try await begin(server, changes)
            #expect(reply.json["error"].text == error, "\(reply.text)")
            #expect(reply.status == (error == "invalid_client" ? 401 : 400))
            let pushes = try await server.realm.outbox.messages().filter { $0.message.channel == .push }
            #expect(pushes.isEmpty)
        }
    }

    /// RFC 6749, section 5.2.
    @Test
    func `An application without the grant is told so at the token endpoint, whatever else it sends`() async throws {
        try await with { server, _, _ in
            let begun = try await begin(server).json["auth_req_id"]
            for id in [begun, "made-up", ""] {
                let reply = try await poll(server, id, client: "plain")
                #expect(reply.status == 400 && reply.json["error"] == "unauthorized_client", "\(id): \(reply.text)")
            }
            // One without credentials cannot have it (OpenID Connect CIBA, section 4).
            let grants = [Self.grant]
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .commandLine) {
                $0.oauth.grantTypes = grants
            }
            let reply = try await server.form(
                "/oauth/token", ["grant_type": Self.grant, "auth_req_id": "made-up", "client_id": "dev-native"])
            #expect(reply.json["error"] == "unauthorized_client", "\(reply.text)")
            #expect(try await poll(server, begun).json["error"] == "authorization_pending")
        }
    }

    @Test
    func `A shorter time is kept to`() async throws {
        try await with { server, _, device in
            let begun = try await begin(server, ["requested_expiry": "10"])
            #expect(begun.json["expires_in"] == 10)
            try await server.advance(11)
            #expect(try await poll(server, begun.json["auth_req_id"]).json["error"] == "expired_token")
            _ = device
        }
    }
}
