import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import HTTPTypes
import JSON
import Testing

/// Authorization requests that applications sign (RFC 9101).
@Suite("Request objects")
struct RequestObjectTests {
    private static let issuer = "http://127.0.0.1:8080"

    /// An application with a key, and the objects that it signs.
    private struct Signer: Sendable {
        let key = P256.Signing.PrivateKey()

        var jwk: JSON {
            let point = Array(key.publicKey.rawRepresentation)
            return [
                "kty": "EC", "crv": "P-256", "x": .string(point[..<32].base64URL), "y": .string(point[32...].base64URL),
            ]
        }

        func object(
            _ claims: JSON, type: String? = "oauth-authz-req+jwt", algorithm: String = "ES256"
        ) throws -> String {
            var header: JSON = ["alg": .string(algorithm)]
            if let type { header = header.with(["typ": .string(type)]) }
            let input = "\(header.bytes.base64URL).\(claims.bytes.base64URL)"
            let signature = try key.signature(for: Data(input.utf8)).rawRepresentation
            return "\(input).\(Array(signature).base64URL)"
        }
    }

    private func add(_ signer: Signer, _ server: TestServer, _ client: String = "signs") async throws {
        var registration = ApplicationRegistration(
            redirectURIs: [Browser.callback, "https://app.example/cb"], scopes: ["openid", "email", "offline_access"])
        registration.assertionKeys = try AssertionKey.keys(
            ofJWKS: JSONParser.parse(JSON.object(["keys": .array([signer.jwk])]).bytes))
        registration.oauth.kind = .web
        registration.oauth.isFirstParty = true
        registration.oauth.authMethod = .privateKeyJWT
        try await server.add(client, registration)
    }

    /// What the application signs: a whole request, with what is different.
    private static func claims(_ server: TestServer, _ changes: [String: JSON?] = [:]) -> JSON {
        let now = Int(server.now.timeIntervalSince1970)
        var claims: [String: JSON] = [
            "iss": "signs", "client_id": "signs", "aud": .string(issuer), "exp": .integer(now + 300),
            "iat": .integer(now), "response_type": "code", "redirect_uri": .string(Browser.callback),
            "scope": "openid offline_access", "state": "of the object", "nonce": "n-7",
            "code_challenge": .string(Browser.proofKey.challenge), "code_challenge_method": "S256",
        ]
        for (name, value) in changes { claims[name] = value }
        return .object(claims)
    }

