import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import Testing

/// Takes refresh tokens, access tokens and ID tokens of each protocol to the endpoints of all.
@Suite("Tokens across protocols")
struct TokenTests {
    /// A refresh token and where it is traded.
    struct RefreshToken: Sendable, CustomTestStringConvertible {
        let name: String
        let own: Set<String>
        let make: @Sendable (Scene) async throws -> String?
        var testDescription: String { name }
    }

    struct TokenEndpoint: Sendable {
        let name: String
        /// Answers the next refresh token, or nothing and a refusal in the protocol's words.
        let trade: @Sendable (Scene, String) async throws -> Reply
        let isRefused: @Sendable (Reply) -> Bool
        let next: @Sendable (Reply) -> String?
    }

    private static func toolkit(_ name: String, _ key: @escaping @Sendable (Scene) -> String) -> TokenEndpoint {
        TokenEndpoint(name: name) { scene, token in
            try await scene.json(
                "/v1/token?key=\(key(scene))", ["grant_type": "refresh_token", "refresh_token": .string(token)])
        } isRefused: {
            $0.status == 400 && ["INVALID_REFRESH_TOKEN", "TOKEN_EXPIRED"].contains($0.message)
        } next: {
            $0.json["refresh_token"].text
        }
    }

    private static func guardian(_ name: String, _ id: @escaping @Sendable (Scene) -> String) -> TokenEndpoint {
        TokenEndpoint(name: name) { scene, token in
            try await scene.oauth(
                of: id(scene), ["grant_type": "refresh_token", "refresh_token": .string(token)])
        } isRefused: {
            $0.status == 403 && $0.json["error"] == "invalid_grant"
        } next: {
            $0.json["refresh_token"].text
        }
    }

    private static func native(_ name: String, _ id: @escaping @Sendable (Scene) -> String) -> TokenEndpoint {
        TokenEndpoint(name: name) { scene, token in
            try await scene.native(
                .token, of: id(scene), ["grant_type": "refresh_token", "refresh_token": token])
        } isRefused: {
            $0.status == 400 && $0.error == "invalid_grant" && [70_000, 700_082].contains($0.number)
        } next: {
            $0.json["refresh_token"].text
        }
    }

    private static let endpoints = [
        toolkit("/v1/token") { $0.application.id },
        toolkit("/v1/token with another key") { $0.other.id },
        guardian("/oauth/token") { $0.application.id },
        guardian("/oauth/token of another application") { $0.other.id },
        native("oauth2/v2.0/token") { $0.application.id },
        native("oauth2/v2.0/token of another application") { $0.other.id },
        TokenEndpoint(name: "az/v1/token") { scene, token in
            try await scene.mobile.refresh(token)
        } isRefused: {
            $0.status == 400 && $0.json["error"] == "invalid_grant"
        } next: {
            $0.json["refresh_token"].text
        },
    ]

    static let refreshTokens = [
        RefreshToken(name: "Identity Toolkit's", own: ["/v1/token", "/v1/token with another key"]) { scene in
            try await toolkitTokens(scene)["refreshToken"].text
        },
        RefreshToken(name: "Guardian's", own: ["/oauth/token"]) { scene in
            try await guardianTokens(scene)["refresh_token"].text
        },
        RefreshToken(name: "native authentication's", own: ["oauth2/v2.0/token"]) { scene in
            try await nativeTokens(scene)["refresh_token"].text
        },
        RefreshToken(name: "security checks'", own: ["az/v1/token"]) { scene in
            try await scene.mobile.refreshToken()
        },
    ]

    private static func toolkitTokens(_ scene: Scene) async throws -> JSON {
        try await scene.json(
            "/v1/accounts:signInWithPassword?key=\(scene.application.id)",
            [
                "email": .string(Scene.bob), "password": .string(NativeClient.password), "returnSecureToken": true,
            ]
        ).json
    }

    private static func guardianTokens(_ scene: Scene) async throws -> JSON {
        try await scene.oauth(
            of: scene.application.id,
            [
                "grant_type": "password", "username": .string(Scene.bob), "password": .string(NativeClient.password),
                "scope": "offline_access openid",
            ]
        ).json
    }

    private static func nativeTokens(_ scene: Scene) async throws -> JSON {
        let begun = try await scene.native(
            .initiate, of: scene.application.id,
            ["username": Scene.bob, "challenge_type": NativeClient.everything])
        return try await scene.native(
            .token, of: scene.application.id,
            [
                "continuation_token": begun.token ?? "", "grant_type": "password", "password": NativeClient.password,
                "scope": "openid offline_access",
            ]
        ).json
    }

