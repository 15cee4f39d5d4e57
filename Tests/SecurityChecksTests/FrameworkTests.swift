import CountersignCore
import CountersignServer
import DialectTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SecurityChecks
import SecurityChecksServer
import ServerHTTP
import TestSupport
import Testing

/// What the framework does whatever the checks are, step by step, as far as it is the server's: G2 to G4 and G6 to G8, G10
/// to G12 and G18 are the client module's.
@Suite("The framework of security checks")
struct FrameworkTests {
    private static let scope = "RegisteredClient accessRestricted"
    private static let pin: JSON = ["PinCodeAttempts": ["pin": "1234"]]

    @Test
    func `G1: a client that is not known is told so everywhere, in the word that makes it register anew`() async throws
    {
        try await TestServer.with(.development) { server in
            var client = try MobileClient(on: server)
            for id in ["", "made-up", "6c1c47ea-3c4b-4b57-9df5-0a8d12f2f3e4"] {
                client.id = id
                let replies = [
                    try await client.preauthorize("RegisteredClient"), try await client.redeem("code"),
                    try await client.logout("UserLogin"),
                    try await client.json(
                        .put, "/registration/v1/self/\(id.isEmpty ? "x" : id)",
                        ["signedRegistrationData": client.parts(client.header(), client.data)]),
                ]
                for reply in replies where !id.isEmpty || reply.status == 400 {
                    #expect(reply.status == 400, "\(reply.text)")
                    #expect(reply.json["errorCode"] == "INVALID_CLIENT_ID", "\(reply.text)")
                }
            }
            let authorization = try await client.authorization("RegisteredClient")
            #expect(authorization.status == 400 && authorization.json["errorCode"] == "INVALID_CLIENT_ID")
        }
    }

    @Test
    func `A registration names the client, and a server version that old SDKs insist on`() async throws {
        try await TestServer.with(.development) { server in
            let reply = try await MobileClient(on: server).register()
            #expect(reply.status == 201)
            #expect(reply.json["server_version"] == "8.0.2020032408")
            #expect(
                reply.headers[.location]?.wholeMatch(
                    of: /\/mfp\/api\/registration\/clients\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)

            let client = try await MobileClient.registered(on: server)
            var renamed = client
            renamed.version = "1.0.1"
            let updated = try await renamed.json(
                .put, "/registration/v1/self/\(client.id)",
                ["signedRegistrationData": renamed.parts(renamed.header(kid: client.id), renamed.data)])
            #expect(updated.status == 200, "\(updated.text)")
            let query = MobileClient.encoded([("client_assertion", try client.assertion())])
            let shown = try await server.send(.get, "/mfp/api/registration/v1/self/\(client.id)?\(query)")
            #expect(shown.status == 200 && shown.json["application"]["version"] == "1.0.1", "\(shown.text)")
            // Where the vendor's SDKs look for it.
            let registration = shown.json["registration"]
            #expect(registration.names == ["application", "attributes", "device"], "\(shown.text)")
            #expect(registration["device"]["id"].text == client.device && registration["attributes"] == [:])
            #expect(registration["application"]["version"] == "1.0.1")

            let other = try await MobileClient.registered(on: server)
            let foreign = try await server.send(.get, "/mfp/api/registration/v1/self/\(other.id)?\(query)")
            #expect(foreign.status == 400 && foreign.json["errorCode"] == "INVALID_CLIENT_ID")

            // The key is the same, and the client another.
            let misnamed = try await renamed.json(
                .put, "/registration/v1/self/\(client.id)",
                ["signedRegistrationData": renamed.parts(renamed.header(kid: other.id), renamed.data)])
            #expect(misnamed.status == 400 && misnamed.json["errorCode"] == "INVALID_CLIENT_ID")

            // Another key belongs to no client; another device or application is another client.
            let thief = try MobileClient(on: server, key: .freshRSA())
            let stolen = try await thief.json(
                .put, "/registration/v1/self/\(client.id)",
                ["signedRegistrationData": thief.parts(thief.header(), client.data)])
            #expect(stolen.status == 400 && stolen.json["errorCode"] == "INVALID_CLIENT_ID")
            var moved = client
            moved.device = "another device"
            let carried = try await moved.json(
                .put, "/registration/v1/self/\(client.id)",
                ["signedRegistrationData": moved.parts(moved.header(), moved.data)])
            #expect(carried.status == 400)
        }
    }

