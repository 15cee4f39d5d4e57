import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing

/// What an application is registered with, as its requests show it.
@Suite("Registrations of OAuth")
struct RegistrationTests {
    /// A service that signs its assertions with a key that it publishes.
    private func assertion(
        _ server: TestServer, _ key: P256.Signing.PrivateKey, kid: String, id: String = UUID().uuidString,
        audience: String = "http://127.0.0.1:8080"
    ) throws -> String {
        let header: JSON = ["alg": "ES256", "kid": .string(kid)]
        let now = Int(server.now.timeIntervalSince1970)
        let claims: JSON = [
            "iss": "robot", "sub": "robot", "aud": .string(audience), "jti": .string(id),
            "iat": .integer(now), "exp": .integer(now + 60),
        ]
        let input = "\(header.bytes.base64URL).\(claims.bytes.base64URL)"
        return "\(input).\(Array(try key.signature(for: Data(input.utf8)).rawRepresentation).base64URL)"
    }

    private func jwks(_ keys: [(String, P256.Signing.PrivateKey)]) -> String {
        let members = keys.map { id, key -> JSON in
            let point = Array(key.publicKey.rawRepresentation)
            return [
                "kty": "EC", "crv": "P-256", "kid": .string(id), "use": "sig",
                "x": .string(point[..<32].base64URL), "y": .string(point[32...].base64URL),
            ]
        }
        let set: JSON = ["keys": .array(members)]
        return String(decoding: set.bytes, as: UTF8.self)
    }

    private func ask(_ server: TestServer, _ assertion: String) async throws -> Reply {
        try await server.form(
            "/oauth/token",
            [
                "grant_type": "client_credentials", "client_assertion": assertion,
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ])
    }

    private func addRobot(_ server: TestServer, _ uri: String) async throws {
        var registration = ApplicationRegistration(scopes: ["api"])
        registration.oauth = OAuthRegistration(kind: .service)
        registration.oauth.authMethod = .privateKeyJWT
        registration.oauth.jwksURI = uri
        try await server.add("robot", registration)
    }

    @Test
    func `Keys that an application publishes verify its assertions, and new ones after a minute`() async throws {
        let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let service = try ScriptedService(ScriptedService.json(jwks([("1", first)])))
        defer { service.stop() }
        try await TestServer.with(.development) { server in
            try await addRobot(server, "http://127.0.0.1:\(service.port)/jwks")
            let one = try assertion(server, first, kid: "1")
            #expect(try await ask(server, one).status == 200)
            #expect(try await ask(server, one).status == 401, "once")
            service.answers(ScriptedService.json(jwks([("2", second)])))
            #expect(try await ask(server, assertion(server, second, kid: "2")).status == 401)
            #expect(service.requests.count == 1)
            try await server.advance(61)
            #expect(try await ask(server, assertion(server, second, kid: "2")).status == 200)
            #expect(try await ask(server, assertion(server, first, kid: "1")).status == 401, "It was withdrawn.")
            #expect(service.requests.count == 2)
            // The name alone is not enough for an application that has keys.
            let named = try await server.form(
                "/oauth/token", ["grant_type": "client_credentials", "client_id": "robot"])
            #expect(named.status == 401)
        }
    }