    @Test(arguments: refreshTokens)
    func `A refresh token is traded where it belongs, and is unknown everywhere else`(_ kind: RefreshToken) async throws
    {
        try await Scene.with { scene in
            var token = try #require(try await kind.make(scene))
            for endpoint in Self.endpoints where !kind.own.contains(endpoint.name) {
                let reply = try await endpoint.trade(scene, token)
                #expect(endpoint.isRefused(reply), "\(endpoint.name): \(reply.status) \(reply.text)")
            }
            for endpoint in Self.endpoints where kind.own.contains(endpoint.name) {
                let former = token
                let reply = try await endpoint.trade(scene, token)
                #expect(reply.status == 200, "\(endpoint.name): \(reply.text)")
                token = try #require(endpoint.next(reply))
                // One that was traded, in other hands, ends nothing.
                try await scene.server.advance(60)
                for other in Self.endpoints where !kind.own.contains(other.name) {
                    let reply = try await other.trade(scene, former)
                    #expect(other.isRefused(reply), "\(other.name): \(reply.status) \(reply.text)")
                }
            }
            let own = try #require(Self.endpoints.first { kind.own.contains($0.name) })
            #expect(try await own.trade(scene, token).status == 200)
        }
    }

    // MARK: Tokens that identify a user

    /// An endpoint at which an access token or an ID token acts for its user.
    private struct Bearer: Sendable {
        let name: String
        let dialect: Dialect
        let call: @Sendable (Scene, String) async throws -> Reply

        init(
            _ name: String, of dialect: Dialect, _ call: @escaping @Sendable (Scene, String) async throws -> Reply
        ) {
            self.name = name
            self.dialect = dialect
            self.call = call
        }

        static func toolkit(_ path: String, _ body: JSON = [:]) -> Bearer {
            Bearer(path, of: .identityToolkit) { scene, token in
                try await scene.json("\(path)?key=\(scene.application.id)", body.with(["idToken": .string(token)]))
            }
        }
    }

