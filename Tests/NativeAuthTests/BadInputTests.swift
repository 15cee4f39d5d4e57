import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import Testing

@Suite("Malformed input to native authentication")
struct BadInputTests {
    /// Which parameters each endpoint needs.
    static let needed: [Endpoint: [String]] = [
        .signUpStart: ["username", "challenge_type"],
        .signUpChallenge: ["continuation_token"],
        .signUpContinue: ["continuation_token", "grant_type"],
        .initiate: ["username", "challenge_type"],
        .challenge: ["continuation_token"],
        .introspect: ["continuation_token"],
        .token: ["grant_type", "continuation_token"],
        .resetPasswordStart: ["username", "challenge_type"],
        .resetPasswordChallenge: ["continuation_token"],
        .resetPasswordContinue: ["continuation_token", "grant_type", "oob"],
        .resetPasswordSubmit: ["continuation_token", "new_password"],
        .resetPasswordPoll: ["continuation_token"],
        .registerIntrospect: ["continuation_token"],
        .registerChallenge: ["continuation_token", "challenge_type", "challenge_target", "challenge_channel"],
        .registerContinue: ["continuation_token", "grant_type"],
    ]

    private static let samples = [
        "username": NativeClient.email, "challenge_type": "oob redirect", "continuation_token": "nonsense",
        "grant_type": "oob", "oob": "12345678", "new_password": "difference engine",
        "challenge_target": "grace@example.org", "challenge_channel": "email",
    ]

    private static func sample(_ endpoint: Endpoint) -> [String: String] {
        var fields: [String: String] = [:]
        for name in needed[endpoint] ?? [] { fields[name] = samples[name] }
        if endpoint == .registerChallenge { fields["challenge_type"] = "oob" }
        if endpoint == .signUpContinue || endpoint == .token || endpoint == .registerContinue {
            fields["oob"] = samples["oob"]
        }
        return fields
    }