    @Test
    func `Old libraries name an endpoint of this server in assertions, where their registration says so`() async throws
    {
        let key = P256.Signing.PrivateKey()
        try await TestServer.with(.development) { server in
            var registration = ApplicationRegistration(redirectURIs: [Browser.callback], scopes: ["openid"])
            registration.assertionKeys = try AssertionKey.keys(
                ofJWKS: JSONParser.parse(Array(jwks([("1", key)]).utf8)))
            registration.oauth = OAuthRegistration(kind: .web)
            registration.oauth.authMethod = .privateKeyJWT
            try await server.add("robot", registration)
            func push(_ audience: String) async throws -> Int {
                try await server.form(
                    "/oauth/par",
                    [
                        "response_type": "code", "client_id": "robot", "redirect_uri": Browser.callback,
                        "scope": "openid", "code_challenge": Browser.proofKey.challenge,
                        "code_challenge_method": "S256",
                        "client_assertion": assertion(server, key, kid: "1", audience: audience),
                        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    ]
                ).status
            }
            let base = "http://127.0.0.1:8080"
            let endpoints = ["token", "par", "revoke", "introspect", "device/code"].map { "\(base)/oauth/\($0)" }
            #expect(try await push(base) == 201)
            for endpoint in endpoints { #expect(try await push(endpoint) == 401, "\(endpoint)") }
            _ = try await server.realm.applications.change(ClientID(rawValue: "robot"), by: .testAdministrator) {
                $0.oauth.takesTokenEndpointAudience = true
            }
            for endpoint in endpoints + [base] { #expect(try await push(endpoint) == 201, "\(endpoint)") }
            for other in ["\(base)/authorize", "\(base)/oauth", "https://elsewhere.example/oauth/par"] {
                #expect(try await push(other) == 401, "\(other)")
            }
        }
    }

    /// CVE-2020-10770, CVE-2026-1180.
    @Test
    func `A key set at an address of the local network, or behind a redirect, is not fetched`() async throws {
        let key = P256.Signing.PrivateKey()
        let inner = try ScriptedService(ScriptedService.json(jwks([("1", key)])))
        defer { inner.stop() }
        let port = inner.port
        let outer = try ScriptedService { _ in
            [.send(ScriptedService.answer(302, "", headers: ["Location: http://127.0.0.1:\(port)/"]))]
        }
        defer { outer.stop() }
        try await TestServer.with(.development) { server in
            try await addRobot(server, "http://127.0.0.1:\(outer.port)/")
            #expect(try await ask(server, assertion(server, key, kid: "1")).status == 401)
            #expect(outer.requests.count == 1 && inner.requests.isEmpty)
        }
        // Production connects to no loopback address.
        try await TestServer.with(.production) { server in
            try await addRobot(server, "http://127.0.0.1:\(port)/")
            #expect(try await ask(server, assertion(server, key, kid: "1")).status == 401)
            #expect(inner.requests.isEmpty)
        }
    }

    @Test
    func `The age and the assurance of an application's registration count where a request names none`() async throws {
        try await TestServer.with(.development) { server in
            let user = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .testAdministrator) {
                $0.oauth.defaultMaxAge = 60
            }
            var browser = Browser(server)
            try await browser.signIn()
            let fresh = try await browser.authorize("dev-native", ["prompt": "none"])
            #expect(fresh.answer["code"] != nil)
            try await server.advance(61)
            let old = try await browser.authorize("dev-native", ["prompt": "none"])
            #expect(old.answer["error"] == "login_required")
            let asked = try await browser.authorize("dev-native", ["prompt": "none", "max_age": "3600"])
            #expect(asked.answer["code"] != nil, "The request's own age counts.")
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .testAdministrator) {
                $0.oauth.defaultMaxAge = nil
                $0.oauth.defaultACR = ["aal2"]
            }
            let short = try await browser.authorize("dev-native", ["prompt": "none"])
            #expect(short.answer["error"] == "interaction_required")
            let lesser = try await browser.authorize("dev-native", ["prompt": "none", "acr_values": "aal1"])
            #expect(lesser.answer["code"] != nil)
            _ = user
        }
    }

