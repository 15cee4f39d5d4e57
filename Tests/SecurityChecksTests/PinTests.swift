import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// The vendor's sample PinCodeAttempts (SecurityCheckAdapters), step by step: the PIN, three tries, blocked, unblocked, the
/// balance. P17 and P18 are the client module's; what the server has to do for them is here.
@Suite("PinCodeAttempts")
struct PinTests {
    private static let blocked: JSON = ["PinCodeAttempts": ["failure": "Account blocked"]]
    private static let scope = "RegisteredClient accessRestricted"

    private static func challenge(_ remaining: Int, _ message: JSON = nil) -> JSON {
        ["PinCodeAttempts": ["errorMsg": message, "remainingAttempts": .integer(remaining)]]
    }

    private static func answer(_ pin: JSON) -> JSON { ["PinCodeAttempts": ["pin": pin]] }

    @Test
    func `P1–P13: the whole story of the balance`() async throws {
        try await TestServer.with(.development) { server in
            // P1
            let stranger = try MobileClient(on: server)
            let first = try await stranger.resource(.get, "ResourceAdapter/balance", token: nil)
            #expect(first.status == 401 && first.headers[.wwwAuthenticate] == "Bearer")
            let client = try await MobileClient.registered(on: server)
            expectGranted(try await client.preauthorize("RegisteredClient"))
            let (plain, _) = try await client.token("RegisteredClient")
            // P2
            let second = try await client.resource(.get, "ResourceAdapter/balance", token: plain)
            #expect(second.status == 403)
            #expect(
                second.headers[.wwwAuthenticate]
                    == #"Bearer error="insufficient_scope", scope="accessRestricted RegisteredClient""#)
            // P3, P4
            expectChallenges(try await client.preauthorize(Self.scope), Self.challenge(3))
            expectChallenges(try await client.preauthorize(Self.scope, [:]), Self.challenge(3))
            // P5
            expectChallenges(
                try await client.preauthorize(Self.scope, Self.answer("9999")),
                Self.challenge(2, "Pin code is not valid. Hint: 1234"))
            // P6
            try await server.advance(60)
            expectChallenges(try await client.preauthorize(Self.scope), Self.challenge(2))
            // P7
            expectChallenges(
                try await client.preauthorize(Self.scope, ["PinCodeAttempts": [:]]),
                Self.challenge(1, "Pin code was not provided"))
            // P8
            expectFailures(try await client.preauthorize(Self.scope, Self.answer("0000")), Self.blocked)
            // P9
            try await server.advance(59)
            expectFailures(try await client.preauthorize(Self.scope), Self.blocked)
            expectFailures(try await client.preauthorize(Self.scope, Self.answer("1234")), Self.blocked)
            // P10
            try await server.advance(1.001)
            expectChallenges(try await client.preauthorize(Self.scope), Self.challenge(3))
            // P11
            let granted = expectGranted(try await client.preauthorize(Self.scope, Self.answer(1234)))
            #expect(granted == ["PinCodeAttempts": [:]])
            let (token, reply) = try await client.token(Self.scope)
            #expect(reply["expires_in"].int == 60 && reply["token_type"] == "Bearer")
            #expect(Set(reply["scope"].text?.split(separator: " ") ?? []) == ["accessRestricted", "RegisteredClient"])
            let balance = try await client.resource(.get, "ResourceAdapter/balance", token: token)
            #expect(balance.status == 200 && balance.text == "19938.80")
            // P12
            try await server.advance(59)
            #expect(try await client.resource(.get, "ResourceAdapter/balance", token: token).status == 200)
            // P13
            try await server.advance(1.001)
            let late = try await client.resource(.get, "ResourceAdapter/balance", token: token)
            #expect(late.status == 401 && late.headers[.wwwAuthenticate] == #"Bearer error="invalid_token""#)
            expectChallenges(try await client.preauthorize(Self.scope), Self.challenge(3))
        }
    }

