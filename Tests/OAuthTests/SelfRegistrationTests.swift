import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Applications that register themselves (RFC 7591).
@Suite("Applications that register themselves")
struct SelfRegistrationTests {
    static let notes = "https://notes.example/api"
    static let site: JSON = [
        "redirect_uris": ["https://app.example/callback"], "client_name": "App",
        "grant_types": [
            "authorization_code", "refresh_token",
        ],
    ]

    // MARK: Whether there is an endpoint

    @Test
    func `It is off unless it is switched on: there is no endpoint, and metadata name none`() async throws {
        try await TestServer.with { server in
            #expect(try await server.register(Self.site).status == 404)
            for method in [HTTPRequest.Method.get, .put, .delete] {
                #expect(try await server.send(method, "/oidc/register/dev-native").status == 404, "\(method)")
            }
            let path = "/.well-known/openid-configuration"
            #expect(try await server.send(.get, path).json["registration_endpoint"] == .null)
            for mode in ["token", "open"] {
                try await server.setRegistration(mode)
                let endpoint = try await server.send(.get, path).json["registration_endpoint"].text
                #expect(endpoint?.hasSuffix("/oidc/register") == true, "\(mode)")
            }
            #expect(try await server.register(Self.site).status == 201)
        }
    }

    @Test
    func `A token is asked for: none, a made-up one, one that is over and one that was removed are refused alike`()
        async throws
    {
        try await TestServer.with { server in
            try await server.setRegistration("token")
            let bare = try await server.register(Self.site)
            #expect(bare.status == 401 && bare.json["error"] == "invalid_token")
            #expect(bare.headers[.wwwAuthenticate] == "Bearer realm=\"countersign\"")
            let (over, removed) = (try await server.initialToken(), try await server.initialToken(lifetime: 7200))
            #expect(try await server.realm.registrationTokens.remove(removed.id, by: .testAdministrator) != nil)
            try await server.advance(3601)
            for token in ["csreg_" + String(repeating: "A", count: 43), "x", over.text, removed.text] {
                let reply = try await server.register(Self.site, token: token)
                #expect(reply.status == 401 && reply.json["error"] == "invalid_token", "\(reply.text)")
                #expect(reply.headers[.wwwAuthenticate]?.contains("invalid_token") == true)
            }
            #expect(try await server.realm.registrations.list().rows.isEmpty)
        }
    }

    @Test
    func `A token that is good for two registers two, and what is refused uses nothing up`() async throws {
        try await TestServer.with { server in
            try await server.setRegistration("token")
            let token = try await server.initialToken(count: 2)
            let bad = try await server.register(Self.site.with(["redirect_uris": ["javascript:1"]]), token: token.text)
            #expect(bad.status == 400 && bad.json["error"] == "invalid_redirect_uri", "\(bad.text)")
            for status in [201, 201, 401] {
                #expect(try await server.register(Self.site, token: token.text).status == status)
            }
            let kept = try #require(await server.realm.registrationTokens.list().first)
            #expect(kept.remaining == 0 && kept.used == 2 && kept.lastUsedAt != nil)
        }
    }

    // MARK: What is registered

