import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Input that no client of this protocol sends: always an answer, always in the protocol's form, never a fault of ours.
@Suite struct BadInputTests {
    /// A route that takes a body.
    struct Route: Sendable, CustomTestStringConvertible {
        var method = HTTPRequest.Method.post
        let path: String
        /// Members and their types.
        let members: [String: Kind]
        var isAdministrators = false

        enum Kind: Sendable {
            case string, bool, object, array
        }

        var testDescription: String { path }
    }

    private static let account: [String: Route.Kind] = [
        "email": .string, "password": .string, "returnSecureToken": .bool,
    ]

    static let routes: [Route] = [
        Route(
            path: "/v1/accounts:signUp", members: account.merging(["idToken": .string, "displayName": .string]) { $1 }),
        Route(path: "/v1/accounts:signInWithPassword", members: account.merging(["tenantId": .string]) { $1 }),
        Route(path: "/v1/accounts:signInWithEmailLink", members: ["email": .string, "oobCode": .string]),
        Route(path: "/v1/accounts:signInWithCustomToken", members: ["token": .string, "returnSecureToken": .bool]),
        Route(path: "/v1/accounts:lookup", members: ["idToken": .string, "localId": .array, "email": .array]),
        Route(
            path: "/v1/accounts:update",
            members: account.merging([
                "idToken": .string, "oobCode": .string, "displayName": .string, "photoUrl": .string,
                "deleteAttribute": .array, "deleteProvider": .array, "mfa": .object, "linkProviderUserInfo": .object,
                "disableUser": .bool,
            ]) { $1 }),
        Route(path: "/v1/accounts:delete", members: ["idToken": .string, "localId": .string]),
        Route(
            path: "/v1/accounts:sendOobCode",
            members: [
                "requestType": .string, "email": .string, "newEmail": .string, "idToken": .string,
                "continueUrl": .string, "canHandleCodeInApp": .bool, "returnOobLink": .bool,
            ]),
        Route(path: "/v1/accounts:resetPassword", members: ["oobCode": .string, "newPassword": .string]),
        Route(path: "/v1/accounts:createAuthUri", members: ["identifier": .string, "continueUri": .string]),
        Route(path: "/v1/accounts:signInWithIdp", members: [:]),
        Route(path: "/v1/accounts:signInWithPhoneNumber", members: [:]),
        Route(path: "/v1/accounts:sendVerificationCode", members: [:]),
        Route(
            path: "/v2/accounts/mfaEnrollment:start",
            members: ["idToken": .string, "totpEnrollmentInfo": .object, "phoneEnrollmentInfo": .object]),
        Route(
            path: "/v2/accounts/mfaEnrollment:finalize",
            members: [
                "idToken": .string, "displayName": .string, "totpVerificationInfo": .object,
                "phoneVerificationInfo": .object,
            ]),
        Route(path: "/v2/accounts/mfaEnrollment:withdraw", members: ["idToken": .string, "mfaEnrollmentId": .string]),
        Route(
            path: "/v2/accounts/mfaSignIn:start",
            members: ["mfaPendingCredential": .string, "mfaEnrollmentId": .string, "phoneSignInInfo": .object]),
        Route(
            path: "/v2/accounts/mfaSignIn:finalize",
            members: ["mfaPendingCredential": .string, "mfaEnrollmentId": .string, "totpVerificationInfo": .object]),
        Route(path: "/v2/accounts:revokeToken", members: ["idToken": .string]),
        Route(path: "/v1/token", members: ["grantType": .string, "refreshToken": .string]),
        Route(
            method: .patch, path: "/v2/projects/countersign/config",
            members: [
                "mfa": .object, "signIn": .object, "emailPrivacyConfig": .object, "client": .object,
                "passwordPolicyConfig": .object,
            ], isAdministrators: true),
        Route(
            method: .patch, path: "/admin/v2/projects/countersign/config",
            members: [
                "mfa": .object, "signIn": .object, "emailPrivacyConfig": .object, "client": .object,
                "passwordPolicyConfig": .object,
            ], isAdministrators: true),
    ]

