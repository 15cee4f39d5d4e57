import CountersignCore
import CountersignServer
import Crypto
import DialectTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import JWTKit
import Testing

/// Who may call what, and which tokens count (Firebase documentation, "Verify ID Tokens").
@Suite struct AccessTests {
    private static let missingKey = "The request is missing a valid API key."
    private static let unknownKey = "API key not valid. Please pass a valid API key."

    // MARK: API keys

    @Test func `Without API key nothing is answered`() async throws {
        for mode in TestServer.Mode.allCases {
            try await TestServer.with(mode) { server in
                for endpoint in PathTests.endpoints {
                    for query in ["", "?key="] {
                        let reply = try await server.send(
                            endpoint.method, "/\(endpoint.path)\(query)", headers: [.contentType: "application/json"],
                            body: endpoint.method == .post ? Array("{}".utf8) : nil)
                        #expect(reply.status == 403, "\(endpoint.path)")
                        let isVersion1 =
                            endpoint.path.hasPrefix("v1/accounts")
                            || endpoint.method == .get && endpoint.path.hasPrefix("v1/")
                        if isVersion1 {
                            expectGolden(
                                reply.json,
                                [
                                    "error": [
                                        "code": 403, "message": .string(Self.missingKey), "status": "PERMISSION_DENIED",
                                        "errors": [
                                            [
                                                "message": .string(Self.missingKey), "domain": "global",
                                                "reason": "forbidden",
                                            ]
                                        ],
                                    ]
                                ])
                        } else {
                            expectRefused(reply, Self.missingKey, .status, code: 403, status: "PERMISSION_DENIED")
                        }
                    }
                }
            }
        }
    }

    @Test func `An unknown key is refused in production and taken under development`() async throws {
        try await TestServer.with { server in
            for key in [
                "dev-app", "unknown", server.key.lowercased(), server.key + "x", server.key + "%00", "%00",
                "'%20OR%201=1--",
            ] {
                let reply = try await server.send(.get, "/v1/projects?key=\(key)")
                #expect(reply.status == 400)
                #expect(reply.message == Self.unknownKey, "\(reply.text)")
                #expect(reply.json["error"]["details"][0]["reason"] == "API_KEY_INVALID")
            }
        }
        try await TestServer.with(.development) { server in
            for key in ["anything", "fake-api-key", "dev-app", "%00"] {
                let reply = try await server.send(.get, "/v1/projects?key=\(key)")
                #expect(reply.status == 200)
            }
        }
    }

    @Test func `The key may be in a header`() async throws {
        try await TestServer.with { server in
            let name = HTTPField.Name("X-Goog-Api-Key")!
            let known = try await server.send(.get, "/v1/projects", headers: [name: server.key])
            #expect(known.status == 200)
            let unknown = try await server.send(.get, "/v1/projects", headers: [name: "unknown"])
            #expect(unknown.message == Self.unknownKey)
        }
    }

    @Test func `Of two keys the first counts`() async throws {
        try await TestServer.with { server in
            let first = try await server.send(.get, "/v1/projects?key=\(server.key)&key=x")
            #expect(first.status == 200)
            let second = try await server.send(.get, "/v1/projects?key=x&key=\(server.key)")
            #expect(second.status == 400)
        }
    }

    // MARK: Administrators

    @Test(arguments: ["/v2/projects/countersign/config", "/admin/v2/projects/countersign/config"])
    func `The configuration is for administrators`(path: String) async throws {
        try await TestServer.with { server in
            for method in [HTTPRequest.Method.get, .patch] {
                func ask(_ authorization: String?) async throws -> Reply {
                    var headers: HTTPFields = [.contentType: "application/json"]
                    headers[.authorization] = authorization
                    return try await server.send(
                        method, "\(path)?key=\(server.key)", headers: headers,
                        body: method == .patch ? Array("{}".utf8) : nil)
                }
                let missing = try await ask(nil)
                #expect(missing.status == 401)
                #expect(missing.json["error"]["status"] == "UNAUTHENTICATED")
                for wrong in [
                    "Bearer owner", "Bearer ", "Bearer", "", "Basic \(server.adminToken)", server.adminToken,
                    "Bearer \(server.adminToken)x", "Bearer \(server.adminToken.dropLast())",
                    "Bearer\(server.adminToken)", "Bearer \(server.key)", "Bearer \(server.adminToken.lowercased())",
                ] {
                    let reply = try await ask(wrong)
                    expectRefused(
                        reply, "The caller does not have permission", .status, code: 403, status: "PERMISSION_DENIED")
                }
                for right in [
                    "Bearer \(server.adminToken)", "bearer \(server.adminToken)", "BEARER \(server.adminToken)",
                ] {
                    #expect(try await ask(right).status == 200)
                }
            }
        }
    }