    @Test
    func `The answer tells every member as it counts, and secrets once`() async throws {
        try await TestServer.with { server in
            try await server.setRegistration("open")
            let reply = try await server.register([
                "redirect_uris": ["https://app.example/callback", "https://app.example/callback"],
                "client_name": "App", "client_name#de": "Anwendung", "client_name#ja-Jpan-JP": "アプリ",
                "client_uri": "https://app.example/", "logo_uri": "https://app.example/logo.png",
                "policy_uri": "https://app.example/p", "tos_uri": "https://app.example/t",
                "contacts": ["ada@app.example"], "software_id": "4NRB1-0XZABZI9E6-5SM3R", "software_version": "1.0",
                "post_logout_redirect_uris": ["https://app.example/out"],
                "backchannel_logout_uri": "https://app.example/logout", "dpop_bound_access_tokens": true,
                "require_pushed_authorization_requests": true, "scope": "openid email admin account groups made-up",
                // What means nothing here, or would make it trusted where it did.
                "example_extension": ["a": 1], "isFirstParty": true, "first_party": true, "client_id": "dev-native",
                "client_secret": "mine", "registration_access_token": "mine", "default_max_age": 9,
                "id_token_signed_response_alg": "none", "access_token_lifetime": 1_000_000, "audiences": ["*"],
            ])
            #expect(reply.status == 201, "\(reply.text)")
            #expect(reply.headers[.cacheControl] == "no-store")
            let answer = reply.json
            let id = try #require(answer["client_id"].text)
            #expect(id != "dev-native" && !id.hasPrefix("https://"))
            #expect(answer["client_secret"].text?.utf8.count == 43 && answer["client_secret_expires_at"] == 0)
            #expect(answer["registration_access_token"].text?.hasPrefix("csrat_") == true)
            #expect(answer["registration_client_uri"].text?.hasSuffix("/oidc/register/\(id)") == true)
            let told: [String: JSON] = [
                "redirect_uris": ["https://app.example/callback"], "grant_types": ["authorization_code"],
                "response_types": ["code"], "token_endpoint_auth_method": "client_secret_basic",
                "application_type": "web", "scope": "openid email", "client_name": "App",
                "client_name#de": "Anwendung", "client_name#ja": "アプリ", "client_uri": "https://app.example/",
                "logo_uri": "https://app.example/logo.png", "policy_uri": "https://app.example/p",
                "tos_uri": "https://app.example/t", "contacts": ["ada@app.example"],
                "software_id": "4NRB1-0XZABZI9E6-5SM3R", "software_version": "1.0",
                "post_logout_redirect_uris": ["https://app.example/out"],
                "backchannel_logout_uri": "https://app.example/logout", "dpop_bound_access_tokens": true,
                "require_pushed_authorization_requests": true, "id_token_signed_response_alg": "RS256",
            ]
            for (name, value) in told { #expect(answer[name] == value, "\(name)") }
            for name in ["example_extension", "isFirstParty", "first_party", "default_max_age", "audiences"] {
                #expect(answer[name] == .null, "\(name)")
            }
            let kept = try #require(await server.realm.applications.application(ClientID(rawValue: id))).registration
            #expect(!kept.oauth.isFirstParty && kept.audiences == [] && kept.scopes == ["openid", "email"])
            #expect(kept.oauth.isUnchecked && kept.oauth.selfRegistration?.source == "192.0.2.1")
            let text = String(describing: try await server.realm.auditLog.events())
            for secret in ["client_secret", "registration_access_token"] {
                #expect(!text.contains(answer[secret].text ?? ""), "\(secret) is in the log")
            }
            #expect(text.contains("application.registered") && !text.contains("ada@app.example"))
        }
    }

    @Test(
        arguments: [
            (nil, "RS256"), ("ES256", "ES256"), ("RS256", "RS256"), ("HS256", "RS256"), ("none", "RS256"),
            ("ES384", "RS256"), ("", "RS256"),
        ] as [(String?, String)])
    func `ID tokens are signed with what the application names of what there is, and with the standard's default`(
        _ named: String?, _ used: String
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            try await server.setRegistration("open")
            let metadata: JSON = [
                "redirect_uris": [.string(Browser.callback)], "token_endpoint_auth_method": "none", "scope": "openid",
            ]
            let reply = try await server.register(
                metadata.with(["id_token_signed_response_alg": named.map { .string($0) }]))
            guard named != "" else {
                #expect(reply.json["error"] == "invalid_client_metadata", "\(reply.text)")
                return
            }
            #expect(reply.json["id_token_signed_response_alg"].text == used, "\(reply.text)")
            let id = try #require(reply.json["client_id"].text)
            let tokens = try await server.use(id, scope: "openid")
            #expect(tokens["id_token"].header["alg"].text == used)
            #expect(tokens["access_token"].header["alg"] == "ES256")
            // One of before keeps what it has, whatever it leaves out.
            _ = try await server.realm.applications.change(ClientID(rawValue: id), by: .testAdministrator) {
                $0.oauth.idTokenAlgorithm = nil
            }
            let put = try await server.send(
                .put, "/oidc/register/\(id)",
                headers: [
                    .authorization: "Bearer \(reply.json["registration_access_token"].text ?? "")",
                    .contentType: "application/json",
                ], body: metadata.with(["client_id": .string(id)]).bytes)
            #expect(put.status == 200 && put.json["id_token_signed_response_alg"] == "ES256", "\(put.text)")
            let left = try await server.realm.applications.registered(ClientID(rawValue: id))?.registration
            #expect(left?.oauth.idTokenAlgorithm == nil)
        }
    }