    /// The reply is a refusal in the protocol's form, and none of our faults.
    private func expectEnvelope(
        _ reply: Reply, _ path: String, about what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect((400..<500).contains(reply.status), "\(path), \(what): \(reply.status)", sourceLocation: sourceLocation)
        #expect(
            reply.headers[.contentType] == "application/json; charset=UTF-8", "\(path), \(what)",
            sourceLocation: sourceLocation)
        let error = reply.json["error"]
        #expect(
            error["code"] == .integer(reply.status), "\(path), \(what): \(reply.text)", sourceLocation: sourceLocation)
        #expect(error["message"].text?.isEmpty == false, "\(path), \(what)", sourceLocation: sourceLocation)
        switch EnvelopeForm(path) {
        case .errors:
            #expect(error["errors"].elements.count == 1, "\(path), \(what)", sourceLocation: sourceLocation)
        case .status:
            #expect(error["status"].text != nil, "\(path), \(what)", sourceLocation: sourceLocation)
            #expect(error["errors"] == .null, "\(path), \(what)", sourceLocation: sourceLocation)
        }
        #expect(reply.bytes.count < 4096, "\(path), \(what): a long answer", sourceLocation: sourceLocation)
    }

    private func send(
        _ server: TestServer, _ route: Route, _ body: [UInt8]?, type: String? = "application/json"
    ) async throws -> Reply {
        var headers = route.isAdministrators ? server.administrator : [:]
        headers[.contentType] = type
        return try await server.send(route.method, "\(route.path)?key=\(server.key)", headers: headers, body: body)
    }

    /// Bodies that are no JSON object.
    private static let malformedTexts: [String] = [
        "{", "}", "{]", "[", "[]", "[{}]", "null", "true", "1", "1e999", "\"x\"", "nul", "{\"a\"}", "{\"a\":}",
        "{\"a\":1,}", "{'a':1}", "{a:1}", "{\"a\":1}{", "{} {}", "{\"a\":01}", "{\"a\":+1}", "{\"a\":.5}",
        "{\"a\":1.}", "{\"a\":1e}", "{\"a\":1e999}", "{\"a\":-1e999}", "{\"a\":NaN}", "{\"a\":Infinity}",
        "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\\udc00\\ud800\"}",
        "{\"a\":\"\n\"}", "{\"a\":\"", "{\"a\":1,\"a\":2}", "\u{FEFF}", "// comment\n{}", "{\"a\":tru}",
        "email=a@example.com&password=x", " ", "\u{0}", "<xml/>", "{\"a\":\"\u{1}\"}",
    ]

    private static let malformedBytes: [(String, [UInt8])] = [
        ("not UTF-8", [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]),
        ("an overlong slash", bytes("{\"a\":\"") + [0xC0, 0xAF] + bytes("\"}")),
        ("a surrogate in UTF-8", bytes("{\"a\":\"") + [0xED, 0xA0, 0x80] + bytes("\"}")),
        ("cut inside a character", bytes("{\"a\":\"") + [0xE2, 0x82]),
        ("UTF-16", [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00]),
        ("gzip", [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0]),
        ("400 digits", bytes("{\"a\":\(String(repeating: "9", count: 400))}")),
        ("deep arrays", bytes(String(repeating: "[", count: 30_000))),
        ("deep objects", bytes(String(repeating: "{\"a\":", count: 10_000))),
        ("deep and closed", bytes("{\"a\":" + nested(40) + "}")),
    ]

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test(arguments: routes)
    func `A body that is no object is refused`(route: Route) async throws {
        let bodies = Self.malformedTexts.map { ($0, Self.bytes($0)) } + Self.malformedBytes
        try await TestServer.with { server in
            for (name, body) in bodies {
                expectEnvelope(try await send(server, route, body), route.path, about: name)
            }
        }
    }

    @Test(arguments: routes)
    func `A member of another type is refused`(route: Route) async throws {
        try await TestServer.with { server in
            for (name, kind) in route.members {
                // Numbers are taken for strings, and "true" for true: what clients of the emulator send.
                let wrong: [JSON] =
                    switch kind {
                    case .string: [true, [], [:], ["x"], ["a": "b"]]
                    case .bool: [1, 0, "x", "", [], [:], 1.5]
                    case .object: [1, "x", true, [], [[:]], "{}"]
                    case .array: [1, "x", true, [:], [[]], [[:]], [true]]
                    }
                for value in wrong {
                    // A list of identifiers is no object either, but an empty one has no wrong element.
                    let reply = try await send(server, route, JSON.object([name: value]).bytes)
                    expectEnvelope(reply, route.path, about: "\(name) = \(value)")
                    #expect(
                        reply.message?.hasPrefix("Invalid value at '\(name)") == true,
                        "\(route.path), \(name) = \(value): \(reply.text)")
                }
            }
        }
    }

    @Test(arguments: routes)
    func `Null is absent and unknown members are passed over`(route: Route) async throws {
        try await TestServer.with { server in
            let empty = try await send(server, route, Array("{}".utf8))
            let nulls = JSON.object(Dictionary(uniqueKeysWithValues: route.members.keys.map { ($0, JSON.null) }))
            let unknown: JSON = [
                "unknown": 1, "__proto__": ["x": 1], "constructor": [], "": "", "id token": "x", "\u{0}": "\u{0}",
                "UNKNOWN_MEMBER": ["deep": [["er": .null]]], "1": 1e300,
            ]
            for body in [nulls.bytes, unknown.bytes, [], Array(" \r\n\t{ } ".utf8), Array("\u{FEFF}{}".utf8)] {
                let reply = try await send(server, route, body)
                #expect(reply.status == empty.status)
                #expect(reply.message == empty.message, "\(String(decoding: body, as: UTF8.self))")
            }
            let none = try await send(server, route, nil, type: nil)
            #expect(none.message == empty.message)
        }
    }

    @Test(arguments: routes)
    func `A body has at most 64 KiB`(route: Route) async throws {
        @Sendable func body(_ size: Int) -> [UInt8] {
            Array("{\"unknown\":\"".utf8) + [UInt8](repeating: 0x78, count: size - 14) + Array("\"}".utf8)
        }
        try await TestServer.with { server in
            let empty = try await send(server, route, Array("{}".utf8))
            let largest = try await send(server, route, body(65_536))
            #expect(largest.message == empty.message, "\(largest.text)")
            for size in [65_537, 70_000, 1_000_000] {
                let reply = try await send(server, route, body(size))
                expectEnvelope(reply, route.path, about: "\(size) bytes")
                #expect(reply.status == 413)
            }
        }
    }

    @Test(arguments: routes)
    func `A body of another type is refused`(route: Route) async throws {
        try await TestServer.with { server in
            var types: [String?] = [
                "text/plain", "application/xml", "multipart/form-data; boundary=x", "application/json; charset=utf-16",
                "application/jsonx", "application", ";", "*/*", ",", "application/octet-stream",
                String(repeating: "x", count: 5000),
            ]
            if route.path != "/v1/token" { types.append("application/x-www-form-urlencoded") }
            for type in types {
                let reply = try await send(server, route, Array("{\"a\":1}".utf8), type: type)
                // The type itself may be repeated, but not at any length.
                expectEnvelope(reply, route.path, about: type.map { String($0.prefix(40)) } ?? "none")
            }
            let untyped = try await send(server, route, Array("a=b".utf8), type: nil)
            expectEnvelope(untyped, route.path, about: "no type")
        }
    }

    @Test func `A form that is none is refused`() async throws {
        try await TestServer.with { server in
            for body in [
                "grant_type=%", "grant_type=%zz", "grant_type=%F", "a=%FF", "grant_type=a&grant_type=b",
                "grant_type=a&grantType=b&grant_Type=c&gra%6Et_type=d", "%00=%00", "=", "&&&", "====", "{}",
                String(repeating: "a=b&", count: 20_000),
            ] {
                let reply = try await server.send(
                    .post, "/v1/token?key=\(server.key)",
                    headers: [.contentType: "application/x-www-form-urlencoded"], body: Array(body.utf8))
                expectEnvelope(reply, "/v1/token", about: String(body.prefix(40)))
            }
        }
    }

    @Test func `A member in both spellings is taken once`() async throws {
        try await TestServer.with { server in
            // The exact one counts; where there is none, two are one too many.
            let exact = try await server.post(
                "/v1/accounts:lookup", ["idToken": "x", "id_token": "y", "id__token": "z"])
            expectRefused(exact, "INVALID_ID_TOKEN", .errors)
            let two = try await server.post("/v1/accounts:lookup", ["id_token": "y", "id__token": "z"])
            expectEnvelope(two, "/v1/accounts:lookup", about: "two spellings")
        }
    }

    @Test func `Another method is refused in the protocols form`() async throws {
        try await TestServer.with { server in
            let methods: [HTTPRequest.Method] =
                [.get, .post, .put, .patch, .delete, .head, .options, .trace, .connect]
                + ["PROPFIND", "X", "get"].compactMap { HTTPRequest.Method($0) }
            for endpoint in PathTests.endpoints {
                for method in methods where method != endpoint.method {
                    let reply = try await server.send(
                        method, "/\(endpoint.path)?key=\(server.key)", headers: [.contentType: "application/json"],
                        body: Array("{}".utf8))
                    if method == .head {
                        // Without a body always, and answered as GET is.
                        #expect(reply.bytes.isEmpty, "\(endpoint.path)")
                        if endpoint.method == .get { continue }
                    }
                    let allowed = reply.headers[.allow]?.split(separator: ", ").map(String.init) ?? []
                    #expect(allowed.contains(endpoint.method.rawValue), "\(method) \(endpoint.path): \(allowed)")
                    if method == .options {
                        #expect(reply.status == 204 && reply.bytes.isEmpty, "\(endpoint.path): \(reply.status)")
                        continue
                    }
                    #expect(reply.status == 405, "\(method) \(endpoint.path): \(reply.status)")
                    if method == .head { continue }
                    #expect(reply.json["error"]["code"] == .integer(reply.status), "\(method) \(endpoint.path)")
                }
            }
        }
    }

    @Test func `Long paths and queries are answered`() async throws {
        try await TestServer.with { server in
            let long = String(repeating: "x", count: 100_000)
            let paths = [
                "/v1/\(long)", "/v1/accounts:\(long)?key=\(server.key)", "/v1/projects?key=\(long)",
                "/v1/projects?key=\(server.key)&\(long)=\(long)",
                "/v1/projects?" + String(repeating: "a=b&", count: 20_000) + "key=\(server.key)",
                "/v1/projects?key=\(server.key)" + String(repeating: "&", count: 50_000),
                "/v2/projects/\(long)/config", String(repeating: "/", count: 50_000),
                String(repeating: "/identitytoolkit.googleapis.com", count: 3000),
                "/v1/projects?key=%", "/v1/projects?key=%zz", "/v1/projects?%=%&=&&==&key", "/v1/projects?key=%FF%FE",
                "/v1/projects?key[]=1", "/v1/projects#fragment", "/v1/projects?#", "/v1/%", "/v1/%00",
                "/v1/%2e%2e/token",
                "/v1/accounts%3", "/v1/accounts%", "/v1/accounts%3A", "//v1/projects", "/v1;x=1/projects", "*", "", "?",
                "v1/projects", "http://example.com/v1/projects?key=\(server.key)", "http://", "http:///",
                "https://[::1",
                "/v1/projects?key=\(server.key)\u{0}", "/ü/日本", "/v1/\u{202E}", "/v1/projects\r\nX: y",
            ]
            for path in paths {
                let reply = try await server.send(.get, path)
                #expect(reply.status < 500, "\(path.prefix(60)): \(reply.status)")
                #expect(
                    reply.headers[.contentType]?.hasPrefix("application/json") == true, "\(path.prefix(60))")
                #expect(reply.json != .null, "\(path.prefix(60)): \(reply.text)")
            }
        }
    }

    @Test func `Odd headers are harmless`() async throws {
        try await TestServer.with { server in
            let values = [
                "", " ", ",", ";", "\"", "%", "\u{0}", "ü", "\r\nX-Injected: 1", String(repeating: "x", count: 50_000),
                "application/json;;;;", "Bearer", "Bearer \u{0}", "127.0.0.1", "::ffff:127.0.0.1", "-1",
                "99999999999999999999",
            ]
            let names = [
                "Content-Length", "Authorization", "X-Firebase-Locale", "X-Goog-Api-Key", "X-Forwarded-For",
                "Forwarded",
                "Origin", "Access-Control-Request-Method", "Accept", "Accept-Encoding", "Expect", "Transfer-Encoding",
                "X-HTTP-Method-Override", "X-Client-Version", "Cookie", "Host", "If-None-Match", "Range",
            ]
            for name in names.compactMap({ HTTPField.Name($0) }) {
                for value in values {
                    var headers: HTTPFields = [.contentType: "application/json"]
                    headers[name] = value
                    let reply = try await server.send(
                        .post, "/v1/accounts:sendOobCode?key=\(server.key)", headers: headers,
                        body: Array("{\"requestType\":\"EMAIL_SIGNIN\",\"email\":\"a@example.com\"}".utf8))
                    #expect(reply.status < 500, "\(name): \(value.prefix(40)): \(reply.status)")
                    #expect(reply.json != .null, "\(name): \(value.prefix(40)): \(reply.text)")
                    #expect(reply.headers[HTTPField.Name("X-Injected")!] == nil)
                }
            }
        }
    }

    /// What a token says is JSON of a stranger too.
    @Test(.timeLimit(.minutes(20))) func `Tokens that are bombs are refused`() async throws {
        for mode in TestServer.Mode.allCases {
            try await TestServer.with(mode) { server in
                let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
                let lessDeep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
                let objects = String(repeating: "{\"a\":", count: 400) + "1" + String(repeating: "}", count: 400)
                let bad = String(repeating: "[", count: 300) + "1e999" + String(repeating: "]", count: 300)
                for (head, body) in [
                    (deep, "{}"), ("{\"alg\":\"none\",\"a\":\(lessDeep)}", "{\"a\":\(lessDeep)}"),
                    ("{\"alg\":\"none\"}", deep), ("{\"alg\":\"none\"}", "{\"a\":\(objects)}"),
                    ("{\"alg\":\"none\"}", "{\"a\":\(bad)}"),
                    ("{\"alg\":\"none\",\"kid\":\(bad)}", "{}"), ("{\"alg\":\"ES256\",\"kid\":\"x\"}", objects),
                    ("[]", "[]"),
                    ("1", "1"), ("", ""), ("{\"alg\":1}", "{}"), ("{\"alg\":\"none\"}", "{\"sub\":\"\\ud800\"}"),
                    (
                        "{\"alg\":\"none\"}",
                        "{\"iss\":\"https://securetoken.google.com/x\",\"sub\":[],\"iat\":1e308,\"exp\":1e308}"
                    ),
                    ("{\"alg\":\"none\",\"alg\":\"none\"}", "{\"uid\":\"a\",\"uid\":\"b\"}"),
                ] {
                    let token = "\(Array(head.utf8).base64URL).\(Array(body.utf8).base64URL)."
                    expectRefused(try await server.lookup(token), "INVALID_ID_TOKEN", .errors)
                    let custom = try await server.signInWithCustomToken(token)
                    #expect(custom.status < 500, "\(custom.text)")
                }
            }
        }
    }

    @Test func `Texts of every kind are kept or refused as they are`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            for text in [
                "a\u{0}b", "\u{FFFF}", "\u{10FFFF}", "\u{202E}evil", "'; DROP TABLE users; --", "{{secret}}", "${x}",
                "\\", "\"",
                "👩‍👩‍👧‍👦", "e" + String(repeating: "\u{301}", count: 100), "\u{FEFF}x", "line\nline",
            ] {
                let reply = try await server.post(
                    "/v1/accounts:update", ["idToken": .string(person.idToken), "displayName": .string(text)])
                #expect(reply.json["displayName"] == .string(text), "\(reply.text)")
                #expect(try await server.account(person.idToken)["displayName"] == .string(text))
            }
        }
    }
}
