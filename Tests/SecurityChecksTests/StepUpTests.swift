import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// The vendor's sample StepUp (SecurityCheckAdapters), step by step.
@Suite("Step-up")
struct StepUpTests {
    private static let transfer = "RegisteredClient transferPrivilege"
    private static let login: JSON = ["StepUpUserLogin": ["errorMsg": nil]]
    private static let pin: JSON = ["StepUpPinCode": ["errorMsg": nil]]

    private static func answer(_ name: JSON, _ password: JSON) -> JSON {
        ["StepUpUserLogin": ["username": name, "password": password]]
    }

    private static func answer(pin: JSON) -> JSON { ["StepUpPinCode": ["pin": pin]] }

    private static func withClient(
        _ body: @Sendable (TestServer, MobileClient) async throws -> Void
    ) async throws {
        try await TestServer.with(.development) { server in
            try await body(server, .registered(on: server, application: "com.countersign.dev.stepup"))
        }
    }

    @Test
    func `S1, S2: the balance takes a login, and a transfer the PIN alone beside it`() async throws {
        try await Self.withClient { server, client in
            expectChallenges(try await client.preauthorize("accessRestricted"), Self.login)
            expectGranted(
                try await client.preauthorize("RegisteredClient accessRestricted", Self.answer("john", "john123")))
            let (token, _) = try await client.token("RegisteredClient accessRestricted")
            #expect(try await client.resource(.get, "ResourceAdapter/balance", token: token).status == 200)
            #expect(try await client.resource(.post, "ResourceAdapter/transfer", token: token).status == 403)
            expectChallenges(try await client.preauthorize(Self.transfer), Self.pin)
            expectGranted(try await client.preauthorize(Self.transfer, Self.answer(pin: "1234")))
            let (second, _) = try await client.token(Self.transfer)
            #expect(try await client.resource(.post, "ResourceAdapter/transfer", token: second).status == 200)
        }
    }

    @Test
    func `S3: without a login, first the login alone, then the PIN; never both`() async throws {
        try await Self.withClient { server, client in
            expectChallenges(try await client.preauthorize(Self.transfer), Self.login)
            // A PIN before the login is not even looked at.
            expectChallenges(try await client.preauthorize(Self.transfer, Self.answer(pin: "1234")), Self.login)
            let half = expectChallenges(
                try await client.preauthorize(Self.transfer, Self.answer("john", "john123")), Self.pin)
            #expect(half["successes"]["StepUpUserLogin"]["user"]["displayName"] == "John Doe")
            expectGranted(try await client.preauthorize(Self.transfer, Self.answer(pin: "1234")))
        }
    }

    @Test
    func `S4: another user's PIN is wrong, and what is wrong is told as the sample tells it`() async throws {
        try await Self.withClient { server, client in
            func message(_ text: JSON) -> JSON { ["StepUpUserLogin": ["errorMsg": text]] }
            expectChallenges(
                try await client.preauthorize(Self.transfer, Self.answer("nobody", "x")),
                message("User not found! Maybe try 'john'?"))
            expectChallenges(
                try await client.preauthorize(Self.transfer, Self.answer("tommy", "x")),
                message("Wrong Credentials. Hint: tommy234"))
            expectChallenges(
                try await client.preauthorize(Self.transfer, ["StepUpUserLogin": [:]]),
                message("Credentials not set properly"))
            expectChallenges(
                try await client.preauthorize(Self.transfer), message("Credentials not set properly"))
            _ = try await client.preauthorize(Self.transfer, Self.answer("tommy", "tommy234"))
            let hint: JSON = ["StepUpPinCode": ["errorMsg": "Wrong credentials. Hint: 2345"]]
            expectChallenges(try await client.preauthorize(Self.transfer, Self.answer(pin: "1234")), hint)
            // The PIN's message is told once, and an answer without PIN has none.
            expectChallenges(try await client.preauthorize(Self.transfer), Self.pin)
            expectChallenges(try await client.preauthorize(Self.transfer, ["StepUpPinCode": [:]]), Self.pin)
            expectGranted(try await client.preauthorize(Self.transfer, Self.answer(pin: 2345)))
        }
    }

    @Test
    func `S5, S6: the login is over before the PIN is, and logging out of the login asks for it alone`() async throws {
        try await Self.withClient { server, client in
            expectChallenges(
                try await client.preauthorize(Self.transfer, Self.answer("john", "john123")), Self.pin)
            try await server.advance(30)
            expectGranted(try await client.preauthorize(Self.transfer, Self.answer(pin: "1234")))
            try await server.advance(31)
            expectChallenges(try await client.preauthorize(Self.transfer), Self.login)
            let back = expectGranted(try await client.preauthorize(Self.transfer, Self.answer("john", "john123")))
            #expect(back.names == ["StepUpPinCode", "StepUpUserLogin"])

            #expect(try await client.logout("StepUpUserLogin").status == 200)
            expectChallenges(try await client.preauthorize(Self.transfer), Self.login)
            // One user's PIN does not count for the next user.
            let other = try await client.preauthorize(Self.transfer, Self.answer("fred", "fred123"))
            expectChallenges(other, Self.pin)
        }
    }
}
