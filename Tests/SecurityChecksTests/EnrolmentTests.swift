import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import SecurityChecks
import Testing

/// The vendor's sample Enrollment (SecurityCheckAdapters), step by step.
@Suite("Enrolment")
struct EnrolmentTests {
    private static let login: JSON = ["EnrollmentUserLogin": ["username": "ada", "password": "ada"]]

    private static func pin(_ pin: JSON) -> JSON { ["EnrollmentPinCode": ["pin": pin]] }

    private static func challenge(_ remaining: Int, _ message: JSON = nil) -> JSON {
        ["EnrollmentPinCode": ["errorMsg": message, "remainingAttempts": .integer(remaining)]]
    }

    private static func enrolled(on server: TestServer) async throws -> MobileClient {
        let client = try await MobileClient.registered(on: server, application: "com.countersign.dev.enrollment")
        expectGranted(try await client.preauthorize("RegisteredClient setPinCode", Self.login))
        let (token, _) = try await client.token("RegisteredClient setPinCode")
        let reply = try await client.resource(.post, "Enrollment/setPinCode/1234", token: token)
        #expect(reply.status == 200, "\(reply.text)")
        return client
    }

    @Test
    func `E0: a login that is never blocked, and keeps saying what was wrong`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await MobileClient.registered(on: server, application: "com.countersign.dev.enrollment")
            let wrong: JSON = ["EnrollmentUserLogin": ["username": "ada", "password": "x"]]
            let said: JSON = ["EnrollmentUserLogin": ["errorMsg": "Wrong Credentials", "remainingAttempts": 1]]
            for _ in 0..<3 { expectChallenges(try await client.preauthorize("setPinCode", wrong), said) }
            expectChallenges(try await client.preauthorize("setPinCode"), said)
        }
    }

    @Test
    func `E1–E5, E6b: who is not enrolled is refused, enrols, and is asked for the PIN later`() async throws {
        try await TestServer.with(.development) { server in
            let stranger = try await MobileClient.registered(on: server, application: "com.countersign.dev.enrollment")
            // E1
            expectFailures(
                try await stranger.preauthorize("accessRestricted"), ["IsEnrolled": ["failure": "User is not enrolled"]]
            )
            // E2
            let client = try await Self.enrolled(on: server)
            // E3
            let granted = expectGranted(try await client.preauthorize("RegisteredClient accessRestricted"))
            #expect(granted["IsEnrolled"]["user"]["id"] == "ada")
            let (token, _) = try await client.token("RegisteredClient accessRestricted")
            #expect(try await client.resource(.get, "ResourceAdapter/balance", token: token).status == 200)
            // E4
            let both = expectGranted(try await client.preauthorize("RegisteredClient transactions"))
            #expect(both.names == ["EnrollmentPinCode", "IsEnrolled"])
            // E5
            try await server.advance(31)
            let waiting = expectChallenges(try await client.preauthorize("transactions"), Self.challenge(3))
            #expect(waiting["successes"]["IsEnrolled"]["user"]["id"] == "ada")
            let hint: JSON = "Pin code is not valid. Hint: 1234"
            expectChallenges(try await client.preauthorize("transactions", Self.pin("9")), Self.challenge(2, hint))
            expectChallenges(try await client.preauthorize("transactions"), Self.challenge(2, hint))
            expectChallenges(
                try await client.preauthorize("transactions", ["EnrollmentPinCode": [:]]),
                Self.challenge(1, "Pin code was not provided"))
            expectGranted(try await client.preauthorize("RegisteredClient transactions", Self.pin("1234")))
            // E6b: no user is logged in any more, and the resource knows whose client it is.
            let (second, _) = try await client.token("RegisteredClient transactions")
            let reply = try await client.resource(.get, "ResourceAdapter/transactions", token: second)
            #expect(reply.text.hasPrefix("Transactions for ada:"))
        }
    }

    @Test
    func `E6: the third wrong PIN takes the PIN away`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await Self.enrolled(on: server)
            try await server.advance(31)
            for _ in 0..<2 { _ = try await client.preauthorize("transactions", Self.pin("9")) }
            expectFailures(
                try await client.preauthorize("EnrollmentPinCode", Self.pin("9")),
                ["EnrollmentPinCode": ["failure": "Account blocked"]])
            try await server.advance(2)
            let gone = try await client.preauthorize("EnrollmentPinCode", Self.pin("1234"))
            #expect(gone.status == 401, "\(gone.text)")
            expectGranted(try await client.preauthorize("RegisteredClient"))
            let (token, _) = try await client.token("RegisteredClient")
            #expect(try await client.resource(.get, "Enrollment/isEnrolled", token: token).text == "false")
        }
    }

    @Test
    func `E7: withdrawing takes the PIN, and with it what relied on it, at once`() async throws {
        try await TestServer.with(.development) { server in
            let client = try await Self.enrolled(on: server)
            expectGranted(try await client.preauthorize("RegisteredClient unenroll"))
            let (token, _) = try await client.token("RegisteredClient unenroll")
            #expect(try await server.introspect(token)["active"] == true)
            #expect(try await client.resource(.delete, "Enrollment/unenroll", token: token).status == 200)
            #expect(try await server.introspect(token)["active"] == false)
            expectFailures(
                try await client.preauthorize("accessRestricted"), ["IsEnrolled": ["failure": "User is not enrolled"]])
            #expect(try await client.logout("IsEnrolled").status == 200)
            expectFailures(
                try await client.preauthorize("accessRestricted"), ["IsEnrolled": ["failure": "User is not enrolled"]])
            // Who enrols again is enrolled at the next look, too.
            expectGranted(try await client.preauthorize("RegisteredClient setPinCode", Self.login))
            let (setting, _) = try await client.token("RegisteredClient setPinCode")
            #expect(try await client.resource(.post, "Enrollment/setPinCode/4321", token: setting).status == 200)
            expectGranted(try await client.preauthorize("RegisteredClient accessRestricted"))
        }
    }

    @Test
    func `A PIN that is gone leaves no success by it, no code, no token and no refresh token`() async throws {
        try await TestServer.with(.development) { server in
            try await server.setVersions(
                [
                    ApplicationVersion(
                        scopeElementMapping: [
                            "accessRestricted": "IsEnrolled", "transactions": "EnrollmentPinCode IsEnrolled",
                            "setPinCode": "EnrollmentUserLogin", "unenroll": "IsEnrolled",
                        ], refreshTokens: true)
                ], of: "com.countersign.dev.enrollment")
            let client = try await Self.enrolled(on: server)
            try await server.advance(31)
            let scope = "RegisteredClient transactions"
            expectGranted(try await client.preauthorize(scope, Self.pin("1234")))
            let first = try await client.code(scope)
            let redeemed = try await client.form(
                "/az/v1/token",
                [
                    ("grant_type", "authorization_code"), ("code", first), ("redirect_uri", "http://mfpredirecturi"),
                    ("client_assertion", try client.assertion(first)), ("client_id", client.id),
                    ("get_refresh_token", "TRUE"),
                ])
            #expect(redeemed.status == 200, "\(redeemed.text)")
            let code = try await client.code(scope)
            expectGranted(try await client.preauthorize("RegisteredClient unenroll"))
            let (token, _) = try await client.token("RegisteredClient unenroll")
            #expect(try await client.resource(.delete, "Enrollment/unenroll", token: token).status == 200)

            let access = try #require(redeemed.json["access_token"].text)
            #expect(try await server.introspect(access) == ["active": false])
            #expect(try await client.resource(.get, "ResourceAdapter/transactions", token: access).status == 401)
            #expect(try await client.redeem(code).json["error"] == "invalid_grant")
            let refreshed = try await client.form(
                "/az/v1/token",
                [
                    ("grant_type", "refresh_token"), ("refresh_token", redeemed.json["refresh_token"].text ?? ""),
                    ("redirect_uri", "http://mfpredirecturi"),
                    ("client_assertion", try client.assertion("get_refresh_token")), ("client_id", client.id),
                ])
            #expect(refreshed.status == 400 && refreshed.json["error"] == "invalid_grant", "\(refreshed.text)")
            #expect(try await client.preauthorize("EnrollmentPinCode").status == 401)
        }
    }
}