    @Test func `Owner is an administrator under development alone`() async throws {
        try await TestServer.with(.development) { server in
            for token in ["owner", server.adminToken] {
                let reply = try await server.send(
                    .get, "/v2/projects/demo/config", headers: [.authorization: "Bearer \(token)"])
                #expect(reply.status == 200)
            }
            #expect(
                try await server.send(.get, "/v2/projects/demo/config", headers: [.authorization: "Bearer Owner"])
                    .status == 403)
        }
    }

    @Test func `A users token is no administrators`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await server.send(
                .get, "/v2/projects/countersign/config", headers: [.authorization: "Bearer \(person.idToken)"])
            #expect(reply.status == 403)
        }
    }

    // MARK: ID tokens

    private struct Case: Sendable {
        let name: String
        let token: String
        let message: String
    }

    /// Every token that is not one of ours, or is not any more, at every endpoint that takes one.
    @Test func `In production only our own tokens count`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            let good = try claims(person.idToken)
            let kid = try header(person.idToken)["kid"]
            let now = Int(server.now.seconds)
            let parts = person.idToken.split(separator: ".").map(String.init)
            func signed(_ changes: [String: JSON?], _ algorithm: SigningAlgorithm = .es256) async throws -> String {
                let members = try JSONDecoder().decode(
                    [String: JSONValue].self, from: Data(good.with(changes).bytes))
                return try await server.realm.keyring.sign(TokenClaims(members), with: algorithm)
            }
            let stranger = await SigningKey(issuer: "x")
            func strangers(_ kid: String?) async throws -> String {
                var header = JWTHeader()
                header.kid = kid
                return try await stranger.sign(good, header: header)
            }
            let jwks = try await server.send(.get, "/.well-known/jwks.json").json["keys"].elements
            let other = try #require(jwks.first { $0["alg"] != "ES256" }?["kid"])

            // What the server publishes must not serve as an HMAC key.
            var hmacs: [Case] = []
            for jwk in jwks {
                for secret in [jwk["x"].text, jwk["n"].text, String(decoding: jwk.bytes, as: UTF8.self)].compactMap({
                    $0
                }) {
                    let head = JSON.object(["alg": "HS256", "typ": "JWT", "kid": jwk["kid"]]).bytes.base64URL
                    let input = "\(head).\(parts[1])"
                    let mac = HMAC<SHA256>.authenticationCode(
                        for: Data(input.utf8), using: SymmetricKey(data: Data(secret.utf8)))
                    hmacs.append(
                        Case(
                            name: "HS256 with a public key", token: "\(input).\(Array(mac).base64URL)",
                            message: "INVALID_ID_TOKEN"))
                }
            }
            var cases = [
                Case(
                    name: "unsigned", token: forged(["alg": "none", "typ": "JWT"], good), message: "INVALID_ID_TOKEN"),
                Case(name: "NONE", token: forged(["alg": "None", "kid": kid], good), message: "INVALID_ID_TOKEN"),
                Case(
                    name: "unsigned with our kid", token: forged(["alg": "none", "kid": kid], good),
                    message: "INVALID_ID_TOKEN"),
                Case(name: "no signature", token: "\(parts[0]).\(parts[1]).", message: "INVALID_ID_TOKEN"),
                Case(name: "two parts", token: "\(parts[0]).\(parts[1])", message: "INVALID_ID_TOKEN"),
                Case(name: "four parts", token: person.idToken + ".AAAA", message: "INVALID_ID_TOKEN"),
                Case(
                    name: "a signature of zeros",
                    token: "\(parts[0]).\(parts[1]).\([UInt8](repeating: 0, count: 64).base64URL)",
                    message: "INVALID_ID_TOKEN"),
                Case(
                    name: "other claims under our signature",
                    token: "\(parts[0]).\(good.with(["sub": "other"]).bytes.base64URL).\(parts[2])",
                    message: "INVALID_ID_TOKEN"),
                Case(
                    name: "the other key's kid",
                    token: "\(JSON.object(["alg": "ES256", "kid": other]).bytes.base64URL).\(parts[1]).\(parts[2])",
                    message: "INVALID_ID_TOKEN"),
                Case(
                    name: "a critical extension",
                    token: forged(["alg": "ES256", "kid": kid, "crit": ["x"], "x": 1], good, signature: parts[2]),
                    message: "INVALID_ID_TOKEN"),
                Case(
                    name: "a key in the header",
                    token: forged(["alg": "ES256", "jwk": ["kty": "EC"]], good, signature: parts[2]),
                    message: "INVALID_ID_TOKEN"),
                Case(name: "no kid", token: try await strangers(nil), message: "INVALID_ID_TOKEN"),
                Case(name: "an unknown kid", token: try await strangers("unknown"), message: "INVALID_ID_TOKEN"),
                Case(
                    name: "our kid, a stranger's key", token: try await strangers(kid.text), message: "INVALID_ID_TOKEN"
                ),
                Case(
                    name: "foreign issuer",
                    token: try await signed(["iss": "https://securetoken.google.com/other"]),
                    message: "INVALID_ID_TOKEN"),
                Case(
                    name: "the issuer of a session cookie",
                    token: try await signed(["iss": "https://session.firebase.google.com/countersign"]),
                    message: "INVALID_ID_TOKEN"),
                Case(name: "no issuer", token: try await signed(["iss": .some(nil)]), message: "INVALID_ID_TOKEN"),
                Case(name: "foreign audience", token: try await signed(["aud": "other"]), message: "INVALID_ID_TOKEN"),
                Case(
                    name: "a list of audiences", token: try await signed(["aud": ["countersign", "other"]]),
                    message: "INVALID_ID_TOKEN"),
                Case(
                    name: "no subject", token: try await signed(["sub": .some(nil), "user_id": .some(nil)]),
                    message: "INVALID_ID_TOKEN"),
                Case(name: "no exp", token: try await signed(["exp": .some(nil)]), message: "INVALID_ID_TOKEN"),
                Case(name: "exp as text", token: try await signed(["exp": "later"]), message: "INVALID_ID_TOKEN"),
                Case(name: "no iat", token: try await signed(["iat": .some(nil)]), message: "INVALID_ID_TOKEN"),
                Case(
                    name: "of the future", token: try await signed(["iat": .integer(now + 301)]),
                    message: "INVALID_ID_TOKEN"),
                Case(name: "expired", token: try await signed(["exp": .integer(now)]), message: "TOKEN_EXPIRED"),
                Case(
                    name: "expired long ago", token: try await signed(["exp": .integer(.min)]), message: "TOKEN_EXPIRED"
                ),
                // Of an account that had the same id; five minutes are what servers' clocks may differ by.
                Case(
                    name: "issued before the account", token: try await signed(["iat": .integer(now - 301)]),
                    message: "TOKEN_EXPIRED"),
                Case(name: "nobody's", token: try await signed(["sub": "nobody"]), message: "USER_NOT_FOUND"),
            ]
            cases += hmacs
            for item in cases {
                for path in ["lookup", "update", "delete"] {
                    let reply = try await server.post("/v1/accounts:\(path)", ["idToken": .string(item.token)])
                    #expect(reply.message == item.message, "\(item.name): \(reply.text)")
                    #expect(reply.status == 400)
                }
                let reply = try await server.startEnrolment(item.token)
                #expect(reply.message == item.message, "\(item.name): \(reply.text)")
            }
            // What the cases were made from is good, with either algorithm.
            #expect(try await server.lookup(try await signed([:])).status == 200)
            #expect(try await server.lookup(try await signed([:], .rs256)).status == 200)
            #expect(try await server.lookup(try await signed(["iat": .integer(now + 300)])).status == 200)
        }
    }

    @Test func `A rotated keys tokens count until they expire`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            try await server.realm.keyring.rotate(by: .commandLine)
            #expect(try await server.lookup(person.idToken).status == 200)
            let refreshed = try await server.refresh(person.refreshToken)
            let token = try #require(refreshed.json["id_token"].text)
            #expect(try header(token)["kid"] != (try header(person.idToken)["kid"]))
            #expect(try await server.lookup(token).status == 200)
            #expect(try await server.send(.get, "/.well-known/jwks.json").json["keys"].elements.count == 4)
        }
    }

    @Test func `Under development unsigned tokens of any project count`() async throws {
        try await TestServer.with(.development) { server in
            let person = try await server.verifiedPerson()
            let good = try claims(person.idToken)
            let now = Int(server.now.seconds)
            func lookup(_ changes: [String: JSON?], _ header: JSON = ["alg": "none", "typ": "JWT"]) async throws
                -> Reply
            {
                try await server.lookup(forged(header, good.with(changes)))
            }
            #expect(try await lookup([:]).status == 200)
            #expect(
                try await lookup(["iss": "https://securetoken.google.com/demo", "aud": "demo"]).status == 200)
            #expect(try await lookup(["countersign_epoch": .some(nil)]).status == 200)
            expectRefused(try await lookup(["iss": "https://evil.example.com/demo"]), "INVALID_ID_TOKEN", .errors)
            expectRefused(try await lookup([:], ["alg": "HS256"]), "INVALID_ID_TOKEN", .errors)
            expectRefused(
                try await server.lookup(forged(["alg": "none"], good, signature: "AAAA")), "INVALID_ID_TOKEN", .errors)
            expectRefused(try await lookup(["exp": .integer(now)]), "TOKEN_EXPIRED", .errors)
            expectRefused(try await lookup(["sub": "nobody"]), "USER_NOT_FOUND", .errors)
            // Times that no calendar has.
            for time in [Int.max, Int.min, -1, 0] {
                let reply = try await server.startEnrolment(
                    forged(["alg": "none"], good.with(["auth_time": .integer(time)])))
                #expect(reply.status == 200 || reply.message == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(reply.text)")
            }
            for time in [1e300, -1e300, 1.5] {
                #expect(try await lookup(["auth_time": .number(time), "iat": .number(time)]).status < 500)
            }
        }
    }

    // MARK: What exists

    @Test func `In production there are no routes of development`() async throws {
        try await TestServer.with { server in
            let routes: [(HTTPRequest.Method, String)] = [
                (.get, "/dev/inbox"), (.get, "/dev/inbox.json"), (.post, "/dev/clock"), (.get, "/"), (.get, "/dev"),
                (.get, "/emulator/v1/projects/countersign/oobCodes"), (.get, "/emulator/openapi.json"),
            ]
            for (method, path) in routes {
                let reply = try await server.send(
                    method, path, headers: server.administrator,
                    body: method == .post ? Array("{\"advanceSeconds\":1}".utf8) : nil)
                #expect(reply.status == 404, "\(path)")
            }
            // A page for browsers, and no greeting of the emulator.
            let start = try await server.send(.get, "/", headers: [.accept: "text/html"])
            #expect(start.headers[.contentType] == "text/html; charset=utf-8")
            #expect(!start.text.contains("authEmulator"))
        }
        try await TestServer.with(.development) { server in
            #expect(try await server.send(.get, "/").json["authEmulator"]["ready"] == true)
            let person = try await server.signUp()
            _ = try await server.post(
                "/v1/accounts:sendOobCode", ["requestType": "VERIFY_EMAIL", "idToken": .string(person.idToken)])
            let messages = try await server.send(.get, "/dev/inbox.json").json["messages"]
            #expect(messages.elements.count == 1)
            #expect(messages[0]["to"] == .string(person.email))
            #expect(messages[0].names == ["at", "id", "kind", "payload", "subject", "text", "to"])
            let page = try await server.send(.get, "/dev/inbox")
            #expect(page.status == 200)
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
        }
    }

    // MARK: Other origins

    @Test func `A preflight is answered with the origin reflected`() async throws {
        try await TestServer.with { server in
            for path in [
                "/v1/accounts:signUp", "/v1/accounts%3AsignUp",
                "/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:start",
                "/securetoken.googleapis.com/v1/token",
                "/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyPassword",
            ] {
                let reply = try await server.send(
                    .options, path,
                    headers: [
                        .origin: "https://app.example.com", .accessControlRequestMethod: "POST",
                        .accessControlRequestHeaders: "content-type,x-client-version,x-firebase-gmpid",
                    ])
                #expect(reply.status == 204, "\(path): \(reply.text)")
                #expect(reply.headers[.accessControlAllowOrigin] == "https://app.example.com")
                #expect(reply.headers[.accessControlAllowHeaders] == "content-type,x-client-version,x-firebase-gmpid")
                #expect(reply.headers[.accessControlAllowMethods]?.contains("POST") == true)
                // Nothing here is authorised by a cookie, and nothing may come to be.
                #expect(reply.headers[.accessControlAllowCredentials] == nil)
            }
        }
    }

    @Test func `Answers and refusals reflect the origin`() async throws {
        try await TestServer.with { server in
            for (path, status) in [
                ("/v1/projects?key=\(server.key)", 200), ("/v1/projects", 403), ("/v1/projects?key=x", 400),
                ("/v1/nothing", 404),
            ] {
                let reply = try await server.send(.get, path, headers: [.origin: "http://localhost:3000"])
                #expect(reply.status == status)
                #expect(reply.headers[.accessControlAllowOrigin] == "http://localhost:3000")
                #expect(reply.headers[.vary]?.contains("Origin") == true)
                let same = try await server.send(.get, path)
                #expect(same.headers[.accessControlAllowOrigin] == nil)
            }
            let page = try await server.send(.get, "/auth/action", headers: [.origin: "https://evil.example.com"])
            #expect(page.headers[.accessControlAllowOrigin] == nil)
        }
    }
}