    @Test
    func `P14: after the window a wrong answer is the first of another`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            for _ in 0..<2 { _ = try await client.preauthorize(Self.scope, Self.answer("0")) }
            try await server.advance(121)
            expectChallenges(
                try await client.preauthorize(Self.scope, Self.answer("0")),
                Self.challenge(2, "Pin code is not valid. Hint: 1234"))
        }
    }

    @Test
    func `P15: a wrong answer in success ends it`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            expectGranted(try await client.preauthorize(Self.scope, Self.answer("1234")))
            let (token, _) = try await client.token(Self.scope)
            expectChallenges(
                try await client.preauthorize(Self.scope, Self.answer("0")),
                Self.challenge(2, "Pin code is not valid. Hint: 1234"))
            #expect(try await client.resource(.get, "ResourceAdapter/balance", token: token).status == 401)
        }
    }

    @Test
    func `P16: after logging out the old token is inactive, and the PIN is asked for again`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            expectGranted(try await client.preauthorize(Self.scope, Self.answer("1234")))
            let (token, _) = try await client.token(Self.scope)
            #expect(try await server.introspect(token)["active"] == true)
            let reply = try await client.logout("PinCodeAttempts")
            #expect(reply.status == 200 && reply.json == [:])
            #expect(try await server.introspect(token) == ["active": false])
            #expect(try await client.resource(.get, "ResourceAdapter/balance", token: token).status == 401)
            expectChallenges(try await client.preauthorize(Self.scope), Self.challenge(3))
        }
    }

    @Test
    func `A token of before a wrong answer stays inactive when the right one follows`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            expectGranted(try await client.preauthorize(Self.scope, Self.answer("1234")))
            let (token, _) = try await client.token(Self.scope)
            // The right answer once more changes nothing.
            expectGranted(try await client.preauthorize(Self.scope, Self.answer("1234")))
            #expect(try await server.introspect(token)["active"] == true)
            #expect(try await client.preauthorize(Self.scope, Self.answer("0")).status == 401)
            expectGranted(try await client.preauthorize(Self.scope, Self.answer("1234")))
            #expect(try await server.introspect(token) == ["active": false])
            let (next, _) = try await client.token(Self.scope)
            #expect(try await server.introspect(next)["active"] == true)
        }
    }

    @Test
    func `P17, P18: asking many times, or at once, is one prompt and no attempt`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            _ = try await client.preauthorize(Self.scope, Self.answer("0"))
            try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<20 { group.addTask { try await client.preauthorize(Self.scope) } }
                for try await reply in group { expectChallenges(reply, Self.challenge(2)) }
            }
        }
    }

    @Test
    func `P19: what is not protected needs no client`() async throws {
        try await TestServer.with(.development) { server in
            let reply = try await server.send(.get, "/mfp/api/adapters/ResourceAdapter/publicData")
            #expect(reply.status == 200 && reply.text.hasPrefix("Lorem ipsum dolor sit amet"))
        }
    }

    @Test
    func `P20: another client is asked while the first is blocked`() async throws {
        try await TestServer.with(.development) { server in
            let first = try await MobileClient.registered(on: server)
            for _ in 0..<3 { _ = try await first.preauthorize(Self.scope, Self.answer("0")) }
            expectFailures(try await first.preauthorize(Self.scope), Self.blocked)
            let second = try await MobileClient.registered(on: server)
            expectChallenges(try await second.preauthorize(Self.scope), Self.challenge(3))
        }
    }

    @Test
    func `P21: a right PIN before any challenge is as good`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            expectGranted(try await client.preauthorize("PinCodeAttempts", Self.answer("1234")))
            let (token, _) = try await client.token(Self.scope)
            #expect(try await client.resource(.get, "ResourceAdapter/balance", token: token).status == 200)
        }
    }

    @Test
    func `P22: with two checks, only the unanswered one is challenged, and the other is among the successes`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server)
            let scope = "PinCodeAttempts UserLogin"
            let login: JSON = ["UserLogin": ["errorMsg": nil, "remainingAttempts": 3]]
            let both = try await client.preauthorize(scope)
            expectChallenges(both, Self.challenge(3).with(["UserLogin": login["UserLogin"]]))
            let half = expectChallenges(try await client.preauthorize(scope, Self.answer("1234")), login)
            #expect(half["successes"]["PinCodeAttempts"] == [:])
            let user: JSON = ["username": "ada", "password": "ada"]
            let rest = expectGranted(try await client.preauthorize(scope, ["UserLogin": user]))
            #expect(rest.names == ["PinCodeAttempts", "UserLogin"])
            // The user is there though another check was still asking when they logged in.
            #expect(rest["UserLogin"]["user"]["id"] == "ada")
        }
    }
}