    private static let bearers: [Bearer] = [
        .toolkit("/v1/accounts:lookup"),
        .toolkit("/v1/accounts:update", ["displayName": "Somebody else"]),
        .toolkit("/v1/accounts:update", ["password": "difference engine"]),
        .toolkit("/v1/accounts:delete"),
        .toolkit("/v1/accounts:sendOobCode", ["requestType": "VERIFY_EMAIL"]),
        .toolkit("/v2/accounts/mfaEnrollment:start", ["totpEnrollmentInfo": [:]]),
        .toolkit("/v2/accounts/mfaEnrollment:withdraw", ["mfaEnrollmentId": "x"]),
        .toolkit("/v1/accounts:sendOobCode", ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "m@example.org"]),
        .toolkit("/v2/accounts/mfaEnrollment:finalize", ["totpVerificationInfo": [:]]),
        .toolkit("/v1/accounts:signInWithEmailLink", ["email": "m@example.org", "oobCode": "x"]),
        Bearer("createSessionCookie", of: .identityToolkit) { scene, token in
            try await scene.json(
                "/v1/projects/countersign:createSessionCookie", ["idToken": .string(token)],
                scene.server.administrator)
        },
        Bearer("userinfo", of: .guardian) { scene, token in
            try await scene.get("/userinfo", [:], scene.bearer(token))
        },
        Bearer("mfa/challenge", of: .guardian) { scene, token in
            try await scene.oauth(
                "/mfa/challenge", of: scene.application.id, ["mfa_token": .string(token), "challenge_type": "otp"])
        },
        Bearer("mfa-otp", of: .guardian) { scene, token in
            try await scene.oauth(
                of: scene.application.id,
                [
                    "grant_type": "http://auth0.com/oauth/grant-type/mfa-otp", "mfa_token": .string(token),
                    "otp": .string(scene.code),
                ])
        },
        Bearer("private_key_jwt", of: .admin) { scene, token in
            try await scene.json(
                "/oauth/token",
                [
                    "grant_type": "password", "username": .string(Scene.bob), "password": "analytical engine",
                    "client_assertion": .string(token),
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                ])
        },
        Bearer("mfa/authenticators", of: .guardian) { scene, token in
            try await scene.get("/mfa/authenticators", [:], scene.bearer(token))
        },
        Bearer("mfa/associate", of: .guardian) { scene, token in
            try await scene.json("/mfa/associate", ["authenticator_types": ["otp"]], scene.bearer(token))
        },
        Bearer("start-flow", of: .guardian) { scene, token in
            try await scene.json("/api/start-flow", [:], scene.bearer(token))
        },
        Bearer("transaction-state", of: .guardian) { scene, token in
            try await scene.json("/api/transaction-state", [:], scene.bearer(token))
        },
        Bearer("resource", of: .securityChecks) { scene, token in
            try await scene.mobile.resource(.get, "ResourceAdapter/balance", token: token)
        },
        Bearer("introspection", of: .securityChecks) { scene, token in
            try await scene.server.send(
                .post, "/mfp/api/az/v1/introspection", headers: scene.bearer(token), body: [])
        },
        Bearer("administration", of: .admin) { scene, token in
            try await scene.json("/admin/v1/users.list", [:], scene.bearer(token))
        },
        Bearer("management", of: .admin) { scene, token in
            try await scene.get("/api/v2/guardian/factors", [:], scene.bearer(token))
        },
        Bearer("projects", of: .admin) { scene, token in
            try await scene.get("/v2/projects/countersign/config", [:], scene.bearer(token))
        },
    ]

    /// Where each token of a protocol is good in its own: everywhere else of the protocol it is as wrong as another's.
    private static let own: [String: Set<String>] = [
        "session cookie": [], "Guardian's access token": ["userinfo"], "Guardian's ID token": [],
        "mfa_token": ["mfa/authenticators", "mfa/associate", "mfa/challenge", "mfa-otp", "start-flow"],
    ]

    @Test
    func `Within a protocol a token acts only where its own type and audience are expected`() async throws {
        try await Scene.with { scene in
            let toolkit = try await Self.toolkitTokens(scene)
            let guardian = try await Self.guardianTokens(scene)
            let cookie = try await scene.json(
                "/v1/projects/countersign:createSessionCookie", ["idToken": toolkit["idToken"]],
                scene.server.administrator)
            let pending = try await scene.oauth(
                of: scene.application.id,
                [
                    "grant_type": "password", "username": .string(NativeClient.email),
                    "password": .string(NativeClient.password),
                ])
            let tokens: [(String, Dialect, JSON)] = [
                ("session cookie", .identityToolkit, cookie.json["sessionCookie"]),
                ("Guardian's access token", .guardian, guardian["access_token"]),
                ("Guardian's ID token", .guardian, guardian["id_token"]),
                ("mfa_token", .guardian, pending.json["mfa_token"]),
            ]
            for (name, dialect, token) in tokens {
                let token = try #require(token.text, "\(name): \(pending.text)")
                for endpoint in Self.bearers
                where endpoint.dialect == dialect && Self.own[name]?.contains(endpoint.name) != true {
                    let reply = try await endpoint.call(scene, token)
                    #expect((400..<500).contains(reply.status), "\(name) at \(endpoint.name): \(reply.text)")
                }
            }
        }
    }

    @Test
    func `Security checks' introspection knows no other protocol's token`() async throws {
        try await Scene.with { scene in
            let basic = Data("test:test".utf8).base64EncodedString()
            let granted = try await scene.server.send(
                .post, "/mfp/api/az/v1/token",
                headers: [
                    .authorization: "Basic \(basic)", .contentType: "application/x-www-form-urlencoded",
                ], body: Array("grant_type=client_credentials&scope=authorization.introspect".utf8))
            let own = try #require(granted.json["access_token"].text, "\(granted.text)")
            func isActive(_ token: String) async throws -> JSON {
                var headers = scene.bearer(own)
                headers[.contentType] = "application/x-www-form-urlencoded"
                return try await scene.server.send(
                    .post, "/mfp/api/az/v1/introspection", headers: headers, body: Array("token=\(token)".utf8)
                ).json["active"]
            }
            #expect(try await isActive(own) == true)
            let guardian = try await Self.guardianTokens(scene)
            let native = try await Self.nativeTokens(scene)
            for token in [
                try await Self.toolkitTokens(scene)["idToken"], guardian["access_token"], guardian["id_token"],
                native["access_token"], native["id_token"],
            ] {
                #expect(try await isActive(try #require(token.text)) == false)
            }
        }
    }

    @Test
    func `An access token or an ID token acts for its user in its own protocol alone`() async throws {
        try await Scene.with { scene in
            let toolkit = try await Self.toolkitTokens(scene)
            let guardian = try await Self.guardianTokens(scene)
            let native = try await Self.nativeTokens(scene)
            expectGranted(
                try await scene.mobile.preauthorize("accessRestricted", ["PinCodeAttempts": ["pin": "1234"]]))
            let mobile = try await scene.mobile.token("accessRestricted").token
            let cookie = try await scene.json(
                "/v1/projects/countersign:createSessionCookie", ["idToken": toolkit["idToken"]],
                scene.server.administrator)
            let pending = try await scene.oauth(
                of: scene.application.id,
                [
                    "grant_type": "password", "username": .string(NativeClient.email),
                    "password": .string(NativeClient.password),
                ])
            let tokens: [(Dialect, JSON)] = [
                (.identityToolkit, toolkit["idToken"]), (.identityToolkit, cookie.json["sessionCookie"]),
                (.guardian, pending.json["mfa_token"]), (.guardian, guardian["access_token"]),
                (.guardian, guardian["id_token"]), (.nativeAuth, native["access_token"]),
                (.nativeAuth, native["id_token"]), (.securityChecks, .string(mobile)),
            ]
            for (dialect, token) in tokens {
                let token = try #require(token.text, "\(dialect)")
                for endpoint in Self.bearers where endpoint.dialect != dialect {
                    let reply = try await endpoint.call(scene, token)
                    #expect((400..<500).contains(reply.status), "\(dialect) at \(endpoint.name): \(reply.text)")
                }
            }
            // And each is still good.
            let looked = try await scene.json(
                "/v1/accounts:lookup?key=\(scene.application.id)", ["idToken": toolkit["idToken"]])
            #expect(looked.json["users"][0]["localId"].text == scene.bob.id.rawValue, "\(looked.text)")
            #expect(looked.json["users"][0]["displayName"] == .null)
        }
    }

    // MARK: ID tokens as hints

    /// A browser that the user is signed in to.
    private static func browser(of email: String, _ scene: Scene) async throws -> HTTPFields {
        let client = ClientContext(
            clientID: ClientID(rawValue: "account"), dialect: .oauth, limitedSource: nil, source: "192.0.2.9")
        let verdict = try await scene.server.realm.authenticator.answer(
            .password(Secret(NativeClient.password)),
            to: .opening(FlowOpening(subject: .email(try #require(EmailAddress(email))), terms: GrantTerms())),
            by: client)
        guard case .accomplished(.signedIn(let signedIn)) = verdict else {
            Issue.record("\(verdict)")
            return [:]
        }
        let begun = try #require(await scene.server.realm.sessions.begin(inBrowser: signedIn))
        return [.cookie: "__Host-cs_session=\(begun.token.reveal())"]
    }

    /// OpenID Connect Core 1.0, section 3.1.2.1; RP-Initiated Logout 1.0, section 2.
    @Test
    func `A hint is an ID token of the same issuer, whatever protocol made it, and none of another issuer`()
        async throws
    {
        try await Scene.with { scene in
            let app = "dev-app"
            let bye = "https://app.example/bye"
            _ = try await scene.server.realm.applications.change(ClientID(rawValue: app), by: .testAdministrator) {
                $0.oauth.postLogoutRedirectURIs = [bye]
            }
            let signedIn = try await scene.oauth(
                of: app,
                [
                    "grant_type": "password", "username": .string(Scene.bob),
                    "password": .string(NativeClient.password), "scope": "openid",
                ])
            let guardian = try #require(signedIn.json["id_token"].text, "\(signedIn.text)")
            let begun = try await scene.native(
                .initiate, of: app, ["username": Scene.bob, "challenge_type": NativeClient.everything])
            let finished = try await scene.native(
                .token, of: app,
                [
                    "continuation_token": begun.token ?? "", "grant_type": "password",
                    "password": NativeClient.password, "scope": "openid offline_access",
                ])
            let native = try #require(finished.json["id_token"].text, "\(finished.text)")
            func silent(_ hint: String, _ browser: HTTPFields) async throws -> String {
                try await scene.get(
                    "/authorize",
                    [
                        "client_id": app, "redirect_uri": "http://127.0.0.1/callback", "response_type": "code",
                        "scope": "openid", "code_challenge": String(repeating: "a", count: 43),
                        "code_challenge_method": "S256", "prompt": "none", "id_token_hint": hint,
                    ], browser
                ).headers[.location] ?? ""
            }
            func leave(_ hint: String, _ browser: HTTPFields = [:]) async throws -> String {
                try await scene.get("/oidc/logout", ["id_token_hint": hint, "post_logout_redirect_uri": bye], browser)
                    .headers[.location] ?? ""
            }
            _ = try await scene.server.account("dora@example.org")
            let bob = try await Self.browser(of: Scene.bob, scene)
            let dora = try await Self.browser(of: "dora@example.org", scene)
            #expect(try await silent(guardian, bob).contains("error=consent_required"), "The user is the hinted one.")
            #expect(try await silent(guardian, dora).contains("error=login_required"))
            #expect(try await leave(guardian) == bye)
            #expect(try await leave(guardian, bob).hasPrefix("/sign-out?logout="), "It is of another session.")
            for foreign in [native, scene.idTokens.bob] {
                #expect(try await silent(foreign, bob).contains("error=invalid_request"))
                #expect(try await leave(foreign) == "/signed-out")
            }
        }
    }
}
