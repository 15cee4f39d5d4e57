import CountersignCore
import DialectTestSupport
import Foundation
import NativeAuthWire
import Testing

/// Clients send a request once more when its answer was lost.
@Suite("Requests that come twice")
struct RepetitionTests {
    @Test
    func `A challenge that comes twice sends one code; the same from another token is a resend`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account(password: nil)
            let begun = try await client.initiate()
            let fields = ["continuation_token": begun.token, "challenge_type": NativeClient.everything]
            let first = try await client.post(.challenge, fields)
            let second = try await client.post(.challenge, fields)
            #expect(first.status == 200 && second.status == 200)
            #expect(try await client.codes().count == 1)
            _ = try await client.post(
                .challenge, ["continuation_token": second.token, "challenge_type": NativeClient.everything])
            #expect(try await client.codes().count == 2)
            // Later it is a wish for another code.
            server.clock.advance(10)
            _ = try await client.post(.challenge, fields)
            #expect(try await client.codes().count == 3)
            // And so it is after a wrong answer.
            let reply = try await client.token(.oob, ["continuation_token": begun.token, "oob": "1"])
            expectRefused(reply, "invalid_grant", "invalid_oob_value")
        }
    }

    @Test
    func `A client that does not name its requests gets a code each time`() async throws {
        try await TestServer.with { server in
            var client = try await server.application()
            client.requestID = nil
            try await server.account(password: nil)
            let begun = try await client.initiate()
            for count in 1...3 {
                _ = try await client.post(.challenge, ["continuation_token": begun.token])
                #expect(try await client.codes().count == count)
            }
        }
    }

    @Test
    func `The token request that comes twice gets the same session, for ten seconds`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let user = try await server.account(password: nil)
            let (token, code) = try await client.signInByCode()
            let fields = ["continuation_token": token, "oob": code]
            let first = try await client.token(.oob, fields)
            server.clock.advance(9)
            let second = try await client.token(.oob, fields)
            #expect(first.status == 200 && second.status == 200, "\(second.text)")
            #expect(first.json["refresh_token"] == second.json["refresh_token"])
            #expect(
                try Tokens.claims(first.json["id_token"])["sid"] == Tokens.claims(second.json["id_token"])["sid"])
            #expect(try await server.realm.store.read { try $0.sessions(of: user.id, limit: 9) }.count == 1)
            // Another request is another: a wrong code, other scopes, another name.
            var stranger = client
            stranger.requestID = "11111111-1111-4bbb-8222-3c3c3c3c3c3c"
            for reply in [
                try await client.token(.oob, ["continuation_token": token, "oob": "1"]),
                try await client.token(.oob, ["continuation_token": token, "oob": code, "scope": "openid"]),
                try await stranger.token(.oob, fields),
            ] {
                expectRefused(reply, "invalid_grant", number: 55200)
            }
            server.clock.advance(1)
            expectRefused(try await client.token(.oob, fields), "invalid_grant", number: 55200)
        }
    }

    @Test
    func `Once the refresh token was traded, the answer is not given again`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account(password: nil)
            let (token, code) = try await client.signInByCode()
            let fields = ["continuation_token": token, "oob": code]
            let first = try await client.token(.oob, fields)
            let refreshed = try await client.token(
                .refreshToken, ["refresh_token": first.json["refresh_token"].text])
            #expect(refreshed.status == 200, "\(refreshed.text)")
            expectRefused(try await client.token(.oob, fields), "invalid_grant", number: 55200)
        }
    }

    @Test
    func `Every step of a sign-up and of a reset that comes twice has the same outcome and no second effect`()
        async throws
    {
        try await TestServer.with { server in
            let city = ApplicationRegistration.Attribute(name: "city", type: "string", isRequired: true)
            let client = try await server.application(attributes: [city])
            func twice(_ endpoint: Endpoint, _ fields: [String: String?]) async throws -> Reply {
                let first = try await client.post(endpoint, fields)
                let second = try await client.post(endpoint, fields)
                #expect(first.status == second.status, "\(endpoint): \(first.text) \(second.text)")
                #expect(first.error == second.error && first.suberror == second.suberror)
                return second
            }
            var reply = try await twice(
                .signUpStart, ["username": NativeClient.email, "challenge_type": NativeClient.everything])
            reply = try await twice(.signUpChallenge, ["continuation_token": reply.token])
            #expect(try await client.codes().count == 1)
            reply = try await twice(
                .signUpContinue,
                ["continuation_token": reply.token, "grant_type": "oob", "oob": client.codes().last])
            #expect(reply.error == "credential_required")
            reply = try await twice(
                .signUpContinue,
                ["continuation_token": reply.token, "grant_type": "password", "password": NativeClient.password])
            #expect(reply.error == "attributes_required")
            reply = try await twice(
                .signUpContinue,
                ["continuation_token": reply.token, "grant_type": "attributes", "attributes": #"{"city":"London"}"#])
            #expect(reply.status == 200, "\(reply.text)")
            let user = try #require(await server.realm.accounts.user(email: EmailAddress(kept: NativeClient.email)))
            #expect(user.profile.attributes == ["city": "London"])
            let events = try await server.realm.auditLog.events(of: user.id, limit: 100)
            #expect(events.count { $0.kind == .signedUp } == 1)

            reply = try await twice(
                .resetPasswordStart, ["username": NativeClient.email, "challenge_type": "oob redirect"])
            reply = try await twice(.resetPasswordChallenge, ["continuation_token": reply.token])
            #expect(try await client.codes().count == 2)
            reply = try await twice(
                .resetPasswordContinue,
                ["continuation_token": reply.token, "grant_type": "oob", "oob": client.codes().last])
            reply = try await twice(
                .resetPasswordSubmit, ["continuation_token": reply.token, "new_password": "difference engine"])
            #expect(reply.status == 200, "\(reply.text)")
            reply = try await twice(.resetPasswordPoll, ["continuation_token": reply.token])
            #expect(reply.json["status"] == "succeeded")
            let later = try await server.realm.auditLog.events(of: user.id, limit: 100)
            #expect(later.count { $0.kind == .passwordReset } == 1)
        }
    }
}
