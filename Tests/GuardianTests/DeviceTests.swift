import CountersignCore
import DialectTestSupport
import Foundation
import GuardianWire
import HTTPTypes
import OneTimePassword
import Testing

@Suite("Guardian's device API")
struct DeviceTests {
    @Test(
        arguments: ["", "/appliance-mfa"])
    func `A device enrols, is asked, allows, is asked again, rejects: in both layouts`(layout: String) async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            var phone = try Phone.rsa()
            phone.layout = layout
            let device = try await server.enrolled(phone, of: user)
            expectGolden(
                device.answer,
                [
                    "id": .string(device.id), "url": "http://127.0.0.1:8080", "issuer": "countersign",
                    "user_id": .string(user), "token": "<token>", "recovery_code": "<string>",
                    "totp": ["secret": "<base32>", "algorithm": "sha1", "digits": 6, "period": 30],
                ])
            #expect(device.id.hasPrefix("dev_"))

            let mfaToken = try await server.mfaToken()
            let started = try await server.browser("start-flow", bearer: mfaToken)
            #expect(started.status == 201, "\(started.text)")
            let transaction = try #require(started.json["transaction_token"].text)
            #expect(started.json["device_account"]["status"] == "confirmed")
            #expect(started.json["available_authentication_methods"] == ["push", "otp"])
            #expect(try await server.browser("transaction-state", bearer: transaction).json["state"] == "pending")
            let sent = try await server.send(
                .post, "\(layout)/api/send-push-notification",
                headers: [
                    .authorization: "Bearer \(transaction)", .contentType: "application/json",
                    .userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_3) Version/9.0.3 Safari/601.4.4",
                ])
            #expect(sent.status == 204 && sent.headers[HTTPField.Name("X-RateLimit-Remaining")!] == "4")

            let push = try await device.push(on: server)
            #expect(push["aps"]["category"] == "com.auth0.notification.authentication")
            #expect(push["mfa"]["dai"].text == device.id)
            #expect(push["mfa"]["d"] == "2026-09-24T10:11:12.123Z")
            #expect(push["mfa"]["s"] == ["b": ["n": "Safari", "v": "9.0.3"], "os": ["n": "Mac OS", "v": "10.11.3"]])
            #expect(push["mfa"]["sh"] == "http://127.0.0.1:8080")
            let allowed = try await phone.allow(push, on: server)
            #expect(allowed.status == 204 && allowed.bytes.isEmpty && allowed.headers[.contentType] == nil)
            let state = try await server.browser("transaction-state", bearer: transaction)
            #expect(state.json["state"] == "accepted" && state.json["token"].text?.split(separator: ".").count == 3)
            expectRefused(try await phone.allow(push, on: server), 404, "login_transaction_not_found")

            // The reject reason is in the log.
            let second = try await server.mfaToken()
            let again = try #require(
                await server.browser("start-flow", bearer: second).json["transaction_token"].text)
            _ = try await server.browser("send-push-notification", bearer: again)
            #expect(try await phone.reject(device.push(on: server), reason: "hacked", on: server).status == 204)
            #expect(try await server.browser("transaction-state", bearer: again).json["state"] == "rejected")
            let log = try await server.management(.get, "logs?q=type:gd_auth_rejected")
            #expect(log.json[0]["details"]["reason"] == "hacked" && log.json[0]["user_id"].text == user)
        }
    }

    @Test
    func `An answer that OpenSSL signed counts`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("openssl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        @Sendable func openssl(_ arguments: String...) throws -> Data {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["openssl"] + arguments
            process.currentDirectoryURL = folder
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            return data
        }
        _ = try openssl("genrsa", "-out", "key.pem", "2048")
        let modulus = String(decoding: try openssl("rsa", "-in", "key.pem", "-noout", "-modulus"), as: UTF8.self)
        let hexadecimal = modulus.split(separator: "=")[1].trimmingCharacters(in: .whitespacesAndNewlines)
        let bytes = stride(from: 0, to: hexadecimal.count, by: 2).compactMap {
            UInt8(hexadecimal.dropFirst($0).prefix(2), radix: 16)
        }
        try await TestServer.with { server in
            let user = try await server.addUser()
            let phone = Phone()
            let reply = try await server.enroll(
                phone, ticket: server.ticket(for: user),
                changes: [
                    "public_key": ["kty": "RSA", "alg": "RS256", "e": "AQAB", "n": .string(([0] + bytes).base64URL)]
                ])
            let device = Enrolled(phone: phone, answer: reply.json)
            let transaction = try #require(
                await server.browser("start-flow", bearer: server.mfaToken()).json["transaction_token"].text)
            _ = try await server.browser("send-push-notification", bearer: transaction)
            let push = try await device.push(on: server)
            let header: JSON = ["alg": "RS256", "typ": "JWT"]
            // As Swift's encoder writes it: with escaped slashes.
            let claims = String(decoding: phone.claims(for: push, at: server.now).bytes, as: UTF8.self)
                .replacingOccurrences(of: "/", with: "\\/")
            let input = "\(header.bytes.base64URL).\(Array(claims.utf8).base64URL)"
            try Data(input.utf8).write(to: folder.appendingPathComponent("input"))
            let signature = try openssl("dgst", "-sha256", "-sign", "key.pem", "input")
            let answer = try await phone.resolve(push, with: "\(input).\(signature.base64URL)", on: server)
            #expect(answer.status == 204, "\(answer.text)")
        }
    }

    /// What is wrong with an enrolment, and its word.
    static let badEnrolments: [(changes: [String: JSON?], status: Int, code: String)] = [
        (["identifier": nil], 400, "invalid_body"), (["identifier": ""], 400, "invalid_body"),
        (["identifier": "\0"], 400, "invalid_body"), (["identifier": [1]], 400, "invalid_body"),
        (["identifier": .string(String(repeating: "x", count: 257))], 400, "invalid_body"),
        (["public_key": nil], 400, "invalid_body"), (["public_key": [:]], 400, "invalid_body"),
        (["public_key": "key"], 400, "invalid_body"),
        (["public_key": ["kty": "oct", "k": "AAAA", "alg": "HS256"]], 400, "invalid_body"),
        (["public_key": ["kty": "RSA", "n": "AQAB", "e": "AQAB"]], 400, "invalid_body"),
        (["push_credentials": ["service": "APNS"]], 400, "invalid_body"),
        (["push_credentials": ["service": "PIGEON", "token": "00"]], 400, "invalid_body"),
        (["push_credentials": ["service": "APNS", "token": "no hex"]], 400, "invalid_body"),
        (["push_credentials": [1]], 400, "invalid_body"),
    ]

    @Test(arguments: badEnrolments)
    func `A wrong enrolment is refused and leaves the ticket good`(
        _ bad: (changes: [String: JSON?], status: Int, code: String)
    ) async throws {
        try await TestServer.with { server in
            let ticket = try await server.ticket(for: server.addUser())
            expectRefused(
                try await server.enroll(Phone(), ticket: ticket, changes: bad.changes), bad.status, bad.code)
            #expect(try await server.enroll(Phone(), ticket: ticket).status == 201)
            expectRefused(
                try await server.enroll(Phone(), ticket: ticket), 404, "enrollment_transaction_not_found")
        }
    }

    @Test(arguments: [false, true])
    func `A key that comes with its private half is refused, and the device makes another one`(withRSA: Bool)
        async throws
    {
        try await TestServer.with { server in
            let ticket = try await server.ticket(for: server.addUser())
            let phone = withRSA ? try Phone.rsa() : Phone()
            for member in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
                for name in ["public_key", "publicKey"] {
                    var changes: [String: JSON?] = ["public_key": nil]
                    changes[name] = try phone.jwk.with([member: "AQAB"])
                    let reply = try await server.enroll(phone, ticket: ticket, changes: changes)
                    expectRefused(reply, 400, "invalid_body")
                    #expect(reply.json["message"].text?.contains("private key") == true, "\(reply.text)")
                }
            }
            #expect(try await server.enroll(phone, ticket: ticket).status == 201)
        }
    }

    @Test(
        arguments: [
            (["public_key": "key"], "public_key has to be an object"),
            (["public_key": [1]], "public_key has to be an object"),
            (["identifier": [1]], "identifier has to be a string"),
            (["push_credentials": [1]], "push_credentials has to be an object"),
            (["public_key": ["kty": [:]]], "public_key.kty has to be a string"),
        ] as [([String: JSON?], String)])
    func `What is wrong with a body is said in words of JSON`(changes: [String: JSON?], sentence: String) async throws {
        try await TestServer.with { server in
            let reply = try await server.enroll(Phone(), ticket: server.ticket(for: server.addUser()), changes: changes)
            #expect(reply.json["message"].text?.hasPrefix(sentence) == true, "\(reply.text)")
        }
    }

    @Test
    func `A device without push credentials, with a name in Japanese, and with an older service name`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            for changes: [String: JSON?] in [
                ["push_credentials": nil], ["name": "エイダの電話"], ["name": nil],
                ["push_credentials": ["service": "apns", "token": "AB"]],
                ["push_credentials": ["service": "GCM", "token": "anything:at-all_"]],
                ["something": ["newer": true]],
            ] {
                let reply = try await server.enroll(
                    Phone(), ticket: server.ticket(for: user), changes: changes)
                #expect(reply.status == 201, "\(changes): \(reply.text)")
            }
        }
    }

    @Test
    func `Tickets: none, garbage, expired, of an unknown user`() async throws {
        try await TestServer.with { server in
            let body = try Phone().registration.bytes
            for authorization in [nil, "", "Bearer x", "Ticket", "Ticket id=", "Ticket id=\"\""] {
                var headers: HTTPFields = [.contentType: "application/json"]
                headers[.authorization] = authorization
                expectRefused(
                    try await server.send(.post, "/api/enroll", headers: headers, body: body), 401, "invalid_token")
            }
            expectRefused(
                try await server.enroll(Phone(), ticket: "gten_none"), 404, "enrollment_transaction_not_found")
            let ticket = try await server.ticket(for: server.addUser())
            try await server.advance(5 * 86_400)
            expectRefused(try await server.enroll(Phone(), ticket: ticket), 401, "invalid_token")
            expectRefused(
                try await server.management(.post, "guardian/enrollments/ticket", ["user_id": "auth0|nobody"]), 404,
                "inexistent_user")
        }
    }

    @Test
    func `What a device did not sign for this request is refused in its own words`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let phone = Phone()
            let device = try await server.enrolled(phone, of: user)
            let transaction = try #require(
                await server.browser("start-flow", bearer: server.mfaToken()).json["transaction_token"].text)
            _ = try await server.browser("send-push-notification", bearer: transaction)
            let push = try await device.push(on: server)
            let claims = phone.claims(for: push, at: server.now)
            let forgeries: [(statement: String, status: Int, code: String)] = [
                (try Phone().token(claims), 401, "invalid_challenge"),
                (
                    try phone.token(claims.with(["aud": "https://elsewhere.example/api/resolve-transaction"])), 401,
                    "invalid_challenge"
                ),
                (try phone.token(claims, header: ["alg": "none"]), 401, "invalid_challenge"),
                ("not a token", 400, "invalid_body"),
            ]
            for forgery in forgeries {
                expectRefused(
                    try await phone.resolve(push, with: forgery.statement, on: server), forgery.status,
                    forgery.code)
            }
            expectRefused(
                try await server.browser("resolve-transaction", bearer: "unknown", ["challenge_response": "x"]), 404,
                "invalid_token")
            expectRefused(
                try await server.browser("resolve-transaction", bearer: transaction), 400, "invalid_body")
            #expect(try await phone.allow(push, on: server).status == 204)
        }
    }

    @Test
    func `Every address that the server is known by is an audience, in both layouts`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            for layout in ["", "/appliance-mfa"] {
                let transaction = try #require(
                    await server.browser("start-flow", bearer: server.mfaToken()).json["transaction_token"].text)
                _ = try await server.browser("send-push-notification", bearer: transaction)
                var phone = device.phone
                phone.layout = layout
                let push = try await device.push(on: server)
                #expect(try await phone.allow(push, on: server).status == 204)
            }
        }
    }

    // MARK: Device accounts

    @Test
    func `A device changes and deletes itself, by its token and by one that it signs`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let phone = Phone()
            let device = try await server.enrolled(phone, of: user)
            let path = "/appliance-mfa/api/device-accounts/\(device.id)"
            func call(_ method: HTTPRequest.Method, _ bearer: String, _ body: JSON? = nil) async throws -> Reply {
                try await server.send(
                    method, path, headers: [.authorization: "Bearer \(bearer)", .contentType: "application/json"],
                    body: body?.bytes)
            }
            let now = server.now.timeIntervalSince1970
            let claims: JSON = [
                "sub": .string(user), "iss": .string(device.id),
                "aud": "http://127.0.0.1:8080/appliance-mfa/api/device-accounts", "iat": .number(now + 0.5),
                "exp": .number(now + 7200.5),
            ]
            let unchanged = try await call(.patch, device.token, [:])
            expectGolden(
                unchanged.json,
                [
                    "id": .string(device.id), "identifier": .string(phone.identifier), "name": "Ada's iPhone",
                    "push_credentials": ["service": "APNS", "token": "a0b1c2"],
                ])
            let changed = try await call(.patch, phone.token(claims), ["name": "Newer"])
            #expect(changed.json["name"] == "Newer" && changed.json["push_credentials"]["token"] == "a0b1c2")
            for bearer in [
                "wrong", try Phone().token(claims), try phone.token(claims.with(["sub": "auth0|x"])),
            ] {
                expectRefused(try await call(.patch, bearer, [:]), 401, "invalid_token")
                expectRefused(try await call(.delete, bearer), 401, "invalid_token")
            }
            expectRefused(try await call(.patch, device.token, ["identifier": ""]), 400, "invalid_body")
            let empty = try await server.send(.delete, path, headers: [.authorization: "Bearer "])
            #expect(empty.status == 401)
            expectRefused(
                try await server.send(
                    .delete, "/api/device-accounts/dev_none", headers: [.authorization: "Bearer \(device.token)"]),
                404, "enrollment_not_found")
            let deleted = try await call(.delete, device.token)
            #expect(deleted.status == 204 && deleted.bytes.isEmpty)
            expectRefused(try await call(.delete, device.token), 404, "enrollment_not_found")
            let log = try await server.management(.get, "logs?q=type:gd_unenroll")
            #expect(log.json[0]["details"]["device_id"].text == device.id)
        }
    }

    @Test
    func `The long poll answers what APNs would have delivered, and nothing to strangers`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            #expect(try await device.pushes(on: server).isEmpty)
            async let waiting = device.pushes(on: server, wait: 20)
            let transaction = try #require(
                await server.browser("start-flow", bearer: server.mfaToken()).json["transaction_token"].text)
            #expect(try await server.browser("send-push-notification", bearer: transaction).status == 204)
            #expect(try await waiting.count == 1)
            #expect(try await device.pushes(on: server).count == 1)
            for wait in ["-1", "56", "x"] {
                expectRefused(
                    try await server.send(
                        .get, "/api/device-accounts/\(device.id)/notifications?wait=\(wait)",
                        headers: [.authorization: "Bearer \(device.token)"]), 400, "invalid_query_string")
            }
            expectRefused(
                try await server.send(
                    .get, "/api/device-accounts/\(device.id)/notifications",
                    headers: [.authorization: "Bearer \(transaction)"]), 401, "invalid_token")
        }
    }

    @Test
    func `Under --dev the inbox shows a push to its device, with the payload as it would be delivered`() async throws {
        try await TestServer.with(.development) { server in
            let reply = try await server.management(
                .post, "users", ["email": "ada@example.org", "password": "analytical engine", "email_verified": true])
            let device = try await server.enrolled(of: #require(reply.json["user_id"].text))
            let transaction = try #require(
                await server.browser("start-flow", bearer: server.mfaToken()).json["transaction_token"].text)
            _ = try await server.browser("send-push-notification", bearer: transaction)
            // Beside it is the mail that tells of the new device.
            let messages = try await server.get("/dev/inbox.json").json["messages"].elements
            let message = try #require(messages.last { $0["kind"] == "push" })
            #expect(messages.count == 2 && message["to"].text == device.id)
            #expect(message["payload"] == (try await device.push(on: server)))
            #expect(try await server.get("/dev/inbox").status == 200)
        }
    }
}
