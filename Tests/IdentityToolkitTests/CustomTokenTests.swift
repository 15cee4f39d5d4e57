import CountersignCore
import DialectTestSupport
import Foundation
import JWTKit
import Testing

/// The word of a developer's back end (Firebase documentation, "Create Custom Tokens").
@Suite struct CustomTokenTests {
    private static let format = "INVALID_CUSTOM_TOKEN : The custom token format is incorrect."
    private static let expired = "INVALID_CUSTOM_TOKEN : The custom token has expired."
    private static let mismatch =
        "CREDENTIAL_MISMATCH : The custom token was made for another project, or with an unregistered key."

    @Test func `A registered key signs in`() async throws {
        try await TestServer.with { server in
            let key = try await SigningKey.register(for: "backend@example.com", at: server)
            let first = try await server.signInWithCustomToken(try await key.token(uid: "user-1", at: server.now))
            expectGolden(
                first.json,
                [
                    "kind": "identitytoolkit#VerifyCustomTokenResponse", "idToken": "<jwt>", "refreshToken": "<token>",
                    "expiresIn": "3600", "isNewUser": true,
                ])
            let second = try await server.signInWithCustomToken(try await key.token(uid: "user-1", at: server.now))
            #expect(second.json["isNewUser"] == false)
            let token = try #require(second.json["idToken"].text)
            #expect(try claims(token)["sub"] == "user-1")
            #expect(try claims(token)["firebase"] == ["identities": [:], "sign_in_provider": "custom"])
            let user = try await server.account(token)
            #expect(user["customAuth"] == true)
            #expect(user["providerUserInfo"] == .null)
        }
    }