    @Test
    func `Two factors that nobody can give are told at once, or left out where they are no condition`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            try await server.realm.changeSettings(by: .testAdministrator) { $0.secondFactors.state = .disabled }
            var browser = Browser(server)
            try await browser.signIn()
            let tokens = try await server.redeem(browser.code("dev-native", ["acr_values": "aal2"])).json
            #expect(tokens["id_token"].claims["acr"] == "aal1")
            let claims = #"{"id_token":{"acr":{"essential":true,"values":["aal2"]}}}"#
            let refused = try await browser.authorize("dev-native", ["claims": claims])
            #expect(refused.answer["error"] == "unmet_authentication_requirements")
        }
    }

    @Test
    func `An application's ID tokens are signed with its own algorithm`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            for algorithm in [SigningAlgorithm.rs256, .es256] {
                _ = try await server.realm.applications.change(
                    ClientID(rawValue: "dev-native"), by: .testAdministrator
                ) { $0.oauth.idTokenAlgorithm = algorithm }
                var browser = Browser(server)
                try await browser.signIn()
                let tokens = try await server.redeem(browser.code()).json
                #expect(tokens["id_token"].header["alg"].text == algorithm.rawValue)
                #expect(tokens["access_token"].header["alg"] == "ES256")
            }
        }
    }

    @Test
    func `An API's access tokens are signed with its own algorithm, and other tokens are not`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            func claim(_ algorithm: SigningAlgorithm?) async throws {
                let resource = Resource(
                    uri: "http://127.0.0.1/api", scopes: [Resource.Scope(name: "api")],
                    owner: ClientID(rawValue: "dev-web"), algorithm: algorithm)
                #expect(try await server.realm.resources.put(resource, by: .testAdministrator) == .done)
            }
            for (algorithm, expected) in [(SigningAlgorithm.rs256, "RS256"), (.es256, "ES256"), (nil, "ES256")] {
                try await claim(algorithm)
                var browser = Browser(server)
                try await browser.signIn()
                let code = try await browser.code(
                    "dev-native", ["scope": "openid api", "resource": "http://127.0.0.1/api"])
                let tokens = try await server.redeem(code).json
                #expect(tokens["access_token"].header["alg"].text == expected, "\(tokens)")
                #expect(tokens["id_token"].header["alg"] == "ES256")
                // What signed it is published, and this server knows its own hand.
                let told = try await server.form(
                    "/oauth/introspect", ["token": tokens["access_token"].text ?? ""], headers: TestServer.devWeb)
                #expect(told.json["active"] == true, "\(told.text)")
                let own = try await server.form(
                    "/oauth/token",
                    ["grant_type": "client_credentials", "scope": "api", "resource": "http://127.0.0.1/api"],
                    headers: TestServer.devWeb)
                #expect(own.json["access_token"].header["alg"].text == expected, "\(own.text)")
                let plain = try await server.redeem(try await browser.code())
                #expect(plain.json["access_token"].header["alg"] == "ES256")
            }
        }
    }

    @Test
    func `Tokens of an API that asks about each are texts without meaning`() async throws {
        try await TestServer.with(.development) { server in
            let id = UserID(rawValue: try await server.addUser().replacing("auth0|", with: ""))
            let resource = Resource(
                uri: "https://pay.example", scopes: [Resource.Scope(name: "pay")],
                owner: ClientID(rawValue: "dev-web"), tokenFormat: .opaque)
            #expect(try await server.realm.resources.put(resource, by: .testAdministrator) == .done)
            _ = try await server.realm.applications.change(ClientID(rawValue: "dev-native"), by: .testAdministrator) {
                $0.scopes += ["pay"]
                $0.oauth.resources += ["https://pay.example"]
            }
            var browser = Browser(server)
            try await browser.signIn()
            let code = try await browser.code(
                "dev-native", ["scope": "openid pay offline_access", "resource": "https://pay.example"])
            let tokens = try await server.redeem(code).json
            let token = try #require(tokens["access_token"].text)
            #expect(token.utf8.count == 43 && [UInt8](base64URL: token)?.count == 32)
            func ask(_ token: String) async throws -> JSON {
                try await server.form("/oauth/introspect", ["token": token], headers: TestServer.devWeb).json
            }
            let told = try await ask(token)
            #expect(
                told["active"] == true && told["aud"] == "https://pay.example"
                    && told["scope"].text == "openid pay offline_access")
            #expect(told["sub"].text == id.rawValue && told["client_id"] == "dev-native")
            #expect(try await ask(String(repeating: "A", count: 43)) == ["active": false])
            #expect(try await server.userInfo(.string(token)).status == 401, "It is for the API.")
            // Revoked by its client, it is inactive.
            _ = try await server.form("/oauth/revoke", ["token": token, "client_id": "dev-native"])
            #expect(try await ask(token) == ["active": false])
            let next = try #require(await server.refresh(tokens["refresh_token"]).json["access_token"].text)
            #expect(try await ask(next)["active"] == true)
            try await server.advance(601)
            #expect(try await ask(next) == ["active": false])
            let last = try #require(await server.refresh(tokens["refresh_token"]).json["error"].text)
            #expect(last == "invalid_grant", "The token of before is over after ten seconds.")
        }
    }

    @Test
    func `Two APIs in one token request are refused as a target`() async throws {
        try await TestServer.with(.development) { server in
            let body =
                "grant_type=client_credentials&resource=http%3A%2F%2F127.0.0.1%2Fapi&resource=https%3A%2F%2Fa.example"
            var headers = TestServer.devWeb
            headers[.contentType] = "application/x-www-form-urlencoded"
            let reply = try await server.send(.post, "/oauth/token", headers: headers, body: Array(body.utf8))
            #expect(reply.status == 400 && reply.json["error"] == "invalid_target")
        }
    }

    @Test
    func `Another protocol's spelling of CIBA starts nothing for an application without the grant`() async throws {
        try await TestServer.with(.development) { server in
            let user = try await server.addUser()
            let hint: JSON = ["format": "iss_sub", "iss": "http://127.0.0.1:8080/", "sub": .string(user)]
            let reply = try await server.form(
                "/bc-authorize", ["scope": "openid", "login_hint": String(decoding: hint.bytes, as: UTF8.self)],
                headers: TestServer.devWeb)
            #expect(reply.status == 400 && reply.json["error"] == "unauthorized_client")
        }
    }
}
