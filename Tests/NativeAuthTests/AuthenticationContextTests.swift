import CountersignCore
import DialectTestSupport
import Foundation
import NativeAuthWire
import OneTimePassword
import Testing

/// The claim `acrs` that a client asks for with its first token request (OpenID Connect Core, section 5.5).
@Suite("Authentication contexts")
struct AuthenticationContextTests {
    private static let other = "lovelace@example.org"

    private static func claims(_ contexts: String...) -> String {
        let values = contexts.map { #""\#($0)""# }.joined(separator: ",")
        return #"{"access_token":{"acrs":{"essential":true,"values":[\#(values)]}}}"#
    }

    /// A password sign-in that asks for contexts and is told what is missing.
    private func ask(
        _ client: NativeClient, _ suberror: String, claims: String? = Self.claims("c4")
    ) async throws -> String {
        let begun = try await client.initiate()
        let reply = try await client.token(
            .password,
            ["continuation_token": begun.token, "password": NativeClient.password, "claims": claims])
        expectRefused(reply, "invalid_grant", suberror)
        return try #require(reply.token)
    }

    /// Begins to register a mailbox.
    private func contact(_ target: String, _ token: String, _ client: NativeClient) async throws -> Reply {
        try await client.post(
            .registerChallenge,
            [
                "continuation_token": token, "challenge_type": "oob", "challenge_channel": "email",
                "challenge_target": target,
            ])
    }

    private func contexts(_ reply: Reply) throws -> JSON {
        #expect(reply.status == 200, "\(reply.text)")
        return try Tokens.claims(reply.json["access_token"])["acrs"]
    }

    @Test
    func `What the password's request asked for is there after the second factor, and after a refresh`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let totp = try await server.authenticator(of: server.account())
            let token = try await ask(client, "mfa_required")
            _ = try await client.post(.challenge, ["continuation_token": token])
            let tokens = try await client.token(
                .mfaOOB, ["continuation_token": token, "oob": totp.code(at: server.now).stringCode])
            #expect(try contexts(tokens) == ["c4"])
            var refresh = tokens.json["refresh_token"]
            for claims in [nil, Self.claims("c5"), nil] {
                let refreshed = try await client.token(
                    .refreshToken, ["refresh_token": refresh.text, "claims": claims])
                #expect(try contexts(refreshed) == (claims == nil ? ["c4"] : ["c4", "c5"]))
                refresh = refreshed.json["refresh_token"]
            }
        }
    }

    @Test
    func `What several requests of one sign-in ask for comes together`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            let totp = try await server.authenticator(of: server.account())
            let token = try await ask(client, "mfa_required", claims: Self.claims("c4", "c1"))
            _ = try await client.post(.challenge, ["continuation_token": token])
            let tokens = try await client.token(
                .mfaOOB,
                [
                    "continuation_token": token, "oob": totp.code(at: server.now).stringCode,
                    "claims": Self.claims("c1", "c2"),
                ])
            #expect(try contexts(tokens) == ["c4", "c1", "c2"])
        }
    }

    @Test
    func `Registering another mailbox by its code gives the context that was asked for`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account()
            let token = try await ask(client, "registration_required")
            let asked = try await contact(Self.other, token, client)
            #expect(asked.json["challenge_type"] == "oob", "\(asked.text)")
            let confirmed = try await client.post(
                .registerContinue,
                ["continuation_token": token, "grant_type": "oob", "oob": client.codes(to: Self.other).last])
            // The vendor's clients say nothing of it again.
            #expect(
                try await contexts(client.token(.continuationToken, ["continuation_token": confirmed.token])) == ["c4"])
        }
    }

    @Test
    func `Where a context is asked for, the own mailbox has to give a code too`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account()
            let token = try await ask(client, "registration_required")
            let asked = try await contact(NativeClient.email, token, client)
            #expect(asked.json["challenge_type"] == "oob", "\(asked.text)")
            let early = try await client.post(
                .registerContinue, ["continuation_token": token, "grant_type": "continuation_token"])
            #expect(early.status == 400)
            let confirmed = try await client.post(
                .registerContinue,
                ["continuation_token": token, "grant_type": "oob", "oob": client.codes().last])
            let tokens = try await client.token(.continuationToken, ["continuation_token": confirmed.token])
            #expect(try contexts(tokens) == ["c4"])
            #expect(try Tokens.claims(tokens.json["id_token"])["amr"] == ["pwd", "otp", "mfa"])
        }
    }

    @Test
    func `A mailbox that was registered without a code does not give a context that is asked for afterwards`()
        async throws
    {
        try await TestServer.with { server in
            let client = try await server.application(requiresMFA: true)
            try await server.account()
            let token = try await ask(client, "registration_required", claims: nil)
            #expect(try await contact(NativeClient.email, token, client).json["challenge_type"] == "preverified")
            let confirmed = try await client.post(
                .registerContinue, ["continuation_token": token, "grant_type": "continuation_token"])
            let reply = try await client.token(
                .continuationToken, ["continuation_token": confirmed.token, "claims": Self.claims("c4")])
            expectRefused(reply, "invalid_grant", "mfa_required")
            _ = try await client.post(.challenge, ["continuation_token": reply.token])
            let tokens = try await client.token(
                .mfaOOB, ["continuation_token": reply.token, "oob": client.codes().last])
            #expect(try contexts(tokens) == ["c4"])
        }
    }
}
