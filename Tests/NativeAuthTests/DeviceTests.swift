import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import Testing

/// A device as second factor: what its silence, its owner's patience and lost answers come to.
@Suite("Devices in native authentication")
struct DeviceTests {
    private struct Stage {
        let server: TestServer
        let client: NativeClient
        let user: User
        let device: SignedDevice
        let token: String
        let method: String

        /// A sign-in that waits for a second factor.
        init(_ server: TestServer) async throws {
            self.server = server
            client = try await server.application()
            user = try await server.account()
            device = try await server.device(of: user)
            let begun = try await client.initiate()
            let pending = try await client.token(
                .password, ["continuation_token": begun.token, "password": NativeClient.password])
            expectRefused(pending, "invalid_grant", "mfa_required")
            token = try #require(pending.token)
            let methods = try await client.post(.introspect, ["continuation_token": token]).json["methods"]
            method = try #require(methods[0]["id"].text)
        }

        func ask(_ change: [String: String?] = [:]) async throws -> Reply {
            let reply = try await client.post(
                .challenge, ["continuation_token": token, "id": method].merging(change) { $1 })
            #expect(reply.status == 200 && reply.json["code_length"] == -1, "\(reply.text)")
            return reply
        }

        func poll(_ word: String = "push") async throws -> Reply {
            try await client.token(.mfaOOB, ["continuation_token": token, "oob": word])
        }

        func pushes() async throws -> Int {
            try await server.realm.outbox.messages().count { $0.message.channel == .push }
        }
    }

    @Test
    func `A client that waits for a device is told to, and it is not counted`() async throws {
        try await TestServer.with { server in
            let stage = try await Stage(server)
            _ = try await stage.ask()
            for _ in 0..<140 {
                expectRefused(try await stage.poll(), "authorization_pending")
                try await server.advance(2)
            }
            let wrong = try await server.realm.auditLog.events(limit: 1000).count { $0.kind == .answerRefused }
            #expect(wrong == 0)
            try await stage.device.allow()
            let tokens = try await stage.poll()
            #expect(tokens.status == 200, "\(tokens.text)")
        }
    }

    @Test
    func `Who asks with what could be a mailed code is told so too, and it is not counted`() async throws {
        try await TestServer.with { server in
            let stage = try await Stage(server)
            _ = try await stage.ask()
            for _ in 0..<12 { expectRefused(try await stage.poll("12345678"), "authorization_pending") }
            let wrong = try await server.realm.auditLog.events(limit: 1000).count { $0.kind == .answerRefused }
            #expect(wrong == 0)
            try await stage.device.allow()
            #expect(try await stage.poll("12345678").status == 200)
        }
    }

    @Test
    func `Who asks too often is told to slow down, and loses nothing`() async throws {
        try await TestServer.with { server in
            let stage = try await Stage(server)
            _ = try await stage.ask()
            for _ in 0..<30 { expectRefused(try await stage.poll(), "authorization_pending") }
            let reply = try await stage.poll()
            expectRefused(reply, "slow_down")
            #expect(reply.headers[.retryAfter] == "5")
            try await server.advance(60)
            try await stage.device.allow()
            #expect(try await stage.poll().status == 200)
        }
    }

    @Test
    func `A request that was not answered in time is over, and another can be made in the same sign-in`() async throws {
        try await TestServer.with { server in
            let stage = try await Stage(server)
            // No request was sent yet.
            #expect(try await stage.poll().status == 400)
            _ = try await stage.ask()
            try await server.advance(299)
            expectRefused(try await stage.poll(), "authorization_pending")
            try await server.advance(2)
            let reply = try await stage.poll()
            expectRefused(reply, "invalid_grant", "invalid_oob_value")
            #expect(reply.json["error_description"].text?.contains("was not answered on the device") == true)
            _ = try await stage.ask()
            expectRefused(try await stage.poll(), "authorization_pending")
            try await stage.device.allow()
            #expect(try await stage.poll().status == 200)
        }
    }

    @Test
    func `A challenge that comes twice asks the device once; another one, or a later one, asks it again`() async throws
    {
        try await TestServer.with { server in
            let stage = try await Stage(server)
            let first = try await stage.ask()
            let again = try await stage.ask()
            #expect(try await stage.pushes() == 1)
            #expect(again.token != first.token)
            _ = try await stage.ask(["continuation_token": again.token])
            #expect(try await stage.pushes() == 2)
            try await server.advance(11)
            _ = try await stage.ask(["continuation_token": again.token])
            #expect(try await stage.pushes() == 3)
            try await stage.device.allow()
            #expect(try await stage.poll().status == 200)
        }
    }

    @Test
    func `A device is asked five times a minute, and then its owner is left alone`() async throws {
        try await TestServer.with { server in
            let stage = try await Stage(server)
            var token: String? = stage.token
            for _ in 0..<5 { token = try await stage.ask(["continuation_token": token]).token }
            let reply = try await stage.client.post(
                .challenge, ["continuation_token": token, "id": stage.method])
            expectRefused(reply, "access_denied", "provider_blocked_by_rep", number: 550_024)
            #expect((1...60).contains(Int(reply.headers[.retryAfter] ?? "") ?? 0))
            #expect(try await stage.pushes() == 5)
            // The last one is still good.
            try await stage.device.allow()
            #expect(try await stage.poll().status == 200)
        }
    }

    @Test
    func `After a no nothing else is taken in the same sign-in`() async throws {
        try await TestServer.with { server in
            let stage = try await Stage(server)
            _ = try await stage.ask()
            try await stage.device.reject()
            expectRefused(try await stage.poll(), "access_denied")
            let code = try await stage.client.token(
                .mfaOOB, ["continuation_token": stage.token, "oob": stage.device.code()])
            expectRefused(code, "access_denied")
        }
    }
}