    @Test(arguments: Endpoint.allCases)
    func `Each parameter that is missing, empty or broken is named`(endpoint: Endpoint) async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let names = try #require(Self.needed[endpoint])
            for name in names + ["client_id"] {
                for value in [nil, "", "a\0b"] {
                    var fields: [String: String?] = Self.sample(endpoint).mapValues { $0 }
                    fields["client_id"] = client.id
                    fields[name] = value
                    let body = NativeClient.form(fields.compactMapValues { $0 })
                    let reply = try await client.send(endpoint.path, body)
                    expectRefused(reply, "invalid_request", number: 90100)
                    #expect(
                        reply.json["error_description"].text?.contains("\(name) parameter is empty or not valid")
                            == true, "\(name): \(reply.text)")
                }
            }
        }
    }

    @Test(arguments: Endpoint.allCases)
    func `A body that is no form, or too large, is refused with status 400`(endpoint: Endpoint) async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            var bodies = ["%", "%zz=1", "a=%FF", "client_id=\(client.id)&client_id=\(client.id)", "", "&&&", "="]
            bodies.append("client_id=\(client.id)&username=" + String(repeating: "a", count: 70_000))
            for body in bodies {
                let reply = try await client.send(endpoint.path, body)
                #expect(reply.status == 400 && reply.error == "invalid_request", "\(body.prefix(40)): \(reply.text)")
            }
            for type in ["application/json", "text/plain", "multipart/form-data; boundary=x", nil] {
                var headers: HTTPFields = [:]
                if let type { headers[.contentType] = type }
                let reply = try await server.send(
                    .post, "/contoso\(endpoint.path)", headers: headers, body: Array(#"{"client_id":"x"}"#.utf8))
                expectRefused(reply, "invalid_request", number: 90100)
            }
        }
    }

    @Test(
        arguments: Endpoint.allCases,
        [
            "nonsense", ".", "..", "a.b", String(repeating: "A", count: 43), String(repeating: "x", count: 10_000),
            "👩‍💻", "%00", "' OR 1=1",
        ])
    func `Continuation tokens that are none`(endpoint: Endpoint, token: String) async throws {
        guard Self.needed[endpoint]?.contains("continuation_token") == true else { return }
        try await TestServer.with { server in
            let client = try await server.application()
            var fields: [String: String?] = Self.sample(endpoint).mapValues { $0 }
            fields["continuation_token"] = token
            let reply = try await client.post(endpoint, fields)
            let words = ["invalid_grant", "invalid_request"]
            #expect(reply.status == 400 && words.contains(reply.error ?? ""), "\(endpoint): \(reply.text)")
            #expect(reply.number == 55200, "\(endpoint): \(reply.text)")
        }
    }

    @Test
    func `A token of one flow at the endpoints of another changes nothing there`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account()
            try await server.account("grace@example.org", password: nil)
            let signUp = try await client.post(
                .signUpStart, ["username": "new@example.org", "challenge_type": "oob redirect"])
            let reset = try await client.post(
                .resetPasswordStart, ["username": NativeClient.email, "challenge_type": "oob redirect"])
            let signIn = try await client.initiate("grace@example.org")
            let purposes: [(String?, Set<Endpoint>)] = [
                (signUp.token, [.signUpChallenge, .signUpContinue]),
                (reset.token, [.resetPasswordChallenge, .resetPasswordContinue, .resetPasswordPoll]),
                (signIn.token, [.challenge]),
            ]
            for endpoint in Endpoint.allCases {
                for (token, own) in purposes where !own.contains(endpoint) {
                    guard Self.needed[endpoint]?.contains("continuation_token") == true else { continue }
                    var fields: [String: String?] = Self.sample(endpoint).mapValues { $0 }
                    fields["continuation_token"] = token
                    let reply = try await client.post(endpoint, fields)
                    #expect(reply.status == 400, "\(endpoint): \(reply.text)")
                }
            }
            #expect(try await server.realm.outbox.messages().isEmpty)
        }
    }

    @Test(
        arguments: [
            "ada", "@", "a@b@c", "ada@example.org\nbcc: x", String(repeating: "a", count: 300) + "@example.org",
        ])
    func `Names that are no addresses`(name: String) async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            for endpoint in [Endpoint.initiate, .signUpStart, .resetPasswordStart] {
                let reply = try await client.post(
                    endpoint, ["username": name, "challenge_type": NativeClient.everything])
                expectRefused(reply, "invalid_request", number: 90100)
                #expect(
                    reply.json["error_description"].text?.contains("username parameter is empty or not valid") == true)
            }
        }
    }

    @Test
    func `Challenge types that there are none of`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            for (types, error, number) in [
                ("magic redirect", "invalid_request", 90100), (" ", "invalid_request", 90100),
                ("preverified redirect", "invalid_request", 90100),
                ("oob", "unsupported_challenge_type", 901_007),
            ] {
                for endpoint in [Endpoint.initiate, .signUpStart, .resetPasswordStart] {
                    let reply = try await client.post(
                        endpoint, ["username": NativeClient.email, "challenge_type": types])
                    expectRefused(reply, error, number: number)
                }
            }
            // Commas separate too.
            let reply = try await client.post(
                .initiate, ["username": NativeClient.email, "challenge_type": "oob,password,redirect"])
            #expect(reply.status == 200, "\(reply.text)")
        }
    }

    @Test(
        arguments: [
            ("short", "password_too_short"), (String(repeating: "p", count: 257), "password_too_long"),
            ("password123", "password_banned"), (NativeClient.email, "password_too_weak"),
            ("with a\u{7} bell", "password_is_invalid"),
        ])
    func `Passwords that are not taken`(password: String, suberror: String) async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let reply = try await client.post(
                .signUpStart,
                ["username": NativeClient.email, "challenge_type": NativeClient.everything, "password": password])
            expectRefused(reply, "invalid_grant", suberror, number: 399_246)
        }
    }

    @Test(
        arguments: [
            ("{", nil), ("[]", nil), ("\"x\"", nil), (#"{"a":1,"a":2}"#, nil),
            (#"{"age":"old","city":7,"isMember":"maybe"}"#, ["age", "city", "isMember"]),
            (#"{"city":{"x":1}}"#, ["city"]), (#"{"age":1.5}"#, ["age"]),
            (#"{"displayName":["a",1]}"#, ["displayName"]),
        ] as [(String, [String]?)])
    func `Attributes that are none, and those of another type, which are named`(text: String, names: [String]?)
        async throws
    {
        try await TestServer.with { server in
            let client = try await server.application(
                attributes: [("city", "string"), ("age", "integer"), ("isMember", "boolean")].map {
                    ApplicationRegistration.Attribute(name: $0.0, type: $0.1, isRequired: false)
                })
            let reply = try await client.post(
                .signUpStart,
                ["username": NativeClient.email, "challenge_type": "oob redirect", "attributes": text])
            if let names {
                expectRefused(reply, "invalid_grant", "attribute_validation_failed")
                #expect(reply.json["invalid_attributes"].elements.map(\.["name"].text) == names)
            } else {
                expectRefused(reply, "invalid_request", number: 90100)
            }
        }
    }

    @Test
    func `Grant types that there are none of`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            for grant in ["magic", "attributes", "client_credentials"] {
                let reply = try await client.post(
                    .token, ["grant_type": grant, "continuation_token": "x", "oob": "1"])
                expectRefused(reply, "unsupported_grant_type", number: 70003)
            }
        }
    }

    /// Bytes at random, and requests with one thing wrong about them.
    @Test
    func `No input causes an internal error`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await server.application()
            try await server.account()
            var generator = SplitMix(state: 7)
            let begun = try await client.initiate()
            for _ in 0..<600 {
                let endpoint = Endpoint.allCases[Int(generator.next() % 15)]
                var fields = Self.sample(endpoint)
                fields["client_id"] = client.id
                if generator.next() % 2 == 0, fields["continuation_token"] != nil {
                    fields["continuation_token"] = begun.token
                }
                let names = fields.keys.sorted() + ["scope", "claims", "attributes", "password", "id", "capabilities"]
                let name = names[Int(generator.next() % UInt64(names.count))]
                fields[name] = String(
                    decoding: (0..<Int(generator.next() % 40)).map { _ in UInt8(truncatingIfNeeded: generator.next()) },
                    as: UTF8.self)
                let reply = try await client.post(endpoint, fields.mapValues { $0 })
                #expect(reply.status == 200 || reply.status == 400, "\(endpoint) \(fields): \(reply.text)")
            }
        }
    }
}

/// Numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