    @Test
    func `What an application is told that its ID tokens are signed with is what they are signed with`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            try await server.setRegistration("open")
            let reply = try await server.register([
                "redirect_uris": [.string(Browser.callback)], "token_endpoint_auth_method": "none",
                "scope": "openid email", "id_token_signed_response_alg": "ES256",
            ])
            let id = try #require(reply.json["client_id"].text)
            let token = reply.json["registration_access_token"].text ?? ""
            for (keys, algorithm, scope) in [
                (TokenSettings.PublishedKeys.used, "RS256", "openid"), (.all, "ES256", "openid email"),
            ] {
                try await server.realm.changeSettings(by: .testAdministrator) { $0.tokens.publishedKeys = keys }
                try await server.advance(60)
                let told = try await server.send(
                    .get, "/oidc/register/\(id)", headers: [.authorization: "Bearer \(token)"])
                #expect(told.json["id_token_signed_response_alg"].text == algorithm, "\(told.text)")
                let tokens = try await server.use(id, scope: scope)
                #expect(tokens["id_token"].header["alg"].text == algorithm)
                let discovery = try await server.send(.get, "/.well-known/openid-configuration").json
                #expect(
                    discovery["id_token_signing_alg_values_supported"].elements.contains(.string(algorithm)),
                    "\(discovery)")
                let shown = try await server.send(
                    .post, "/admin/v1/applications:show",
                    headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
                    body: JSON.object(["id": .string(id)]).bytes
                ).json["application"]["oauth"]
                #expect(shown["idTokenAlgorithmInUse"].text == algorithm && shown["idTokenAlgorithm"] == "ES256")
            }
        }
    }

    @Test(
        arguments: [
            ["grant_types": []], ["grant_types": .null], ["response_types": []],
            ["grant_types": [], "response_types": [], "contacts": []],
        ] as [JSON])
    func `An empty list says what its absence says: an application has the code's grant, and no other`(
        _ changes: JSON
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            try await server.setRegistration("open")
            var body: JSON = [
                "redirect_uris": [.string(Browser.callback)], "token_endpoint_auth_method": "none", "scope": "openid",
            ]
            for (member, value) in changes.ownMembers { body = body.with([member: value]) }
            let reply = try await server.register(body)
            #expect(reply.status == 201 && reply.json["grant_types"] == ["authorization_code"], "\(reply.text)")
            #expect(reply.json["response_types"] == ["code"])
            let id = try #require(reply.json["client_id"].text)
            _ = try await server.use(id, scope: "openid")
            let put = try await server.send(
                .put, "/oidc/register/\(id)",
                headers: [
                    .authorization: "Bearer \(reply.json["registration_access_token"].text ?? "")",
                    .contentType: "application/json",
                ], body: body.with(["client_id": .string(id)]).bytes)
            #expect(put.status == 200 && put.json["grant_types"] == ["authorization_code"], "\(put.text)")
        }
    }

    @Test
    func `Of a library that names all that it knows, the code's type and grants are registered`() async throws {
        try await TestServer.with(.development) { server in
            try await server.setRegistration("open")
            // What Apache's mod_auth_openidc sends.
            let reply = try await server.register([
                "redirect_uris": [.string(Browser.callback)], "scope": "openid",
                "response_types": [
                    "code", "id_token", "id_token token", "code id_token", "code token", "code id_token token",
                ],
                "grant_types": ["authorization_code", "implicit", "refresh_token"],
            ])
            #expect(reply.status == 201 && reply.json["response_types"] == ["code"], "\(reply.text)")
            #expect(reply.json["grant_types"] == ["authorization_code", "refresh_token"], "\(reply.text)")
        }
    }

    @Test
    func `What a service is told of itself is taken again as it stands`() async throws {
        try await TestServer.with { server in
            try await server.addNotes()
            try await server.setRegistration("token")
            let initial = try await server.initialToken(
                allowance: RegistrationAllowance(
                    grantTypes: ["client_credentials"], resources: [Self.notes], scopes: ["notes:read"]))
            let reply = try await server.register(
                ["grant_types": ["client_credentials"], "redirect_uris": [], "scope": "notes:read"],
                token: initial.text)
            #expect(reply.status == 201 && reply.json["redirect_uris"] == [], "\(reply.text)")
            let put = try await server.send(
                .put, "/oidc/register/\(reply.json["client_id"].text ?? "")",
                headers: [
                    .authorization: "Bearer \(reply.json["registration_access_token"].text ?? "")",
                    .contentType: "application/json",
                ], body: reply.json.bytes)
            #expect(put.status == 200 && put.json["grant_types"] == ["client_credentials"], "\(put.text)")
        }
    }

    static let refused: [(String, JSON, String)] = [
        ("no redirect URI", ["redirect_uris": .null], "invalid_redirect_uri"),
        ("an empty list of them", ["redirect_uris": []], "invalid_redirect_uri"),
        ("a text for the list", ["redirect_uris": "https://app.example/"], "invalid_redirect_uri"),
        ("a number in the list", ["redirect_uris": [1]], "invalid_redirect_uri"),
        (
            "loopback of a site", ["redirect_uris": ["http://127.0.0.1/x"], "application_type": "web"],
            "invalid_redirect_uri"
        ),
        (
            "a scheme of its own of a site", ["redirect_uris": ["com.example:/x"], "application_type": "web"],
            "invalid_redirect_uri"
        ),
        (
            "too many", ["redirect_uris": .array((0..<33).map { .string("https://app.example/\($0)") })],
            "invalid_redirect_uri"
        ),
        ("another type", ["application_type": "service"], "invalid_client_metadata"),
        ("the implicit grant", ["grant_types": ["implicit"]], "invalid_client_metadata"),
        ("the password grant", ["grant_types": ["password"]], "invalid_client_metadata"),
        ("requests to devices", ["grant_types": ["urn:openid:params:grant-type:ciba"]], "invalid_client_metadata"),
        (
            "device codes", ["grant_types": ["urn:ietf:params:oauth:grant-type:device_code"]],
            "invalid_client_metadata"
        ),
        ("an application's own tokens", ["grant_types": ["client_credentials"]], "invalid_client_metadata"),
        (
            "these beside codes", ["grant_types": ["authorization_code", "client_credentials"]],
            "invalid_client_metadata"
        ),
        ("refresh tokens alone", ["grant_types": ["refresh_token"]], "invalid_client_metadata"),
        ("response type token", ["response_types": ["token"]], "invalid_client_metadata"),
        ("the hybrid flow alone", ["response_types": ["code id_token"]], "invalid_client_metadata"),
        (
            "the implicit grant beside refresh tokens", ["grant_types": ["implicit", "refresh_token"]],
            "invalid_client_metadata"
        ),
        ("a method that is none", ["token_endpoint_auth_method": "client_secret_jwt"], "invalid_client_metadata"),
        ("keys that are missing", ["token_endpoint_auth_method": "private_key_jwt"], "invalid_client_metadata"),
        (
            "keys of an application that shows nothing",
            ["token_endpoint_auth_method": "none", "jwks_uri": "https://app.example/jwks"], "invalid_client_metadata"
        ),
        (
            "keys in two places",
            [
                "token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://app.example/jwks",
                "jwks": ["keys": .array([ClientKey().jwk])],
            ], "invalid_client_metadata"
        ),
        (
            "a private key",
            [
                "token_endpoint_auth_method": "private_key_jwt",
                "jwks": ["keys": .array([ClientKey().jwk.with(["d": "AAAA"])])],
            ], "invalid_client_metadata"
        ),
        (
            "a set that is none", ["token_endpoint_auth_method": "private_key_jwt", "jwks": []],
            "invalid_client_metadata"
        ),
        ("a script as home page", ["client_uri": "javascript:alert(1)"], "invalid_client_metadata"),
        ("a picture of the local network", ["logo_uri": "http://10.0.0.1/"], "invalid_client_metadata"),
        ("terms in a file", ["tos_uri": "file:///etc/passwd"], "invalid_client_metadata"),
        ("an address of metadata", ["backchannel_logout_uri": "http://169.254.169.254/"], "invalid_client_metadata"),
        (
            "a way out with a fragment", ["post_logout_redirect_uris": ["https://app.example/#"]],
            "invalid_client_metadata"
        ),
        ("a name of two lines", ["client_name": "App\nis safe"], "invalid_client_metadata"),
        ("a name that is none", ["client_name": " "], "invalid_client_metadata"),
        ("a name of invisible characters", ["client_name": "\u{200B}\u{3164} \u{2800}"], "invalid_client_metadata"),
        ("a name with a zero byte", ["client_name": "a\u{0}"], "invalid_client_metadata"),
        ("a long name", ["client_name": .string(String(repeating: "a", count: 101))], "invalid_client_metadata"),
        ("a name in no language", ["client_name#1": "App"], "invalid_client_metadata"),
        ("a number as name", ["client_name": 1], "invalid_client_metadata"),
        ("no scope that there is", ["scope": "admin account"], "invalid_client_metadata"),
        ("a list as scope", ["scope": ["openid"]], "invalid_client_metadata"),
        ("a word as flag", ["dpop_bound_access_tokens": "true"], "invalid_client_metadata"),
        ("a text as contacts", ["contacts": "ada@app.example"], "invalid_client_metadata"),
        ("contacts of two lines", ["contacts": ["ada@app.example\r\nBcc: all@app.example"]], "invalid_client_metadata"),
        ("contacts with a line separator", ["contacts": ["ada@app.example\u{2028}x"]], "invalid_client_metadata"),
        ("a software id of two lines", ["software_id": "4NRB1\n0XZAB"], "invalid_client_metadata"),
    ]

    @Test(arguments: refused.indices)
    func `Metadata that are not taken are refused with a sentence, and nothing is registered`(_ row: Int) async throws {
        let (name, changes, error) = Self.refused[row]
        try await TestServer.with { server in
            try await server.setRegistration("open")
            var body = Self.site
            for (member, value) in changes.ownMembers { body = body.with([member: value]) }
            let reply = try await server.register(body)
            #expect(reply.status == 400 && reply.json["error"].text == error, "\(name): \(reply.text)")
            #expect((reply.json["error_description"].text?.count ?? 0) > 10, "\(name)")
            #expect(try await server.realm.registrations.list().rows.isEmpty, "\(name)")
        }
    }

    /// Section 13, trap 1: the matrix of addresses that no answer may be sent to.
    @Test
    func `No hostile redirect address is registered, whatever it says that it is`() async throws {
        // Of those some are merely another address than the registered one.
        let harmless = RedirectTests.hostile.filter { RedirectURI.fault(of: $0) == nil }
        try await TestServer.with(.development) { server in
            try await server.setRegistration("open")
            for address in RedirectTests.hostile where !harmless.contains(address) {
                for type: JSON? in [nil, "web", "native"] {
                    let body = Self.site.with(["redirect_uris": [.string(address)], "application_type": type])
                    let reply = try await server.register(body)
                    #expect(reply.status == 400 && reply.json["error"] == "invalid_redirect_uri", "\(address)")
                    #expect(
                        reply.json["error_description"].text?.utf8.allSatisfy { (0x20..<0x7F).contains($0) } == true)
                }
            }
            #expect(RedirectTests.hostile.count - harmless.count > 35)
            #expect(try await server.realm.registrations.list().rows.isEmpty)
        }
    }

    @Test
    func `What is no JSON object, or too large, is refused`() async throws {
        try await TestServer.with { server in
            try await server.setRegistration("open")
            let good = Self.site.bytes
            for (type, body) in [
                ("application/x-www-form-urlencoded", good), ("text/plain", good), ("application/jsonx", good),
                ("application/json", Array("[]".utf8)), ("application/json", Array("{".utf8)),
                ("application/json", Array(#"{"client_name":"a","client_name":"b"}"#.utf8)), ("application/json", []),
            ] {
                let reply = try await server.send(
                    .post, "/oidc/register", headers: [.contentType: type], body: body)
                #expect(reply.status == 400 && reply.json["error"] == "invalid_client_metadata", "\(type)")
            }
            let large = try await server.register(
                Self.site.with(["x": .string(String(repeating: "a", count: 70_000))]))
            #expect(large.status == 413)
            let charset = try await server.send(
                .post, "/oidc/register", headers: [.contentType: "application/json; charset=utf-8"], body: good)
            #expect(charset.status == 201)
        }
    }

    @Test
    func `A page of another origin may register, as at the token endpoint`() async throws {
        try await TestServer.with { server in
            try await server.setRegistration("open")
            let origin = try #require(HTTPField.Name("Origin"))
            let reply = try await server.send(
                .post, "/oidc/register", headers: [.contentType: "application/json", origin: "https://app.example"],
                body: Self.site.bytes)
            #expect(reply.status == 201)
            #expect(reply.headers[.accessControlAllowOrigin] == "https://app.example")
        }
    }

    // MARK: What it may have

    @Test
    func `A token allows an application's own tokens and APIs, and no more than it says`() async throws {
        try await TestServer.with { server in
            try await server.setRegistration("token")
            try await server.addNotes()
            let allowance = RegistrationAllowance(
                grantTypes: ["client_credentials"], resources: [Self.notes], scopes: ["notes:read"])
            let token = try await server.initialToken(allowance: allowance)
            let reply = try await server.register(
                ["grant_types": ["client_credentials"], "scope": "notes:read notes:write"], token: token.text)
            #expect(reply.status == 201 && reply.json["scope"] == "notes:read", "\(reply.text)")
            #expect(reply.json["response_types"] == [])
            let (id, secret) = (reply.json["client_id"].text ?? "", reply.json["client_secret"].text ?? "")
            let asked = try await server.form(
                "/oauth/token",
                ["grant_type": "client_credentials", "scope": "notes:read", "resource": Self.notes],
                headers: .basic(id, secret))
            #expect(asked.status == 200, "\(asked.text)")
            let more = try await server.form(
                "/oauth/token",
                ["grant_type": "client_credentials", "scope": "notes:write", "resource": Self.notes],
                headers: .basic(id, secret))
            #expect(more.status == 400, "\(more.text)")
            // A public application has nothing to show.
            let bare = try await server.register(
                ["grant_types": ["client_credentials"], "token_endpoint_auth_method": "none"], token: token.text)
            #expect(bare.status == 400 && bare.json["error"] == "invalid_client_metadata")
            let plain = try await server.initialToken()
            let without = try await server.register(["grant_types": ["client_credentials"]], token: plain.text)
            #expect(without.status == 400)
            let scopes = try await server.register(Self.site.with(["scope": "openid notes:read"]), token: plain.text)
            #expect(scopes.json["scope"] == "openid", "\(scopes.text)")
        }
    }

    @Test
    func `APIs that are open to all are registered for where nothing is asked, and users are always asked`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            try await server.addNotes()
            try await server.setRegistration("open", resources: [Self.notes])
            let reply = try await server.register(
                Self.site.with([
                    "redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none",
                ]))
            #expect(reply.status == 201, "\(reply.text)")
            #expect(reply.json["application_type"] == "native" && reply.json["client_secret"] == .null)
            #expect(reply.json["scope"] == "openid profile email phone offline_access notes:read notes:write")
            let id = try #require(reply.json["client_id"].text)
            var browser = Browser(server)
            try await browser.signIn()
            let silent = try await browser.authorize(id, ["prompt": "none"])
            #expect(silent.answer["error"] == "consent_required", "\(silent.text)")
            let asked = try await browser.authorize(
                id,
                [
                    "scope": "openid notes:read", "resource": Self.notes,
                    "redirect_uri": "http://127.0.0.1:4711/callback",
                ])
            #expect(asked.status == 303 && asked.location?.contains("/sign-in") == true, "\(asked.text)")
        }
    }

    // MARK: Limits

    @Test
    func `Twenty an hour register from one source, and more from others or with a token`() async throws {
        try await TestServer.with { server in
            try await server.setRegistration("open")
            for number in 0..<20 {
                #expect(try await server.register(Self.site, from: "192.0.2.9").status == 201, "\(number)")
            }
            let refused = try await server.register(Self.site, from: "192.0.2.9")
            #expect(refused.status == 429 && refused.headers[.retryAfter] != nil)
            #expect(try await server.register(Self.site, from: "192.0.2.10").status == 201)
            let token = try await server.initialToken(lifetime: 7200)
            #expect(try await server.register(Self.site, token: token.text, from: "192.0.2.9").status == 201)
            let standing = try await server.realm.standingLimits.list(ListRange(limit: 100)).rows
            #expect(standing.contains { $0.kind == .registrationsFromSource && $0.subject == "192.0.2.9" })
            try await server.advance(3601)
            #expect(try await server.register(Self.site, from: "192.0.2.9").status == 201)
        }
    }

    @Test
    func `After a day those go that came without a token and were not used, approved or blocked`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            try await server.setRegistration("open")
            let native = Self.site.with([
                "redirect_uris": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": "none",
            ])
            func added(_ token: String? = nil) async throws -> String {
                try #require(try await server.register(native, token: token).json["client_id"].text)
            }
            let (unused, used, withdrawn, approved, blocked) = (
                try await added(), try await added(), try await added(), try await added(), try await added()
            )
            let admitted = try await added(server.initialToken().text)
            _ = try await server.realm.registrations.approve(ClientID(rawValue: approved), true, by: .testAdministrator)
            _ = try await server.realm.applications.change(ClientID(rawValue: blocked), by: .testAdministrator) {
                $0.isDisabled = true
            }
            try await server.use(used)
            try await server.use(withdrawn)
            try await server.realm.maintenance.run()
            let id = ClientID(rawValue: withdrawn)
            for grant in try await server.realm.store.read({ try $0.grants(of: id, before: nil, limit: 9) }) {
                #expect(try await server.realm.grants.end(grant.id, of: grant.userID, by: .testAdministrator))
            }
            try await server.advance(86_300)
            try await server.realm.maintenance.run()
            #expect(try await server.realm.registrations.list().rows.count == 6)
            try await server.advance(200)
            try await server.realm.maintenance.run()
            let left = Set(try await server.realm.registrations.list().rows.map(\.id.rawValue))
            #expect(left == [used, withdrawn, approved, blocked, admitted] && !left.contains(unused))
            let events = try await server.realm.auditLog.events().filter { $0.kind == .applicationRemoved }
            #expect(events.map(\.reason) == ["unused"])
            // Users' dealings with it do not bring it back into the list of those that wait.
            try await server.advance(90 * 86_400)
            try await server.realm.maintenance.run()
            #expect(try await server.realm.registrations.list().rows.count == 5)
        }
    }

    @Test
    func `Applications of before, and those of administrators, are administrators'`() throws {
        let before = Data(#"{"displayName":"Old","redirectURIs":[],"oauth":{"kind":"web"}}"#.utf8)
        let registration = try JSONDecoder().decode(ApplicationRegistration.self, from: before)
        #expect(registration.oauth.origin == .administrator && !registration.oauth.isUnchecked)
        #expect(ApplicationRegistration().oauth.origin == .administrator)
        let again = try JSONDecoder().decode(
            ApplicationRegistration.self, from: JSONEncoder().encode(registration))
        #expect(again == registration)
    }
}