    @Test
    func `Every answer about a registration has the server's version, refusals too: SDKs of 2017 insist on it`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            let body: JSON = ["signedRegistrationData": try client.parts(client.header(), client.data)]
            var stranger = client
            stranger.application = "com.example.unknown"
            let path = "/registration/v1/self"
            let query = MobileClient.encoded([("client_assertion", try client.assertion())])
            func show(_ query: String) async throws -> Reply {
                try await server.send(.get, "/mfp/api\(path)/\(client.id)?\(query)")
            }
            var replies = [
                (201, try await client.register()), (200, try await client.json(.put, "\(path)/\(client.id)", body)),
                (200, try await show(query)), (400, try await show("")), (400, try await show("client_assertion=x")),
                (400, try await client.json(.post, path, [:])), (400, try await client.json(.post, path, "text")),
                (400, try await client.json(.put, "\(path)/made-up", body)),
                (403, try await stranger.register()), (405, try await client.json(.delete, path, [:])),
            ]
            let large = JSON.string(String(repeating: "a", count: 2_000_000))
            replies.append((400, try await client.json(.post, path, ["signedRegistrationData": large])))
            try await server.setVersions([ApplicationVersion(access: .disabled(message: "Update.", downloadLink: nil))])
            replies.append((403, try await client.register()))
            for (status, reply) in replies {
                #expect(reply.json["server_version"] == "8.0.2020032408", "\(reply.status) \(reply.text)")
                #expect(reply.status == status, "\(reply.text)")
            }
            #expect(replies.last?.1.json["failures"].names == ["wl_remoteDisableRealm"])
            // Elsewhere it is not asked for.
            #expect(try await client.preauthorize("RegisteredClient").json["server_version"] == .null)
        }
    }

    @Test
    func `A logout without a name, which the SDKs call by the default scope, is one of all checks`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            let login: JSON = ["UserLogin": ["username": "ada", "password": "ada", "rememberMe": true]]
            for fields in [[("security_check", "RegisteredClient")], [("security_check", "")], []] {
                expectGranted(try await client.preauthorize(Self.scope, Self.pin))
                expectGranted(try await client.preauthorize("UserLogin", login))
                let (token, _) = try await client.token(Self.scope)
                let reply = try await client.form(
                    "/preauth/v1/logout", fields + [("client_assertion", try client.assertion())])
                #expect(reply.status == 200 && reply.json == [:], "\(reply.text)")
                #expect(try await server.introspect(token) == ["active": false])
                // No user is remembered either.
                #expect(try await client.preauthorize("UserLogin").status == 401)
                #expect(try await client.preauthorize(Self.scope).status == 401)
            }
            let unsigned = try await client.form("/preauth/v1/logout", [])
            #expect(unsigned.status == 400)
            #expect(try await client.logout("made-up").status == 400)
        }
    }

    @Test
    func `What SDKs ask for their logs is answered, and nothing is kept of it`() async throws {
        try await TestServer.with { server in
            let client = try MobileClient(on: server)
            for body in [["log": "text"] as JSON, "text"] {
                #expect(try await client.json(.post, "/loguploader", body).status == 200)
            }
            // Compressed, in a size that is no log's, and where a body is read.
            for (path, size, status) in [
                ("loguploader", 100_000, 200), ("loguploader", (1 << 20) + 1, 400), ("preauth/v1/logout", 100, 415),
            ] {
                let reply = try await server.send(
                    .post, "/mfp/api/\(path)",
                    headers: [.contentType: "application/json", .contentEncoding: "gzip"],
                    body: [UInt8](repeating: 0x1F, count: size))
                #expect(reply.status == status, "\(path): \(reply.text)")
            }
            for path in ["", "/com.example.app/ios", "/com.example.app/android/1.0.0"] {
                let reply = try await server.send(.get, "/mfp/api/clientLogProfile\(path)")
                #expect(reply.status == 200 && reply.json == ["clientLogProfiles": []], "\(path): \(reply.text)")
            }
        }
    }

    @Test
    func `Statements are taken in both alphabets of Base64, with or without padding`() async throws {
        try await TestServer.with(.development) { server in
            let client = try MobileClient(on: server)
            func standard(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
            let (header, payload) = (standard(try client.header().bytes), standard(client.data.bytes))
            let signature = standard(try client.key.signature(of: "\(header).\(payload)"))
            let reply = try await client.json(
                .post, "/registration/v1/self",
                [
                    "signedRegistrationData": [
                        "header": .string(header), "payload": .string(payload), "signature": .string(signature),
                    ], "registrationData": ["ignored": true],
                ])
            #expect(reply.status == 201, "\(reply.text)")
        }
    }

    @Test
    func `Weak keys, shared secrets and unsigned data are refused, unless a setting says otherwise`() async throws {
        try await TestServer.with(.development) { server in
            let client = try MobileClient(on: server)
            let secret = "0123456789abcdef0123456789abcdef"
            func shared() async throws -> Reply {
                let header: JSON = [
                    "alg": "HS256", "jwk": ["use": "enc", "kty": "oct", "k": ""], "key": .string(secret),
                ]
                let input = "\(header.bytes.base64URL).\(client.data.bytes.base64URL)"
                return try await client.json(
                    .post, "/registration/v1/self",
                    [
                        "signedRegistrationData": [
                            "header": .string(header.bytes.base64URL),
                            "payload": .string(client.data.bytes.base64URL),
                            "signature": .string(hmac(input, secret).base64URL),
                        ]
                    ])
            }
            let refused = try await shared()
            #expect(refused.status == 400)
            // The refusal names the setting that would allow it.
            #expect(
                refused.json["errorMsg"].text?.contains("securityChecks.acceptsSharedSecrets") == true,
                "\(refused.text)")
            let none = try await client.json(
                .post, "/registration/v1/self",
                ["signedRegistrationData": client.parts(client.header().with(["alg": "none"]), client.data)])
            #expect(none.status == 400)
            // Signed by another key than the header has.
            let other = try MobileClient(on: server, key: .freshRSA())
            let crossed = try await client.json(
                .post, "/registration/v1/self",
                ["signedRegistrationData": other.parts(client.header(), client.data)])
            #expect(crossed.status == 400)
            try await server.realm.changeSettings(by: .commandLine) { $0.securityChecks.acceptsSharedSecrets = true }
            let registered = try await shared()
            #expect(registered.status == 201)
            // Switched off again, such a client is refused too, whether it sends its secret or not.
            let id = try #require(registered.headers[.location]?.split(separator: "/").last.map(String.init))
            let now = Int(server.now.timeIntervalSince1970 * 1000)
            let claims: JSON = ["sub": .string(id), "iat": .integer(now), "exp": .integer(now + 60_000)]
            for isOn in [true, false] {
                try await server.realm.changeSettings(by: .commandLine) {
                    $0.securityChecks.acceptsSharedSecrets = isOn
                }
                for header: JSON in [["alg": "HS256"], ["alg": "HS256", "key": .string(secret)]] {
                    let input = "\(header.bytes.base64URL).\(claims.bytes.base64URL)"
                    let reply = try await client.form(
                        "/preauth/v1/heartbeat",
                        [("client_assertion", "\(input).\(hmac(input, secret).base64URL)")])
                    #expect(reply.status == (isOn ? 200 : 400), "\(reply.text)")
                }
            }
        }
    }

    @Test
    func `G5, G17: an unknown token, or one of a client that has logged out, is invalid`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            for token in ["made-up", "a.b.c", try await server.confidentialToken("accessRestricted") + "x"] {
                let reply = try await client.resource(.get, "ResourceAdapter/balance", token: token)
                #expect(reply.status == 401)
                #expect(reply.headers[.wwwAuthenticate] == #"Bearer error="invalid_token""#)
                #expect(try await server.introspect(token) == ["active": false])
            }
        }
    }

    @Test
    func
        `A token is over at its time where no check ends it, and one of another issuer, for others, or of no server is none`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            let (own, _) = try await client.token("RegisteredClient")
            let good: [String: JSONValue] = [
                "iss": .string("com.ibm.mfp"), "aud": .string("com.ibm.mfp"), "sub": .string(client.id),
                "scope": .string("RegisteredClient"), "exp": .integer(server.now.seconds + 60),
            ]
            func signed(_ changes: [String: JSONValue]) async throws -> String {
                try await server.realm.keyring.sign(
                    TokenClaims(good.merging(changes) { $1 }), with: .rs256, typ: "at+jwt")
            }
            #expect(try await server.introspect(signed([:]))["active"] == true)
            let foreign: [[String: JSONValue]] = [
                ["iss": .string("https://elsewhere.example")], ["aud": .string("elsewhere")], ["exp": .null],
                ["exp": .integer(server.now.seconds)], ["sub": .string("test")], ["scope": .string("PinCodeAttempts")],
            ]
            for changes in foreign {
                let token = try await signed(changes)
                #expect(try await server.introspect(token) == ["active": false], "\(changes)")
            }
            // The name of a confidential client is no confidential client's token.
            let pretender = try await signed(["sub": .string("test"), "scope": .string("authorization.introspect")])
            let reply = try await server.send(
                .post, "/mfp/api/az/v1/introspection",
                headers: [
                    .authorization: "Bearer \(pretender)", .contentType: "application/x-www-form-urlencoded",
                ], body: Array("token=\(own)".utf8))
            #expect(reply.status == 401, "\(reply.text)")
            #expect(try await server.introspect(own)["active"] == true)
            try await server.advance(3600)
            #expect(try await server.introspect(own) == ["active": false])
        }
    }

    @Test
    func `G9: a code is worth nothing with another key, another jti, again, or for another address`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            var thief = try await MobileClient.registered(on: server, key: .freshRSA())
            expectGranted(try await client.preauthorize("RegisteredClient"))
            let code = try await client.code("RegisteredClient")
            func expectRefused(_ reply: Reply, _ error: JSON) {
                #expect(reply.status == 400 && reply.json["error"] == error, "\(reply.text)")
            }
            expectRefused(try await thief.redeem(code), "invalid_grant")
            thief.id = client.id
            expectRefused(try await thief.redeem(code), "invalid_client")
            expectRefused(try await client.redeem(code, assertion: client.assertion("another")), "invalid_client")
            expectRefused(try await client.redeem(code, redirectURI: "https://mfpredirecturi"), "invalid_grant")
            let foreign = try await client.form(
                "/az/v1/token",
                [
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "http://mfpredirecturi"),
                    ("client_assertion", try client.assertion(code)), ("client_id", "another"),
                ])
            expectRefused(foreign, "invalid_client")
            for changes: [String: JSON?] in [
                ["exp": .integer(1)], ["iat": .integer(Int(server.now.timeIntervalSince1970 * 1000) + 600_000)],
                ["aud": "elsewhere"], ["sub": "somebody"], ["exp": nil],
            ] {
                #expect(
                    try await client.redeem(code, assertion: client.assertion(code, changes: changes)).status == 400)
            }
            #expect(try await client.redeem(code).status == 200)
            expectRefused(try await client.redeem(code), "invalid_grant")
            expectRefused(try await client.redeem("made-up"), "invalid_grant")
        }
    }

    @Test
    func `Codes go to known addresses alone, and errors too`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            for uri in ["https://evil.example", "http://mfpredirecturi.evil.example", "//mfpredirecturi", ""] {
                let reply = try await client.authorization("RegisteredClient", redirectURI: uri)
                #expect(reply.status == 400 && reply.headers[.location] == nil, "\(uri)")
            }
            let web = "/mfp/api/az/v1/authorization/redirect/\(client.id)"
            let reply = try await client.authorization("RegisteredClient", redirectURI: web, state: "a b&c")
            #expect(reply.status == 302)
            let location = try #require(reply.headers[.location])
            #expect(location.hasPrefix(web + "?code=") && location.hasSuffix("&state=a%20b%26c"))
            // As forms write a query: a plus sign is a space, in scopes too.
            let formed = try await server.send(
                .get,
                "/mfp/api/az/v1/authorization?response_type=code&client_id=\(client.id)&redirect_uri=\(web)"
                    + "&scope=RegisteredClient+RegisteredClient&state=a+b%2Bc")
            #expect(formed.status == 302, "\(formed.text)")
            #expect(formed.headers[.location]?.hasSuffix("&state=a%20b%2Bc") == true)
            #expect(try await server.send(.get, location).json["code"].text?.isEmpty == false)
            let denied = try await client.authorization(Self.scope)
            #expect(denied.headers[.location] == "http://mfpredirecturi?error=access_denied")
            let unknown = try await client.authorization("no-such-check")
            #expect(unknown.headers[.location] == "http://mfpredirecturi?error=invalid_scope")
        }
    }

    @Test
    func `G13, G14: a token lives no longer than the application says, and takes the mandatory scope's checks`()
        async throws
    {
        try await TestServer.with(.development) { server in
            try await server.setVersions([
                ApplicationVersion(
                    scopeElementMapping: ["free": ""], mandatoryScope: "PinCodeAttempts", maxTokenExpiration: 30,
                    securityCheckConfigurations: ["PinCodeAttempts": ["successStateExpirationSec": "3600"]])
            ])
            let client = try await MobileClient.registered(on: server)
            #expect(try await client.preauthorize("free").status == 401)
            #expect(try await client.preauthorize("free", Self.pin).status == 200)
            let (token, reply) = try await client.token("free")
            #expect(reply["expires_in"].int == 30 && reply["scope"] == "free")
            #expect(try await client.logout("PinCodeAttempts").status == 200)
            #expect(try await server.introspect(token)["active"] == false)
            let open = try await client.resource(.get, "ResourceAdapter/publicData", token: nil)
            #expect(open.status == 200)
        }
    }

    @Test
    func `A token of before its application asked for a check stays inactive when the check is passed`() async throws {
        try await TestServer.with(.development) { server in
            let mapping = ["free": ""]
            try await server.setVersions([ApplicationVersion(scopeElementMapping: mapping)])
            let client = try await MobileClient.registered(on: server)
            expectGranted(try await client.preauthorize("free"))
            let (token, _) = try await client.token("free")
            #expect(try await server.introspect(token)["active"] == true)
            try await server.setVersions([
                ApplicationVersion(scopeElementMapping: mapping, mandatoryScope: "PinCodeAttempts")
            ])
            #expect(try await server.introspect(token) == ["active": false])
            expectGranted(try await client.preauthorize("free", Self.pin))
            #expect(try await server.introspect(token) == ["active": false])
            let (next, _) = try await client.token("free")
            #expect(try await server.introspect(next)["active"] == true)
        }
    }

    @Test
    func `A scope element that leads nowhere grants nothing`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            for scope in ["no-such-check", "RegisteredClient no-such-check"] {
                let reply = try await client.preauthorize(scope)
                #expect(reply.status == 400 && reply.json["errorMsg"].text?.hasPrefix("invalid_scope") == true)
            }
        }
    }

    @Test
    func `G16: a device that was put away is refused, and its tokens are inactive`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            expectGranted(try await client.preauthorize(Self.scope, Self.pin))
            let (token, _) = try await client.token(Self.scope)
            let administrator: HTTPFields = [
                .authorization: "Bearer \(try await server.confidentialToken("clients:modify clients:read"))",
                .contentType: "application/json",
            ]
            let path = "/mfp/api/registration/v1/clients/\(client.id)"
            func set(_ status: JSON, _ headers: HTTPFields? = nil) async throws -> Reply {
                try await server.send(
                    .post, path, headers: headers ?? administrator,
                    body: JSON.object(["device": ["status": status]]).bytes)
            }
            let weak: HTTPFields = [
                .authorization: "Bearer \(try await server.confidentialToken("clients:read"))",
                .contentType: "application/json",
            ]
            #expect(try await set("LOST", weak).status == 403)
            #expect(try await set("LOST", [.contentType: "application/json"]).status == 401)
            #expect(try await set("ELSEWHERE").status == 400)
            #expect(try await set("LOST").status == 200)
            let shown = try await server.send(.get, path, headers: administrator)
            #expect(shown.json["device"]["status"] == "LOST")
            #expect(try await client.preauthorize(Self.scope, Self.pin).status == 403)
            #expect(try await client.authorization(Self.scope).headers[.location]?.hasSuffix("access_denied") == true)
            #expect(try await server.introspect(token) == ["active": false])
            #expect(try await client.resource(.get, "ResourceAdapter/balance", token: token).status == 401)
            #expect(try await set("ACTIVE").status == 200)
            #expect(try await server.introspect(token)["active"] == true)
        }
    }

    @Test
    func `A version of an application can be put away, with what people are told, and others go on`() async throws {
        try await TestServer.with(.development) { server in
            let old = try await MobileClient.registered(on: server)
            expectGranted(try await old.preauthorize(Self.scope, Self.pin))
            let (token, _) = try await old.token(Self.scope)
            let mapping = ["accessRestricted": "PinCodeAttempts"]
            try await server.setVersions([
                ApplicationVersion(scopeElementMapping: mapping),
                ApplicationVersion(
                    clientPlatform: "ios", version: "1.0.0", scopeElementMapping: mapping,
                    access: .disabled(message: "Get 2.0.", downloadLink: "https://example.org/app")),
            ])
            expectFailures(
                try await old.preauthorize(Self.scope),
                ["wl_remoteDisableRealm": ["message": "Get 2.0.", "downloadLink": "https://example.org/app"]])
            #expect(try await server.introspect(token) == ["active": false])
            var new = try MobileClient(on: server)
            new.version = "2.0"
            #expect(try await new.register().status == 201)
            #expect(try await MobileClient(on: server).register().status == 403)
            try await server.setVersions([ApplicationVersion(version: "2.0")])
            #expect(try await old.preauthorize(Self.scope).json["errorCode"] == "APPLICATION_DOES_NOT_EXIST")
            var stranger = try MobileClient(on: server)
            stranger.application = "com.example.unknown"
            #expect(try await stranger.register().status == 403)
        }
    }

    @Test
    func `Confidential clients get what they are registered for`() async throws {
        try await TestServer.with(.development) { server in
            var registration = ApplicationRegistration(scopes: ["send:*", "authorization.introspect"])
            registration.setSecret(Secret("a secret of the server's own"))
            _ = try await server.realm.applications.add(
                id: ClientID(rawValue: "push"), registration, by: .commandLine)
            func token(_ secret: String, _ scope: String) async throws -> Reply {
                try await server.send(
                    .post, "/mfp/api/az/v1/token",
                    headers: [
                        .authorization: "Basic \(Data("push:\(secret)".utf8).base64EncodedString())",
                        .contentType: "application/x-www-form-urlencoded",
                    ], body: Array(MobileClient.encoded([("grant_type", "client_credentials"), ("scope", scope)]).utf8))
            }
            let good = try await token("a secret of the server's own", "send:a send:b")
            #expect(good.status == 200 && good.json["expires_in"] == 3600)
            #expect(good.headers[.cacheControl] == "no-store" && good.headers[HTTPField.Name("Pragma")!] == "no-cache")
            let wide = try await token("a secret of the server's own", "send:a receive:b")
            #expect(wide.status == 400 && wide.json["error"] == "invalid_scope")
            let wrong = try await token("another", "send:a")
            #expect(wrong.status == 400 && wrong.json["error"] == "invalid_client")
            // A client's token opens no introspection, and a server's no resource that it has no scope for.
            let client = try await MobileClient.registered(on: server)
            let (own, _) = try await client.token("RegisteredClient")
            for bearer in [own, good.json["access_token"].text ?? ""] {
                let reply = try await server.send(
                    .post, "/mfp/api/az/v1/introspection",
                    headers: [
                        .authorization: "Bearer \(bearer)", .contentType: "application/x-www-form-urlencoded",
                    ], body: Array("token=\(own)".utf8))
                #expect(reply.status == (bearer == own ? 401 : 403), "\(reply.text)")
            }
        }
    }

    @Test
    func `A confidential client that may not have a scope any more has it no more, whatever its token says`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            let headers: HTTPFields = [
                .authorization: "Bearer \(try await server.confidentialToken("clients:read"))"
            ]
            let path = "/mfp/api/registration/v1/clients/\(client.id)"
            #expect(try await server.send(.get, path, headers: headers).status == 200)
            _ = try await server.realm.applications.change(ClientID(rawValue: "test"), by: .commandLine) {
                $0.scopes = ["authorization.introspect"]
            }
            #expect(try await server.send(.get, path, headers: headers).status == 401)
        }
    }

    @Test
    func `A service whose registration is disabled or gone learns of no token, whatever it asks about`() async throws {
        try await TestServer.with(.development) { server in
            let (own, _) = try await MobileClient.registered(on: server).token("RegisteredClient")
            let asking = try await server.confidentialToken()
            func statuses() async throws -> [Int] {
                var statuses: [Int] = []
                for body in ["token=\(own)", "token=\(asking)", "token=nonsense", ""] {
                    let reply = try await server.send(
                        .post, "/mfp/api/az/v1/introspection",
                        headers: [
                            .authorization: "Bearer \(asking)", .contentType: "application/x-www-form-urlencoded",
                        ], body: Array(body.utf8))
                    #expect(reply.status == 200 || !reply.text.contains("active"), "\(reply.text)")
                    statuses.append(reply.status)
                }
                return statuses
            }
            #expect(try await statuses() == [200, 200, 200, 400])
            let service = ClientID(rawValue: "test")
            _ = try await server.realm.applications.change(service, by: .commandLine) { $0.isDisabled = true }
            #expect(try await statuses() == [401, 401, 401, 401])
            _ = try await server.realm.applications.change(service, by: .commandLine) { $0.isDisabled = false }
            #expect(try await statuses() == [200, 200, 200, 400])
            _ = try await server.realm.applications.remove(service, by: .commandLine)
            #expect(try await statuses() == [401, 401, 401, 401])
        }
    }

    @Test
    func `A client that should retry is told when`() async throws {
        func answer(_ failure: ServerFailure, _ path: String) throws -> Response {
            let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: path)
            return try #require(
                try SecurityChecks.format(failure, Request(head: head, body: RequestBody(buffer: ByteBuffer()))))
        }
        for path in ["/mfp/api/preauth/v1/preauthorize", "/mfp/api/az/v1/token"] {
            for failure in [
                ServerFailure.overloaded(retryAfter: 7), .unavailable(retryAfter: 7), .outcomeUnknown(retryAfter: 7),
            ] {
                let response = try answer(failure, path)
                #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] == "7", "\(path)")
            }
            let response = try answer(.internalError, path)
            #expect(response.status == .internalServerError && response.headers[.retryAfter] == nil)
        }
        try await TestServer.with(.production) { server in
            for _ in 0..<300 { _ = try await MobileClient(on: server).register() }
            let reply = try await MobileClient(on: server).register()
            #expect(reply.status == 429 && reply.headers[.retryAfter] != nil, "\(reply.text)")
        }
    }

    @Test
    func `A client that an administrator removes has to register anew, and its tokens are good for nothing`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            expectGranted(try await client.preauthorize(Self.scope, Self.pin))
            let (token, _) = try await client.token(Self.scope)
            let path = "/mfp/api/registration/v1/clients/\(client.id)"
            func remove(_ scope: String) async throws -> Int {
                let token = try await server.confidentialToken(scope)
                return try await server.send(.delete, path, headers: [.authorization: "Bearer \(token)"]).status
            }
            #expect(try await remove("clients:read") == 403)
            #expect(try await remove("clients:delete") == 200)
            #expect(try await remove("clients:delete") == 404)
            #expect(try await server.introspect(token) == ["active": false])
            #expect(try await client.preauthorize(Self.scope, Self.pin).json["errorCode"] == "INVALID_CLIENT_ID")
            let events = try await server.realm.auditLog.events(limit: 50).filter { $0.kind == .clientRemoved }
            #expect(events.count == 1)
        }
    }

    @Test
    func `A heartbeat is taken from the key's holder alone`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            let good = try await client.form(
                "/preauth/v1/heartbeat", [("client_assertion", try client.assertion(changes: ["aud": .some(.null)]))])
            #expect(good.status == 200)
            var thief = try MobileClient(on: server, key: .freshRSA())
            thief.id = client.id
            let bad = try await thief.form("/preauth/v1/heartbeat", [("client_assertion", try thief.assertion())])
            #expect(bad.status == 400 && bad.json["errorCode"] == "INVALID_CLIENT_ID")
            // Signed by the client's key, with another's in the header; and for this client only in the header.
            let now = Int(server.now.timeIntervalSince1970 * 1000)
            let claims: JSON = ["sub": .string(client.id), "iat": .integer(now), "exp": .integer(now + 60_000)]
            for (header, payload) in [
                (try thief.header(kid: client.id), claims),
                (try client.header(kid: client.id), claims.with(["sub": nil])),
            ] {
                let parts = try client.parts(header, payload)
                let text = ["header", "payload", "signature"].map { parts[$0].text ?? "" }.joined(separator: ".")
                let odd = try await client.form("/preauth/v1/heartbeat", [("client_assertion", text)])
                #expect(odd.status == 400 && odd.json["errorCode"] == "INVALID_CLIENT_ID", "\(odd.text)")
            }
        }
    }

    @Test
    func `The client's clock is set by every answer that grants or asks`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            for scope in ["RegisteredClient", Self.scope] {
                let reply = try await client.preauthorize(scope)
                #expect(
                    reply.json["successes"]["clockSynchronization"]["serverTimeStamp"].int
                        == Int(server.now.timeIntervalSince1970 * 1000))
            }
        }
    }

    @Test
    func `No request gets a 500`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            let bodies: [String] = [
                "", "{", "[]", "null", "{}", #"{"client_id":null}"#, #"{"client_id":[],"scope":{}}"#,
                #"{"signedRegistrationData":{"header":"","payload":"","signature":""}}"#,
                #"{"signedRegistrationData":{"header":"e30","payload":"e30","signature":"e30"}}"#,
                #"{"client_id":"\#(client.id)","scope":"PinCodeAttempts","challengeResponse":[]}"#,
                #"{"client_id":"\#(client.id)","scope":"PinCodeAttempts","challengeResponse":{"PinCodeAttempts":[1]}}"#,
                #"{"client_id":"\#(client.id)","scope":"\#(String(repeating: "a ", count: 500))"}"#,
                #"{"client_id":"\#(client.id)","scope":"RegisteredClient \u0000"}"#,
                #"{"client_id":"\u0000","scope":"x"}"#,
                String(repeating: "[", count: 10_000), "grant_type=authorization_code&code=%zz",
                "grant_type=authorization_code&code=a&redirect_uri=b&client_assertion=a.b.c",
                "grant_type=refresh_token", "grant_type=client_credentials&scope=%00", "client_assertion=..",
            ]
            let doors: [(HTTPRequest.Method, String)] = [
                (.post, "/registration/v1/self"), (.put, "/registration/v1/self/x"),
                (.get, "/registration/v1/self/x?client_assertion=a.b.c"), (.get, "/registration/v1/self/x"),
                (.post, "/registration/v1/clients/x"), (.delete, "/registration/v1/clients/%00"),
                (.post, "/preauth/v1/preauthorize"), (.post, "/preauth/v1/logout"), (.post, "/preauth/v1/heartbeat"),
                (.get, "/az/v1/authorization"), (.get, "/az/v1/authorization?client_id=%00&scope=%FF"),
                (.get, "/az/v1/authorization/redirect/x?error=%22"), (.post, "/az/v1/token"),
                (.post, "/az/v1/introspection"), (.get, "/adapters/none"), (.get, "/reach"), (.post, "/loguploader"),
            ]
            for (method, path) in doors {
                for body in bodies {
                    for type in ["application/json", "application/x-www-form-urlencoded", "text/plain"] {
                        let reply = try await server.send(
                            method, MobileClient.base + path,
                            headers: [.contentType: type, .authorization: "Basic %%%"], body: Array(body.utf8))
                        #expect(reply.status < 500, "\(method) \(path) \(body.prefix(80)): \(reply.status)")
                    }
                }
            }
        }
    }
}
