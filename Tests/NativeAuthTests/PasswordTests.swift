import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import Testing

/// What is wrong with a password is said in the protocol's own words at every door (Microsoft Learn, Native authentication
/// API reference).
@Suite("New passwords in native authentication")
struct PasswordTests {
    private static let faults: [(password: String, suberror: String)] = [
        ("seven77", "password_too_short"), (String(repeating: "long ", count: 52), "password_too_long"),
        ("password1", "password_banned"), ("Ada@Example.org", "password_too_weak"),
        ("a bell \u{7} in it", "password_is_invalid"),
    ]

    private func expectFaults(
        _ more: [(password: String, suberror: String)] = [], _ send: (String) async throws -> Reply
    ) async throws {
        for (password, suberror) in Self.faults + more {
            let reply = try await send(password)
            expectRefused(reply, "invalid_grant", suberror, number: 399_246)
            #expect(reply.token == nil)
        }
    }

    /// A sign-up or a reset, as far as its code.
    private func proven(
        _ client: NativeClient, _ endpoints: [Endpoint], _ fields: [String: String?]
    ) async throws -> Reply {
        let begun = try await client.post(endpoints[0], fields)
        let asked = try await client.post(endpoints[1], ["continuation_token": begun.token])
        return try await client.post(
            endpoints[2],
            ["continuation_token": asked.token, "grant_type": "oob", "oob": client.codes().last])
    }

    @Test
    func `At the start of a sign-up`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            func send(_ password: String) async throws -> Reply {
                try await client.post(
                    .signUpStart,
                    [
                        "username": NativeClient.email, "password": password,
                        "challenge_type": NativeClient.everything,
                    ])
            }
            try await expectFaults { try await send($0) }
            #expect(try await send(NativeClient.password).status == 200)
        }
    }

    @Test
    func `In the middle of a sign-up, which goes on`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let asked = try await proven(
                client, [.signUpStart, .signUpChallenge, .signUpContinue],
                ["username": NativeClient.email, "challenge_type": NativeClient.everything])
            expectRefused(asked, "credential_required", number: 55103)
            func send(_ password: String) async throws -> Reply {
                try await client.post(
                    .signUpContinue,
                    ["continuation_token": asked.token, "grant_type": "password", "password": password])
            }
            try await expectFaults { try await send($0) }
            #expect(try await send(NativeClient.password).status == 200)
        }
    }

    @Test
    func `In a reset, where the present password and those before it are none either; it goes on`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let user = try await server.account(password: "jacquard's loom")
            var change = AccountChange()
            change.password = Secret(NativeClient.password)
            _ = try await server.realm.accounts.change(user.id, change, by: .testAdministrator)
            let may = try await proven(
                client, [.resetPasswordStart, .resetPasswordChallenge, .resetPasswordContinue],
                ["username": NativeClient.email, "challenge_type": "oob redirect"])
            #expect(may.status == 200, "\(may.text)")
            func send(_ password: String) async throws -> Reply {
                try await client.post(
                    .resetPasswordSubmit, ["continuation_token": may.token, "new_password": password])
            }
            try await expectFaults([
                (NativeClient.password, "password_recently_used"), ("jacquard's loom", "password_recently_used"),
            ]) { try await send($0) }
            // The tenth try that came to nothing, and then no more of them: that would be a way to guess.
            for _ in 0..<8 { _ = try await send(NativeClient.password) }
            let limited = try await send(NativeClient.password)
            expectRefused(limited, "invalid_request", number: 90_055)
            #expect((1...3600).contains(Int(limited.headers[.retryAfter] ?? "") ?? 0))
            let polled = try await client.post(.resetPasswordPoll, ["continuation_token": may.token])
            #expect(polled.json["status"] == "not_started", "\(polled.text)")
        }
    }

    @Test
    func `The setting is the operator's`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account()
            try await server.realm.changeSettings(by: .testAdministrator) { $0.passwords.remembered = 0 }
            let may = try await proven(
                client, [.resetPasswordStart, .resetPasswordChallenge, .resetPasswordContinue],
                ["username": NativeClient.email, "challenge_type": "oob redirect"])
            let done = try await client.post(
                .resetPasswordSubmit, ["continuation_token": may.token, "new_password": NativeClient.password])
            #expect(done.status == 200, "\(done.text)")
        }
    }
}