extension TestServer {
    /// Switches registration to a mode, as `countersign config set` does.
    func setRegistration(_ mode: String, resources: [String]? = nil) async throws {
        let registration = try #require(OAuthSettings.Registration(rawValue: mode))
        try await realm.changeSettings(by: .testAdministrator) {
            $0.oauth.registration = registration
            $0.oauth.registrationResources = resources
        }
    }

    func register(_ metadata: JSON, token: String? = nil, from: String? = nil) async throws -> Reply {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.authorization] = token.map { "Bearer \($0)" }
        return try await send(.post, "/oidc/register", headers: headers, body: metadata.bytes, from: from)
    }

    func initialToken(
        lifetime: TimeInterval = 3600, count: Int? = nil, allowance: RegistrationAllowance = RegistrationAllowance()
    ) async throws -> (id: String, text: String) {
        let made = try #require(
            await realm.registrationTokens.add(
                name: "test", lifetime: lifetime, count: count, allowance: allowance, by: .testAdministrator))
        return (made.token.id, made.text.reveal())
    }

    /// An API with two scopes.
    func addNotes() async throws {
        let notes = Resource(
            uri: SelfRegistrationTests.notes, name: "Notes",
            scopes: [.init(name: "notes:read"), .init(name: "notes:write")])
        #expect(try await realm.resources.put(notes, by: .testAdministrator) == .done)
    }

    /// A user allows a native application to know who they are, and it gets its tokens.
    @discardableResult
    func use(_ client: String, scope: String = "openid offline_access") async throws -> JSON {
        var browser = Browser(self)
        try await browser.signIn()
        let begun = try await browser.authorize(client, ["scope": scope])
        #expect(begun.location?.hasPrefix("/sign-in/consent?flow=") == true, "\(begun.location ?? begun.text)")
        let flow = try #require(begun.answer["flow"])
        let key = try #require(BrowserKey(cookie: browser.cookies["__Host-cs_browser"] ?? ""))
        #expect(
            try await realm.authorizations.answer(
                .allow, to: FlowHandle(flow), in: key, session: browser.session?.id, by: .testAdministrator))
        let code = try #require(await browser.get("/authorize/continue?flow=\(flow)").answer["code"])
        let reply = try await redeem(code, client: client)
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json
    }
}

extension HTTPFields {
    static func basic(_ id: String, _ secret: String) -> HTTPFields {
        [.authorization: "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"]
    }
}