    private static func with(
        _ body: @Sendable (TestServer, Signer, inout Browser) async throws -> Void
    ) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            let signer = Signer()
            try await RequestObjectTests().add(signer, server)
            var browser = Browser(server)
            try await browser.signIn()
            try await body(server, signer, &browser)
        }
    }

    private static func link(_ object: String, _ more: [String: String] = [:]) -> String {
        "/authorize?\(Browser.query(["client_id": "signs", "request": object].merging(more) { $1 }))"
    }

    @Test
    func `Only what the application signed counts, whatever the address says beside it`() async throws {
        try await Self.with { server, signer, browser in
            let object = try signer.object(
                Self.claims(
                    server,
                    [
                        "max_age": 3600, "claims": ["id_token": ["auth_time": ["essential": true]]],
                        "aud": .array([.string(Self.issuer)]),
                    ]))
            let reply = try await browser.get(
                Self.link(
                    object,
                    [
                        "state": "of the address", "redirect_uri": "https://app.example/cb", "scope": "openid email",
                        "response_mode": "fragment", "nonce": "other",
                    ]))
            #expect(reply.location?.hasPrefix("\(Browser.callback)?code=") == true, "\(reply.location ?? reply.text)")
            #expect(reply.answer["state"] == "of the object")
            #expect(reply.answer["iss"] == Self.issuer)
        }
    }

    @Test
    func `An application that registers itself signs its requests with a key beside its secret`() async throws {
        try await Self.with { server, signer, browser in
            try await server.setRegistration("open")
            let reply = try await server.register([
                "redirect_uris": [.string(Browser.callback)], "token_endpoint_auth_method": "client_secret_basic",
                "scope": "openid", "jwks": ["keys": .array([signer.jwk])],
            ])
            #expect(reply.status == 201 && reply.json["client_secret"].text != nil, "\(reply.text)")
            #expect(reply.json["jwks"] == ["keys": .array([signer.jwk])], "\(reply.text)")
            let client = try #require(reply.json["client_id"].text)
            let changes: [String: JSON?] = [
                "iss": .string(client), "client_id": .string(client), "scope": "openid", "prompt": "none",
            ]
            func answer(_ object: String) async throws -> String? {
                try await browser.get(Self.link(object, ["client_id": client])).answer["error"]
            }
            // Its user was not asked yet: the request was read.
            #expect(try await answer(signer.object(Self.claims(server, changes))) == "consent_required")
            #expect(try await answer(Signer().object(Self.claims(server, changes))) == nil)
        }
    }

    @Test
    func `A fault of a signed request goes to the address that was signed`() async throws {
        try await Self.with { server, signer, browser in
            let object = try signer.object(Self.claims(server, ["code_challenge": nil]))
            let reply = try await browser.get(Self.link(object, ["code_challenge": Browser.proofKey.challenge]))
            #expect(reply.answer["error"] == "invalid_request" && reply.answer["state"] == "of the object")
        }
    }

    /// What is wrong with an object, by what is different in its claims.
    private static let faults: [(String, [String: JSON?])] = [
        ("another issuer", ["iss": "dev-web"]), ("no issuer", ["iss": nil]),
        ("another application", ["client_id": "dev-web"]), ("no application", ["client_id": nil]),
        ("another audience", ["aud": "https://elsewhere.example"]), ("no audience", ["aud": nil]),
        ("two audiences", ["aud": .array([.string(issuer), "https://elsewhere.example"])]),
        ("the token endpoint as audience", ["aud": .string("\(issuer)/oauth/token")]), ("no end", ["exp": nil]),
        ("an object in it", ["request": "e30.e30."]), ("a pushed request in it", ["request_uri": "urn:x"]),
        ("an address of another", ["redirect_uri": "https://evil.example/cb"]), ("no address", ["redirect_uri": nil]),
        ("two addresses", ["redirect_uri": .array(["https://app.example/cb", .string(Browser.callback)])]),
        ("nothing as scope", ["scope": .null]), ("a list as scope", ["scope": .array(["openid"])]),
    ]

    @Test(arguments: faults.map(\.0))
    func `An object that is wrong is answered with a page, and leads nowhere`(name: String) async throws {
        try await Self.with { server, signer, browser in
            let changes = try #require(Self.faults.first { $0.0 == name }).1
            let object = try signer.object(Self.claims(server, changes))
            let reply = try await browser.get(Self.link(object, ["redirect_uri": Browser.callback]))
            #expect(reply.status == 400 && reply.location == nil, "\(reply.location ?? reply.text)")
        }
    }

    @Test
    func `Times, type, algorithm and key of an object are judged`() async throws {
        try await Self.with { server, signer, browser in
            let now = Int(server.now.timeIntervalSince1970)
            let good = try signer.object(Self.claims(server))
            var parts = good.split(separator: ".").map(String.init)
            parts[1] = Self.claims(server, ["scope": "openid email"]).bytes.base64URL
            let none: JSON = ["alg": "none", "typ": "oauth-authz-req+jwt"]
            let wrong = [
                "over": try signer.object(Self.claims(server, ["exp": .integer(now)])),
                "too long": try signer.object(Self.claims(server, ["exp": .integer(now + 606)])),
                "from later": try signer.object(Self.claims(server, ["iat": .integer(now + 61)])),
                "not yet": try signer.object(Self.claims(server, ["nbf": .integer(now + 61)])),
                "an untyped assertion": try signer.object(Self.claims(server, ["sub": "signs"]), type: nil),
                "a JWT about a user": try signer.object(Self.claims(server, ["sub": "u"]), type: "JWT"),
                "an empty type": try signer.object(Self.claims(server), type: ""),
                "an access token": try signer.object(Self.claims(server), type: "at+jwt"),
                "an assertion": try signer.object(Self.claims(server), type: "client-authentication+jwt"),
                "another algorithm": try signer.object(Self.claims(server), algorithm: "RS256"),
                "a key of another": try Signer().object(Self.claims(server)),
                "changed": parts.joined(separator: "."),
                "unsigned": "\(none.bytes.base64URL).\(Self.claims(server).bytes.base64URL).",
                "encrypted": "a.b.c.d.e", "no object": "x", "empty parts": "..",
            ]
            for (name, object) in wrong {
                let reply = try await browser.get(Self.link(object, ["redirect_uri": Browser.callback]))
                #expect(reply.status == 400 && reply.location == nil, "\(name): \(reply.location ?? reply.text)")
            }
            let latest = try signer.object(Self.claims(server, ["exp": .integer(now + 600)]))
            #expect(try await browser.get(Self.link(latest)).answer["code"] != nil)
            // Beside a pushed one it is one too many.
            let both = try await browser.get(
                Self.link(good, ["request_uri": "urn:ietf:params:oauth:request_uri:x"]))
            #expect(both.status == 400 && both.location == nil)
        }
    }

    @Test(arguments: [nil, "JWT", "jwt", "oauth-authz-req+jwt", "application/oauth-authz-req+jwt"] as [String?])
    func `An object needs no type, as those of OpenID Connect have none`(type: String?) async throws {
        try await Self.with { server, signer, browser in
            let reply = try await browser.get(Self.link(signer.object(Self.claims(server), type: type)))
            #expect(reply.answer["code"] != nil && reply.answer["state"] == "of the object", "\(reply.text)")
        }
    }

    @Test
    func `An object is pushed by the application, and refused there as JSON`() async throws {
        try await Self.with { server, signer, browser in
            let now = Int(server.now.timeIntervalSince1970)
            func push(_ object: String) async throws -> Reply {
                let assertion = try signer.object(
                    [
                        "iss": "signs", "sub": "signs", "aud": .string(Self.issuer), "exp": .integer(now + 120),
                        "jti": .string(UUID().uuidString),
                    ], type: "client-authentication+jwt")
                return try await server.form(
                    "/oauth/par",
                    [
                        "client_id": "signs", "request": object, "client_assertion": assertion,
                        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    ])
            }
            let refused = try await push(try Signer().object(Self.claims(server)))
            #expect(refused.status == 400 && refused.json["error"] == "invalid_request_object", "\(refused.text)")
            let pushed = try await push(try signer.object(Self.claims(server)))
            #expect(pushed.status == 201, "\(pushed.text)")
            let uri = try #require(pushed.json["request_uri"].text)
            let reply = try await browser.get(
                "/authorize?\(Browser.query(["client_id": "signs", "request_uri": uri]))")
            #expect(reply.answer["code"] != nil && reply.answer["state"] == "of the object")
        }
    }

    @Test
    func `An application without keys is told that it has none, and the metadata says who may sign with what`()
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            var browser = Browser(server)
            let reply = try await browser.authorize("dev-native", ["request": "e30.e30."])
            #expect(reply.answer["error"] == "request_not_supported")
            let metadata = try await server.send(.get, "/.well-known/openid-configuration").json
            #expect(metadata["request_parameter_supported"] == true)
            #expect(metadata["request_uri_parameter_supported"] == false)
            #expect(
                metadata["request_object_signing_alg_values_supported"]
                    == metadata["token_endpoint_auth_signing_alg_values_supported"])
        }
    }
}
