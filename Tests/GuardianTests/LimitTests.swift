import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import ServerHTTP
import Testing

@Suite("Guardian's limits")
struct LimitTests {
    private static let limit = HTTPField.Name.known("X-RateLimit-Limit")
    private static let remaining = HTTPField.Name.known("X-RateLimit-Remaining")
    private static let reset = HTTPField.Name.known("X-RateLimit-Reset")

    private func transaction(_ server: TestServer) async throws -> String {
        try await #require(
            server.browser("start-flow", bearer: server.mfaToken()).json["transaction_token"].text)
    }

    private func challenge(_ server: TestServer, _ mfaToken: String) async throws -> Reply {
        let body: JSON = ["client_id": .string(server.key), "challenge_type": "oob", "mfa_token": .string(mfaToken)]
        return try await server.send(
            .post, "/mfa/challenge", headers: [.contentType: "application/json"], body: body.bytes)
    }

    @Test
    func `Five pushes a minute in both layouts and by OAuth together, each answer with the headers`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let mfaToken = try await server.mfaToken()
            let transaction = try #require(
                await server.browser("start-flow", bearer: mfaToken).json["transaction_token"].text)
            func send(_ prefix: String) async throws -> Reply {
                try await server.send(
                    .post, "\(prefix)/api/send-push-notification",
                    headers: [.authorization: "Bearer \(transaction)", .contentType: "application/json"])
            }
            let replies = [
                try await send(""), try await send("/appliance-mfa"), try await challenge(server, mfaToken),
                try await send(""), try await challenge(server, mfaToken),
            ]
            for (index, reply) in replies.enumerated() {
                #expect(reply.status < 300, "\(reply.text)")
                #expect(reply.headers[Self.limit] == "5" && reply.headers[Self.remaining] == "\(4 - index)")
            }
            for reply in [try await send(""), try await send("/appliance-mfa")] {
                expectRefused(reply, 429, "too_many_pn")
                #expect(reply.headers[Self.remaining] == "0" && reply.headers[Self.reset] != nil)
            }
            let sixth = try await challenge(server, mfaToken)
            #expect(sixth.status == 429 && sixth.json["error"] == "too_many_attempts", "\(sixth.text)")
            #expect(sixth.headers[Self.remaining] == "0" && sixth.headers[.retryAfter] == "60")
            // Only the latest waits, and is answered all the same.
            #expect(try await device.pushes(on: server).count == 1)
            #expect(try await device.phone.allow(device.push(on: server), on: server).status == 204)
            try await server.advance(60)
            #expect(try await challenge(server, server.mfaToken()).status == 200)
        }
    }

    @Test
    func `Of fifty requests at once five get through`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let transaction = try await transaction(server)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await server.browser("send-push-notification", bearer: transaction).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 204 } == 5)
            #expect(statuses.count { $0 == 429 } == 45)
            #expect(try await device.pushes(on: server).count == 1)
        }
    }

    @Test
    func `Too many wrong codes have a word of their own, and say when to come back`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let transaction = try await transaction(server)
            for _ in 0..<5 {
                expectRefused(
                    try await server.browser("verify-otp", bearer: transaction, ["code": "000000"]), 403,
                    "invalid_otp")
            }
            let totp = try TOTP(secret: Base32.decode(#require(device.answer["totp"]["secret"].text)))
            let locked = try await server.browser(
                "verify-otp", bearer: transaction, ["code": .string(totp.code(at: server.now).stringCode)])
            expectRefused(locked, 429, "too_many_attempts")
            let reset = try #require(locked.headers[Self.reset].flatMap { Double($0) })
            #expect((reset - server.now.timeIntervalSince1970 - 30).magnitude <= 1)
            let failed = try await server.management(.get, "logs?q=type:gd_auth_failed").json.elements
            #expect(failed.count == 5 && failed[0]["details"]["authenticator"] == ["type": "push"])
            #expect(
                try await server.management(.get, "logs?q=type:gd_otp_rate_limit_exceed").json.elements.count == 1)
            // A wrong password is none of these.
            _ = try await server.passwordGrant(password: "wrong")
            #expect(try await server.management(.get, "logs?q=type:gd_auth_failed").json.elements.count == 5)
            // The other way in is open.
            #expect(try await server.browser("send-push-notification", bearer: transaction).status == 204)
            #expect(try await device.phone.allow(device.push(on: server), on: server).status == 204)
        }
    }

    @Test
    func `Recovery codes that are wrong are events of their own`() async throws {
        try await TestServer.with { server in
            _ = try await server.enrolled(of: server.addUser())
            let transaction = try await transaction(server)
            for _ in 0..<5 {
                _ = try await server.browser("recover-account", bearer: transaction, ["recovery_code": "WRONG"])
            }
            expectRefused(
                try await server.browser("recover-account", bearer: transaction, ["recovery_code": "WRONG"]), 429,
                "too_many_attempts")
            #expect(try await server.management(.get, "logs?q=type:gd_recovery_failed").json.elements.count == 5)
            #expect(
                try await server.management(.get, "logs?q=type:gd_recovery_rate_limit_exceed").json.elements.count == 1)
        }
    }

    @Test
    func `Text messages are a factor that is switched off`() async throws {
        try await TestServer.with { server in
            _ = try await server.enrolled(of: server.addUser())
            let transaction = try await transaction(server)
            for path in ["send-sms", "device-accounts/dev_x/sms-enroll"] {
                expectRefused(
                    try await server.browser(path, bearer: transaction, ["phone_number": "+54"]), 403,
                    "feature_disabled")
                expectRefused(try await server.browser(path, bearer: "x"), 401, "invalid_token")
            }
        }
    }
}