    @Test func `The developers claims go into the token and survive refreshes`() async throws {
        try await TestServer.with { server in
            let key = try await SigningKey.register(for: "backend@example.com", at: server)
            let custom = key.claims(uid: "user-1", at: server.now).with([
                "claims": ["role": "admin", "level": 3, "nested": ["a": [1, 2.5, .null, true]]]
            ])
            let reply = try await server.signInWithCustomToken(try await key.sign(custom))
            let refreshed = try await server.refresh(try #require(reply.json["refreshToken"].text, "\(reply.text)"))
            for token in [reply.json["idToken"], refreshed.json["id_token"]] {
                let claims = try claims(try #require(token.text))
                #expect(claims["role"] == "admin")
                #expect(claims["level"] == 3)
                #expect(claims["nested"] == ["a": [1, 2.5, .null, true]])
                #expect(claims["sub"] == "user-1")
            }
        }
    }

    @Test func `Developers claims have a limit`() async throws {
        try await TestServer.with { server in
            let key = try await SigningKey.register(for: "backend@example.com", at: server)
            for (length, isTaken) in [(900, true), (1100, false), (9000, false)] {
                let custom = key.claims(uid: "user-1", at: server.now).with([
                    "claims": ["x": .string(String(repeating: "x", count: length))]
                ])
                let reply = try await server.signInWithCustomToken(try await key.sign(custom))
                if isTaken {
                    #expect(try await server.lookup(try #require(reply.json["idToken"].text)).status == 200)
                } else {
                    expectRefused(reply, "CLAIMS_TOO_LARGE", .errors)
                }
            }
        }
    }

    @Test func `What is wrong with a token is told`() async throws {
        try await TestServer.with { server in
            let now = Int(server.now.seconds)
            let key = try await SigningKey.register(for: "backend@example.com", at: server)
            let stranger = await SigningKey(issuer: "backend@example.com")
            let unregistered = await SigningKey(issuer: "other@example.com")
            let good = key.claims(uid: "user-1", at: server.now)
            let cases: [(String, String)] = [
                (try await key.sign(good.with(["aud": "countersign"])), Self.mismatch),
                (try await key.sign(good.with(["aud": .some(nil)])), Self.mismatch),
                (try await stranger.token(uid: "user-1", at: server.now), Self.mismatch),
                (try await unregistered.token(uid: "user-1", at: server.now), Self.mismatch),
                (try await key.sign(good.with(["sub": "other@example.com"])), Self.format),
                (try await key.sign(good.with(["uid": .some(nil)])), "MISSING_IDENTIFIER"),
                (try await key.sign(good.with(["uid": ""])), "MISSING_IDENTIFIER"),
                (try await key.sign(good.with(["claims": ["a": 1, "sub": "evil"]])), "FORBIDDEN_CLAIM : sub"),
                (
                    try await key.sign(good.with(["claims": ["countersign_epoch": 9]])),
                    "FORBIDDEN_CLAIM : countersign_epoch"
                ),
                (try await key.sign(good.with(["claims": "x"])), "INVALID_CLAIMS"),
                (try await key.sign(good.with(["claims": ["x"]])), "INVALID_CLAIMS"),
                (try await key.sign(good.with(["uid": "a\u{0}b"])), Self.format),
                (try await key.sign(good.with(["uid": 7])), Self.format),
                (try await key.sign(good.with(["uid": .string(String(repeating: "x", count: 129))])), Self.format),
                (try await key.sign(good.with(["iat": .some(nil)])), Self.format),
                (try await key.sign(good.with(["exp": .some(nil)])), Self.format),
                (try await key.sign(good.with(["exp": "tomorrow"])), Self.format),
                (try await key.sign(good.with(["exp": .integer(now)])), Self.expired),
                (
                    try await key.sign(good.with(["iat": .integer(now - 3601), "exp": .integer(now + 10)])),
                    Self.expired
                ),
                (
                    try await key.sign(good.with(["iat": .integer(now + 301), "exp": .integer(now + 3000)])),
                    Self.expired
                ),
                // A life of more than an hour, also where the difference overflows.
                (try await key.sign(good.with(["exp": .integer(now + 3601)])), Self.expired),
                (try await key.sign(good.with(["iat": .integer(.min), "exp": .integer(.max)])), Self.expired),
                (try await key.sign(good.with(["iat": .integer(-2), "exp": .integer(.max)])), Self.expired),
                (forged(["alg": "none", "typ": "JWT"], good), Self.mismatch),
                (forged(["alg": "ES256", "typ": "JWT"], good, signature: "AAAA"), Self.mismatch),
                ("garbage", Self.format), ("a.b.c", Self.format), ("", "MISSING_CUSTOM_TOKEN"),
                (String(repeating: "a", count: 40_000), Self.format),
            ]
            for (token, message) in cases {
                let reply = try await server.signInWithCustomToken(token)
                expectRefused(reply, message, .errors)
            }
        }
    }

    /// The public key is no secret: a token "signed" with it as an HMAC key is refused.
    @Test func `A MAC with the public key is no signature`() async throws {
        try await TestServer.with { server in
            let key = try await SigningKey.register(for: "backend@example.com", at: server)
            let mac = JWTKeyCollection()
            await mac.add(hmac: HMACKey(from: key.publicKey), digestAlgorithm: .sha256)
            let members = try JSONDecoder().decode(
                [String: JSONValue].self, from: Data(key.claims(uid: "user-1", at: server.now).bytes))
            let reply = try await server.signInWithCustomToken(try await mac.sign(TokenClaims(members)))
            expectRefused(reply, Self.mismatch, .errors)
        }
    }

    @Test func `Under development a token needs no signature`() async throws {
        try await TestServer.with(.development) { server in
            let now = Int(server.now.seconds)
            let good: JSON = ["uid": "user-1", "aud": .string(SigningKey.audience), "claims": ["role": "x"]]
            for claims in [good, good.with(["exp": .integer(now + 1)]), good.with(["iat": .integer(now - 90_000)])] {
                let reply = try await server.signInWithCustomToken(forged(["alg": "none", "typ": "JWT"], claims))
                let token = try #require(reply.json["idToken"].text, "\(reply.text)")
                #expect(try IdentityToolkitTests.claims(token)["role"] == "x")
            }
            for (changes, message) in [
                (["uid": .some(nil)], "MISSING_IDENTIFIER"), (["uid": ""], "MISSING_IDENTIFIER"),
                (["uid": 5], Self.format), (["uid": .string(String(repeating: "x", count: 200))], Self.format),
                (["aud": .some(nil)], Self.format), (["aud": "countersign"], Self.format),
                (["aud": [.string(SigningKey.audience)]], Self.format), (["exp": .integer(now)], Self.expired),
                (["exp": "tomorrow"], Self.format), (["claims": ["iss": "x"]], "FORBIDDEN_CLAIM : iss"),
                (["claims": 5], "INVALID_CLAIMS"),
            ] as [([String: JSON?], String)] {
                let reply = try await server.signInWithCustomToken(forged(["alg": "none"], good.with(changes)))
                expectRefused(reply, message, .errors)
            }
        }
    }

    /// What the emulator takes beside tokens: the claims as they are.
    @Test func `Under development an object does for a token`() async throws {
        try await TestServer.with(.development) { server in
            let reply = try await server.signInWithCustomToken(
                #"{"uid": "user-1", "claims": {"role": "x"}, "aud": "anything", "exp": 1}"#)
            let token = try #require(reply.json["idToken"].text, "\(reply.text)")
            #expect(try claims(token)["sub"] == "user-1" && claims(token)["role"] == "x")
            for (text, message) in [
                (#"{"look":"I do not have uid"}"#, "MISSING_IDENTIFIER"), ("{}", "MISSING_IDENTIFIER"),
                (#"{"uid":"wow","claims":{"firebase":"awesome"}}"#, "FORBIDDEN_CLAIM : firebase"),
                ("{not+Json,That's=>For@Sure}", Self.format), ("{", Self.format),
                (#"{"uid":"a","uid":"b"}"#, Self.format),
                (#"{"uid":"a","claims":\#(String(repeating: "[", count: 5000))}"#, Self.format),
            ] {
                expectRefused(try await server.signInWithCustomToken(text), message, .errors)
            }
        }
        try await TestServer.with { server in
            expectRefused(try await server.signInWithCustomToken(#"{"uid":"user-1"}"#), Self.format, .errors)
        }
    }

    @Test func `A disabled user stays out`() async throws {
        try await TestServer.with { server in
            let key = try await SigningKey.register(for: "backend@example.com", at: server)
            let person = try await server.signUp()
            try await server.changeAccount(person) { $0.isDisabled = true }
            expectRefused(
                try await server.signInWithCustomToken(try await key.token(uid: person.localID, at: server.now)),
                "USER_DISABLED", .errors)
        }
    }
}
