import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import GuardianWire
import HTTPTypes
import TestSupport
import Testing

/// What the vendor's SDKs do on the wire (Guardian.swift, Guardian.Android, auth0-guardian.js) and no story happens to show.
@Suite("What the vendor's SDKs do, fact by fact")
struct SpecTests {
    private func transaction(_ server: TestServer) async throws -> String {
        try await #require(
            server.browser("start-flow", bearer: server.mfaToken()).json["transaction_token"].text)
    }

    /// A device that was asked.
    private func asked(_ server: TestServer, _ phone: Phone = Phone()) async throws -> (Enrolled, JSON) {
        let device = try await server.enrolled(phone, of: server.addUser())
        _ = try await server.browser("send-push-notification", bearer: transaction(server))
        return (device, try await device.push(on: server))
    }

    // MARK: What is easily got wrong

    @Test
    func `Every public address is a base that a client may have typed, in both layouts, and no other`() async throws {
        let bases = ["https://mfa.example.com", "https://example.com/base", "http://127.0.0.1:8080"]
        try await TestServer.with(publicURLs: ["https://mfa.example.com/", "https://example.com/base"]) { server in
            let device = try await server.enrolled(of: server.addUser())
            #expect(device.answer["url"].text == bases[0])
            for base in bases {
                for layout in ["", "/appliance-mfa"] {
                    _ = try await server.browser("send-push-notification", bearer: transaction(server))
                    var phone = device.phone
                    let push = try await device.push(on: server)
                    #expect(push["mfa"]["sh"].text == bases[0])
                    for wrong in [
                        base, "\(base)\(layout)/api/resolve-transaction/", "\(base)\(layout)/api/enroll",
                        "\(base).evil.example\(layout)/api/resolve-transaction",
                    ] {
                        let claims = phone.claims(for: push, at: server.now).with(["aud": .string(wrong)])
                        let reply = try await phone.resolve(push, with: phone.token(claims), on: server)
                        expectRefused(reply, 401, "invalid_challenge")
                    }
                    phone.base = base
                    phone.layout = layout
                    let claims = phone.claims(for: push, at: server.now)
                    phone.layout = ""
                    #expect(
                        try await phone.resolve(push, with: phone.token(claims), on: server).status == 204)
                    try await server.advance(60)
                }
            }
        }
    }

    @Test
    func `Whole seconds, as Android sends them, are times like fractional ones`() async throws {
        try await TestServer.with { server in
            let (device, push) = try await asked(server)
            let now = Int(server.now.timeIntervalSince1970)
            let claims = device.phone.claims(for: push, at: server.now)
                .with(["iat": .integer(now), "exp": .integer(now + 30)])
            #expect(
                try await device.phone.resolve(push, with: device.phone.token(claims), on: server).status == 204
            )
        }
    }

    @Test
    func `A modulus with and without the sign byte is the same key`() async throws {
        try await TestServer.with { server in
            let phone = try Phone.rsa()
            let jwk = try phone.jwk
            let modulus = try #require(jwk["n"].text)
            let bytes = try #require([UInt8](base64URL: modulus))
            #expect(bytes.count == 257 && bytes[0] == 0)
            let user = try await server.addUser()
            let reply = try await server.enroll(
                phone, ticket: server.ticket(for: user),
                changes: ["public_key": jwk.with(["n": .string(Array(bytes.dropFirst()).base64URL)])])
            #expect(reply.status == 201, "\(reply.text)")
            _ = try await server.browser("send-push-notification", bearer: transaction(server))
            let device = Enrolled(phone: phone, answer: reply.json)
            #expect(try await phone.allow(device.push(on: server), on: server).status == 204)
        }
    }

    @Test
    func `What there is none of is left out, not null`() async throws {
        try await TestServer.with { server in
            _ = try await server.management(.put, "guardian/factors/otp", ["enabled": false])
            let user = try await server.addUser()
            let reply = try await server.enroll(
                Phone(), ticket: server.ticket(for: user), changes: ["push_credentials": nil])
            #expect(reply.json.names == ["id", "issuer", "recovery_code", "token", "url", "user_id"])
            let device = Enrolled(phone: Phone(), answer: reply.json)
            let patched = try await server.send(
                .patch, "/api/device-accounts/\(device.id)",
                headers: [.authorization: "Bearer \(device.token)", .contentType: "application/json"],
                body: Array("{}".utf8))
            #expect(patched.status == 200 && patched.json.names == ["id", "identifier", "name"], "\(patched.text)")
            let half = try await server.send(
                .patch, "/api/device-accounts/\(device.id)",
                headers: [.authorization: "Bearer \(device.token)", .contentType: "application/json"],
                body: Array(#"{"push_credentials":{"service":"APNS"}}"#.utf8))
            expectRefused(half, 400, "invalid_body")
            let second = try await server.enroll(Phone(), ticket: server.ticket(for: user))
            #expect(!second.json.names.contains("recovery_code"))
        }
    }

    @Test
    func `Telemetry is not needed and may be garbage`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            for value in ["", "eyJuYW1lIjoiR3VhcmRpYW4uc3dpZnQiLCJ2ZXJzaW9uIjoiMS4xLjAifQ", "%%%", "\u{e9}"] {
                let reply = try await server.send(
                    .post, "/api/enroll",
                    headers: [
                        .authorization: "Ticket id=\"\(try await server.ticket(for: user))\"",
                        .contentType: "application/json; charset=utf-8", HTTPField.Name("Auth0-Client")!: value,
                        .userAgent: "GuardianSDK/0.10.2 Android 14",
                    ], body: Phone().registration.bytes)
                #expect(reply.status == 201, "\(reply.text)")
            }
        }
    }

    // MARK: What devices sign

    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var status = 401
        var code = "invalid_challenge"
        /// What the answer says of it.
        let words: String
        let make: @Sendable (Phone, _ claims: JSON, _ device: String, _ now: Double) throws -> String

        init(
            _ name: String, _ words: String, isMalformed: Bool = false,
            _ make: @escaping @Sendable (Phone, JSON, String, Double) throws -> String
        ) {
            testDescription = name
            self.words = words
            self.make = make
            if isMalformed { (status, code) = (400, "invalid_body") }
        }

        /// With other claims than it should have; nil leaves one out.
        static func claims(
            _ name: String, _ words: String, isMalformed: Bool = false,
            _ changes: @escaping @Sendable (Double) -> [String: JSON?]
        ) -> Forgery {
            Forgery(name, words, isMalformed: isMalformed) { phone, claims, _, now in
                try phone.token(claims.with(changes(now)))
            }
        }

        static func stranger(to phone: Phone) throws -> Phone {
            Phone(phone.key.algorithm == "RS256" ? try .freshRSA() : .freshP256())
        }

        /// An HMAC with what is public of the key as its secret.
        static func hmac(_ claims: JSON, _ secret: [UInt8]) -> String {
            let input = "\((["alg": "HS256", "typ": "JWT"] as JSON).bytes.base64URL).\(claims.bytes.base64URL)"
            let code = HMAC<SHA256>.authenticationCode(
                for: Data(input.utf8), using: SymmetricKey(data: Data(secret)))
            return "\(input).\(Array(code).base64URL)"
        }
    }

    static let forgeries: [Forgery] = [
        Forgery("another key", "not signed by this device") { phone, claims, _, _ in
            try Forgery.stranger(to: phone).token(claims)
        },
        Forgery("another key, in the header", "not signed by this device") { phone, claims, device, _ in
            let stranger = try Forgery.stranger(to: phone)
            return try stranger.token(
                claims,
                header: [
                    "alg": .string(stranger.key.algorithm), "typ": "JWT", "jwk": stranger.jwk, "kid": .string(device),
                ])
        },
        .claims("another challenge", "another challenge") { _ in ["sub": "other"] },
        .claims("another audience", "another server") { _ in
            ["aud": "https://elsewhere.example/api/resolve-transaction"]
        },
        .claims("expired", "expired") { ["iat": .number($0 - 100), "exp": .number($0 - 70)] },
        .claims("of the future", "clock") { ["iat": .number($0 + 100), "exp": .number($0 + 130)] },
        Forgery("alg none", "another algorithm") { phone, claims, _, _ in
            try phone.token(claims, header: ["alg": "none"]).split(separator: ".").prefix(2).joined(separator: ".")
                + "."
        },
        Forgery("alg none with a signature", "another algorithm") { phone, claims, _, _ in
            try phone.token(claims, header: ["alg": "none"])
        },
        Forgery("an HMAC by the key as JSON", "another algorithm") { phone, claims, _, _ in
            try Forgery.hmac(claims, phone.jwk.bytes)
        },
        Forgery("an HMAC by the key's numbers", "another algorithm") { phone, claims, _, _ in
            let jwk = try phone.jwk
            return Forgery.hmac(claims, [UInt8](base64URL: jwk["n"].text ?? jwk["x"].text ?? "") ?? [])
        },
        Forgery("the other kind of algorithm", "another algorithm") { phone, claims, _, _ in
            try phone.token(
                claims, header: ["alg": phone.key.algorithm == "RS256" ? "ES256" : "RS256", "typ": "JWT"])
        },
        Forgery("a proof of the key, for a request", "not a signed answer", isMalformed: true) { phone, claims, _, _ in
            try phone.token(claims, header: ["alg": .string(phone.key.algorithm), "typ": "dpop+jwt"])
        },
        Forgery("without signature", "not signed") { phone, claims, _, _ in
            try phone.token(claims).split(separator: ".").prefix(2).joined(separator: ".") + "."
        },
        Forgery("with half a signature", "not signed") { phone, claims, _, _ in
            String(try phone.token(claims).dropLast(42))
        },
        Forgery("with one bit of the claims changed", "not signed") { phone, claims, _, _ in
            let parts = try phone.token(claims).split(separator: ".")
            let no = claims.with(["auth0_guardian_accepted": false]).bytes.base64URL
            return "\(parts[0]).\(no).\(parts[2])"
        },
        Forgery("cut short", "not a signed answer", isMalformed: true) { phone, claims, _, _ in
            try phone.token(claims).split(separator: ".").prefix(2).joined(separator: ".")
        },
        Forgery("with a fourth part", "not a signed answer", isMalformed: true) { phone, claims, _, _ in
            try phone.token(claims) + ".x"
        },
        .claims("without a decision", "not a signed answer", isMalformed: true) { _ in
            ["auth0_guardian_accepted": nil]
        },
        .claims("with a decision that is none", "not a signed answer", isMalformed: true) { _ in
            ["auth0_guardian_accepted": 1]
        },
        .claims("good for a day", "not a signed answer", isMalformed: true) { ["exp": .number($0 + 86_400)] },
    ]

    @Test(
        arguments: [false, true])
    func `What is not the device's answer to this request is refused, says what is wrong with it, and decides nothing`(
        withRSA: Bool
    ) async throws {
        try await TestServer.with { server in
            let phone = withRSA ? try Phone.rsa() : Phone()
            let device = try await server.enrolled(phone, of: server.addUser())
            for forgery in Self.forgeries {
                let transaction = try await transaction(server)
                #expect(try await server.browser("send-push-notification", bearer: transaction).status == 204)
                let push = try await device.push(on: server)
                let claims = phone.claims(for: push, at: server.now)
                let statement = try forgery.make(phone, claims, device.id, server.now.timeIntervalSince1970)
                let reply = try await phone.resolve(push, with: statement, on: server)
                expectRefused(reply, forgery.status, forgery.code)
                #expect(
                    reply.json["message"].text?.contains(forgery.words) == true,
                    "\(forgery.testDescription): \(reply.text)")
                let state = try await server.browser("transaction-state", bearer: transaction)
                #expect(state.json["state"] == "pending")
                // The right one, afterwards, and once.
                let right = try phone.token(phone.claims(for: push, at: server.now))
                #expect(try await phone.resolve(push, with: right, on: server).status == 204)
                expectRefused(
                    try await phone.resolve(push, with: right, on: server), 404, "login_transaction_not_found")
                try await server.advance(60)
            }
        }
    }

    @Test
    func `A token that a device signs for itself names the device, its user and this API, for two hours at most`()
        async throws
    {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let phone = Phone()
            let device = try await server.enrolled(phone, of: user)
            let now = server.now.timeIntervalSince1970
            let claims: JSON = [
                "sub": .string(user), "iss": .string(device.id),
                "aud": "http://127.0.0.1:8080/appliance-mfa/api/device-accounts", "iat": .number(now + 0.5),
                "exp": .number(now + 7200.5),
            ]
            func patch(_ bearer: String) async throws -> Reply {
                try await server.send(
                    .patch, "/api/device-accounts/\(device.id)",
                    headers: [.authorization: "Bearer \(bearer)", .contentType: "application/json"],
                    body: Array("{}".utf8))
            }
            #expect(try await patch(phone.token(claims)).status == 200)
            #expect(
                try await patch(
                    phone.token(claims.with(["aud": "http://127.0.0.1:8080/api/device-accounts"]))
                ).status == 200)
            let wrong: [[String: JSON?]] = [
                ["iss": "dev_other"], ["iss": nil], ["sub": nil], ["sub": "auth0|other"], ["aud": nil],
                ["aud": .string("http://127.0.0.1:8080/api/device-accounts/\(device.id)")],
                ["aud": "https://elsewhere.example/api/device-accounts"], ["exp": .number(now)],
                ["exp": .number(now + 86_400)], ["exp": nil], ["iat": nil], ["iat": .number(now + 100)],
                ["exp": "never"],
            ]
            for changes in wrong {
                expectRefused(try await patch(phone.token(claims.with(changes))), 401, "invalid_token")
            }
            for header: JSON in [["alg": "none"], ["alg": "HS256"], ["alg": "RS256"], [:]] {
                expectRefused(try await patch(phone.token(claims, header: header)), 401, "invalid_token")
            }
            // An answer to a request is no such token.
            _ = try await server.browser("send-push-notification", bearer: transaction(server))
            let push = try await device.push(on: server)
            expectRefused(
                try await patch(phone.token(phone.claims(for: push, at: server.now))), 401, "invalid_token")
            try await server.advance(7201)
            expectRefused(try await patch(phone.token(claims)), 401, "invalid_token")
        }
    }

    // MARK: Pushes

    @Test
    func `A push has the names that SDKs read, and all of it fits into 4 KiB`() throws {
        let full = PushPayload(
            device: "dev_VJGBI87d093cnl03", token: "token", challenge: "challenge",
            startedAt: Date(timeIntervalSince1970: 1_450_382_011), server: "samples.auth0.com", title: "login0",
            body: "Login", browser: ("Safari", "9.0.3"), system: ("Mac OS", "10.11.3"),
            place: ("Palermo, BA, Argentina", "-34.57115", "-58.423297"), linkingID: "cns_1234", numberLength: 6)
        expectGolden(
            try JSON(parsing: JSONEncoder().encode(full)),
            [
                "aps": [
                    "alert": ["title": "login0", "body": "Login"],
                    "category": "com.auth0.notification.authentication",
                ],
                "mfa": [
                    "dai": "dev_VJGBI87d093cnl03", "txtkn": "token", "txlnkid": "cns_1234", "c": "challenge",
                    "d": "2015-12-17T19:53:31.000Z", "sh": "samples.auth0.com",
                    "s": ["b": ["n": "Safari", "v": "9.0.3"], "os": ["n": "Mac OS", "v": "10.11.3"]],
                    "l": ["n": "Palermo, BA, Argentina", "lat": "-34.57115", "long": "-58.423297"], "nl": 6,
                ],
            ])
        let least = PushPayload(
            device: "d", token: "t", challenge: "c", startedAt: Date(timeIntervalSince1970: 0), server: "s",
            title: "t", body: "b")
        #expect(try JSON(parsing: JSONEncoder().encode(least))["mfa"].names == ["c", "d", "dai", "sh", "txtkn"])
        // As long as the server makes any of it, in characters that JSON escapes.
        let long = String(repeating: "\u{1}", count: 100)
        let longest = PushPayload(
            device: "dev_0123456789abcdef", token: String(repeating: "a", count: 43),
            challenge: String(repeating: "a", count: 32), startedAt: Date(), server: "https://mfa.example.com",
            title: "countersign", body: "Allow the sign-in of \(long)?", browser: (long, "1"), system: (long, "1"),
            place: (long, "-34.57115", "-58.423297"), linkingID: "cns_" + String(repeating: "a", count: 24),
            numberLength: 6)
        #expect(try JSONEncoder().encode(longest).count < 4096)
        // Written without an encoder, in the text that one makes.
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for payload in [full, least, longest] { #expect(try payload.encoded == encoder.encode(payload)) }
        let list = NotificationList(notifications: [full, least])
        var written = JSONWriter()
        list.write(to: &written)
        #expect(try Data(written.bytes) == encoder.encode(list))
    }

    // MARK: The browser

    @Test
    func `What start-flow answers, with and without a device, and a token that pages can read`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let device = try await server.enrolled(of: user)
            let started = try await server.browser("start-flow", bearer: server.mfaToken()).json
            expectGolden(
                started,
                [
                    "transaction_token": "<jwt>",
                    "device_account": [
                        "id": .string(device.id), "status": "confirmed", "name": "Ada's iPhone", "methods": ["push"],
                        "available_methods": ["push", "otp"],
                        "available_authenticator_types": ["push", "otp", "recovery-code"],
                        "push_notifications": ["enabled": true],
                    ],
                    "available_enrollment_methods": [], "available_authentication_methods": ["push", "otp"],
                    "feature_switches": ["mfa_app": true, "mfa_sms": false],
                ])
            let token = try #require(started["transaction_token"].text)
            let part = try #require([UInt8](base64URL: token.split(separator: ".")[1]))
            let claims = try JSON(parsing: part)
            #expect(claims["txid"].text?.hasPrefix("tx_") == true)
            #expect(claims["exp"].int.map { Double($0) > server.now.timeIntervalSince1970 } == true)
            let state = try await server.browser("transaction-state", bearer: token)
            expectGolden(state.json, ["id": claims["txid"], "state": "pending", "enrollment": .null])

            let ticket = try await server.ticket(for: user)
            let invited = try await server.send(
                .post, "/api/start-flow", headers: [.authorization: "Ticket id=\"\(ticket)\""])
            expectGolden(
                invited.json,
                [
                    "transaction_token": "<jwt>", "enrollment_tx_id": "<token>",
                    "enrollment_uri": invited.json["enrollment_uri"],
                    "device_account": [
                        "id": invited.json["device_account"]["id"], "status": "pending", "otp_secret": "<base32>",
                    ],
                    "available_enrollment_methods": ["push"], "available_authentication_methods": ["push"],
                    "feature_switches": ["mfa_app": true, "mfa_sms": false],
                ])
            // Pollers stop on a 401.
            try await server.advance(301)
            expectRefused(try await server.browser("transaction-state", bearer: token), 401, "transaction_expired")
            for wrong in ["x", token + "x", "a.b.c"] {
                expectRefused(try await server.browser("transaction-state", bearer: wrong), 401, "invalid_token")
            }
            expectRefused(
                try await server.send(.post, "/api/transaction-state"), 401, "invalid_bearer_format")
        }
    }

    @Test
    func `A search that would leave something out is refused`() async throws {
        try await TestServer.with { server in
            expectRefused(try await server.management(.get, "logs?from=1"), 400, "invalid_query_string")
        }
    }
}
