import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// The vendor's sample UserLogin (SecurityCheckAdapters), step by step. U11 to U13 are the client module's; what the server
/// has to do for U11 is U7.
@Suite("UserLogin and remember-me")
struct UserLoginTests {
    private static func challenge(_ remaining: Int, _ message: JSON = nil) -> JSON {
        ["UserLogin": ["errorMsg": message, "remainingAttempts": .integer(remaining)]]
    }

    private static func answer(_ name: JSON, _ password: JSON, remember: JSON? = nil) -> JSON {
        let credentials: JSON = ["username": name, "password": password]
        return ["UserLogin": credentials.with(["rememberMe": remember])]
    }

    private static func withClient(
        _ body: @Sendable (TestServer, MobileClient) async throws -> Void
    ) async throws {
        try await TestServer.with(.development) { server in
            try await body(
                server, .registered(on: server, application: "com.countersign.dev.userlogin"))
        }
    }

    @Test
    func `U1–U6: challenges, what is wrong, and being blocked`() async throws {
        try await Self.withClient { server, client in
            let scope = "accessRestricted"
            expectChallenges(try await client.preauthorize(scope), Self.challenge(3))
            expectChallenges(
                try await client.preauthorize(scope, Self.answer("a", "b")), Self.challenge(2, "Wrong Credentials"))
            // U6
            expectChallenges(try await client.preauthorize(scope), Self.challenge(2, "Wrong Credentials"))
            // U3
            expectChallenges(
                try await client.preauthorize(scope, ["UserLogin": ["username": "a"]]),
                Self.challenge(1, "Credentials not set properly"))
            // U4
            let blocked: JSON = ["UserLogin": ["failure": "Account blocked"]]
            expectFailures(try await client.preauthorize(scope, Self.answer("a", "")), blocked)
            try await server.advance(9.9)
            expectFailures(try await client.preauthorize(scope, Self.answer("a", "a")), blocked)
            try await server.advance(0.101)
            expectChallenges(try await client.preauthorize(scope), Self.challenge(3))
            // Present, and empty.
            expectChallenges(
                try await client.preauthorize(scope, Self.answer("", "")), Self.challenge(2, "Wrong Credentials"))
        }
    }

    @Test
    func `U5: success says who it is`() async throws {
        try await Self.withClient { server, client in
            let granted = expectGranted(try await client.preauthorize("UserLogin", Self.answer("a", "a")))
            let user = granted["UserLogin"]["user"]
            #expect(user["id"] == "a" && user["displayName"] == "a" && user["authenticatedBy"] == "UserLogin")
            #expect(user["authenticatedAt"].int == Int(server.now.timeIntervalSince1970 * 1000))
            #expect(user.names.contains("attributes"))
        }
    }

    @Test
    func `U7–U10: remembered for two minutes, if asked to, and until logging out`() async throws {
        try await Self.withClient { server, client in
            expectGranted(try await client.preauthorize("UserLogin", Self.answer("a", "a", remember: true)))
            try await server.advance(60.001)
            let again = expectGranted(try await client.preauthorize("UserLogin"))
            #expect(again["UserLogin"]["user"]["id"] == "a")
            // U9: each success that was remembered does not make the memory longer.
            try await server.advance(61)
            expectChallenges(try await client.preauthorize("UserLogin"), Self.challenge(3))

            // U8
            expectGranted(try await client.preauthorize("UserLogin", Self.answer("a", "a", remember: false)))
            try await server.advance(60.001)
            expectChallenges(try await client.preauthorize("UserLogin"), Self.challenge(3))

            // U10
            expectGranted(try await client.preauthorize("UserLogin", Self.answer("a", "a", remember: true)))
            #expect(try await client.logout("UserLogin").status == 200)
            expectChallenges(try await client.preauthorize("UserLogin"), Self.challenge(3))
        }
    }

    @Test
    func `A user who is not to be remembered is not, whichever user was before`() async throws {
        try await Self.withClient { server, client in
            expectGranted(try await client.preauthorize("UserLogin", Self.answer("a", "a", remember: true)))
            expectGranted(try await client.preauthorize("UserLogin", Self.answer("b", "b")))
            try await server.advance(60.001)
            expectChallenges(try await client.preauthorize("UserLogin"), Self.challenge(3))
        }
    }

    @Test
    func `U14: a resource knows who is logged in, and so does introspection`() async throws {
        try await Self.withClient { server, client in
            let scope = "RegisteredClient transactions"
            expectGranted(try await client.preauthorize(scope, Self.answer("ada", "ada")))
            let (token, _) = try await client.token(scope)
            let reply = try await client.resource(.get, "ResourceAdapter/transactions", token: token)
            #expect(reply.text == "Transactions for ada:\n{'date':'12/01/2016', 'amount':'19938.80'}")
            let told = try await server.introspect(token)
            #expect(told["active"] == true && told["username"] == "ada" && told["mfp-user"]["displayName"] == "ada")
            #expect(told["client_id"] == .string(client.id) && told["mfp-device"]["status"] == "ACTIVE")
            #expect(told["mfp-application"]["id"] == "com.countersign.dev.userlogin")
            #expect(told["exp"].int == Int((server.now.timeIntervalSince1970 + 60).rounded(.down)) * 1000)
        }
    }

    @Test(arguments: ["ada", "eve"])
    func `A token of before a logout opens nothing in the name of whoever logs in next`(next: String) async throws {
        try await Self.withClient { server, client in
            let scope = "RegisteredClient transactions"
            expectGranted(try await client.preauthorize(scope, Self.answer("ada", "ada")))
            let (old, _) = try await client.token(scope)
            #expect(try await server.introspect(old)["username"] == "ada")
            #expect(try await client.logout("UserLogin").status == 200)
            expectGranted(try await client.preauthorize(scope, Self.answer(.string(next), .string(next))))
            #expect(try await server.introspect(old) == ["active": false])
            let reply = try await client.resource(.get, "ResourceAdapter/transactions", token: old)
            #expect(reply.status == 401 && reply.headers[.wwwAuthenticate] == #"Bearer error="invalid_token""#)
            let (new, _) = try await client.token(scope)
            #expect(try await server.introspect(new)["username"] == .string(next))
            #expect(try await client.resource(.get, "ResourceAdapter/transactions", token: new).status == 200)
        }
    }

    @Test
    func `Registering again or logging out gives no new tries`() async throws {
        try await Self.withClient { server, client in
            for _ in 0..<2 { _ = try await client.preauthorize("UserLogin", Self.answer("ada", "x")) }
            _ = try await client.logout("UserLogin")
            let other = try await MobileClient.registered(on: server, application: client.application)
            let blocked: JSON = ["UserLogin": ["failure": "Account blocked"]]
            expectFailures(try await other.preauthorize("UserLogin", Self.answer("ada", "x")), blocked)
            expectFailures(try await client.preauthorize("UserLogin", Self.answer("ada", "ada")), blocked)
        }
    }
}
