import CountersignCore
import DialectTestSupport
import Foundation
import Testing

@testable import CountersignServer

/// Every user needs a second factor, by the realm (`mfa.state` `MANDATORY`) or by the application: a user without one
/// gets tokens that are valid for enrolling one, and that no back end accepts.
@Suite struct RequiredFactorTests {
    enum Demand: String, CaseIterable, Sendable {
        case realm, application
    }

    private static let refused = "OPERATION_NOT_ALLOWED : A second factor has to be enrolled first."
    private static let enrolment: JSON = "countersign/mfa-enrolment"

    private func require(_ demand: Demand, at server: TestServer) async throws {
        switch demand {
        case .realm:
            let reply = try await server.changeConfig(mask: "mfa.state", ["mfa": ["state": "MANDATORY"]])
            #expect(reply.json["mfa"]["state"] == "MANDATORY", "\(reply.text)")
        case .application:
            _ = try await server.realm.applications.change(ClientID(rawValue: server.key), by: .commandLine) {
                $0.requiresSecondFactor = true
            }
        }
    }

    private func audience(_ token: JSON) throws -> JSON { try claims(try #require(token.text))["aud"] }

    @Test(arguments: Demand.allCases)
    func `Who has none gets tokens for enrolling one`(demand: Demand) async throws {
        try await TestServer.with { server in
            try await require(demand, at: server)
            var person = try await server.signUp()
            #expect(try audience(.string(person.idToken)) == Self.enrolment)
            #expect(try audience(try await server.refresh(person.refreshToken).json["id_token"]) == Self.enrolment)
            try await server.signInAgain(&person)
            #expect(try audience(.string(person.idToken)) == Self.enrolment)

            // What leads to a factor.
            #expect(try await server.account(person.idToken)["emailVerified"] == false)
            let mail = try await server.post(
                "/v1/accounts:sendOobCode", ["requestType": "VERIFY_EMAIL", "idToken": .string(person.idToken)])
            #expect(mail.status == 200, "\(mail.text)")
            let code = try #require(try await server.mailedCode(to: person.email))
            #expect(try await server.post("/v1/accounts:update", ["oobCode": .string(code)]).status == 200)
            _ = try await server.enrol(&person)

            // The session goes on as any other.
            #expect(try audience(.string(person.idToken)) == "countersign")
            #expect(try audience(try await server.refresh(person.refreshToken).json["id_token"]) == "countersign")
            let name = try await server.post(
                "/v1/accounts:update", ["idToken": .string(person.idToken), "displayName": "Ada"])
            #expect(name.status == 200, "\(name.text)")
        }
    }

    @Test(arguments: Demand.allCases)
    func `Nothing else is done with them`(demand: Demand) async throws {
        try await TestServer.with { server in
            try await require(demand, at: server)
            let person = try await server.verifiedPerson()
            var signedIn = person
            try await server.signInAgain(&signedIn)
            let token = JSON.string(signedIn.idToken)
            let link = try await server.link(["requestType": "EMAIL_SIGNIN", "email": .string(person.email)])
            for (path, body) in [
                ("v1/accounts:update", ["displayName": "Ada"]),
                ("v1/accounts:update", ["password": "another staple 8 horse"]),
                ("v1/accounts:update", ["validSince": "1"]),
                ("v1/accounts:signUp", ["email": "b@example.com", "password": "another staple 8 horse"]),
                (
                    "v1/accounts:sendOobCode",
                    ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "new@example.com"]
                ),
                ("v1/accounts:signInWithEmailLink", ["email": .string(person.email), "oobCode": .string(link)]),
                ("v2/accounts/mfaEnrollment:withdraw", ["mfaEnrollmentId": "x"]),
                ("v2/accounts:revokeToken", ["token": "x"]),
            ] as [(String, JSON)] {
                expectRefused(
                    try await server.post("/\(path)", body.with(["idToken": token])), Self.refused,
                    EnvelopeForm("/\(path)"))
            }
            let cookie = try await server.post(
                "/v1/projects/countersign:createSessionCookie", ["idToken": token], headers: server.administrator)
            if demand == .realm {
                expectRefused(cookie, Self.refused, .errors)
            }
            let user = try await server.account(signedIn.idToken)
            #expect(user["displayName"] == .null && user["email"] == .string(person.email))
            // An account may always be left.
            #expect(try await server.post("/v1/accounts:delete", ["idToken": token]).status == 200)
        }
    }

    @Test func `Who has a factor is asked for it and who vouched for is not`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            try await require(.realm, at: server)
            let finished = try await server.finishSignIn(
                try await server.pendingCredential(person), app.enrollmentID, code: app.code(at: server.now))
            #expect(try audience(finished.json["idToken"]) == "countersign")
            let key = try await SigningKey.register(for: "backend@example.com", at: server)
            let custom = try await server.customSignIn(try await key.token(uid: "user-1", at: server.now))
            #expect(try claims(custom)["aud"] == "countersign")
            try await server.changeSettings { $0.signUp.anonymous = true }
            #expect(try audience(try await server.post("/v1/accounts:signUp").json["idToken"]) == "countersign")
        }
    }

    @Test func `Withdrawing the last factor leads back to enrolling`() async throws {
        try await TestServer.with { server in
            try await require(.realm, at: server)
            let (person, app) = try await server.enrolledPerson()
            let reply = try await server.withdraw(person.idToken, app.enrollmentID)
            #expect(try audience(reply.json["idToken"]) == Self.enrolment, "\(reply.text)")
        }
    }

    /// Sessions from before the demand: where they can get a factor they go on to get one; where their user has one, they
    /// end, and the user signs in with it.
    @Test func `Older sessions are no way around it`() async throws {
        try await TestServer.with { server in
            var (person, other) = (try await server.verifiedPerson(), try await server.verifiedPerson())
            try await server.signInAgain(&person)
            try await server.signInAgain(&other)
            let before = other
            _ = try await server.enrol(&other)
            try await require(.realm, at: server)
            expectRefused(
                try await server.post(
                    "/v1/accounts:update", ["idToken": .string(person.idToken), "displayName": "Ada"]), Self.refused,
                .errors)
            #expect(try audience(try await server.refresh(person.refreshToken).json["id_token"]) == Self.enrolment)
            expectRefused(try await server.refresh(before.refreshToken), "TOKEN_EXPIRED", .status)
            // Nor to be rid of the account, whose user has a factor by now.
            expectRefused(
                try await server.post("/v1/accounts:delete", ["idToken": .string(before.idToken)]),
                "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .errors)
            #expect(
                try await server.post("/v1/accounts:delete", ["idToken": .string(person.idToken)]).status == 200)
            #expect(try audience(try await server.refresh(other.refreshToken).json["id_token"]) == "countersign")
        }
    }

    @Test func `When it is no longer required a refresh lifts the restriction`() async throws {
        try await TestServer.with { server in
            try await require(.realm, at: server)
            let person = try await server.signUp()
            _ = try await server.changeConfig(mask: "mfa.state", ["mfa": ["state": "ENABLED"]])
            expectRefused(
                try await server.post(
                    "/v1/accounts:update", ["idToken": .string(person.idToken), "displayName": "Ada"]), Self.refused,
                .errors)
            #expect(try audience(try await server.refresh(person.refreshToken).json["id_token"]) == "countersign")
        }
    }

    @Test func `Under development it holds too`() async throws {
        try await TestServer.with(.development) { server in
            try await require(.realm, at: server)
            let person = try await server.signUp()
            #expect(try audience(.string(person.idToken)) == Self.enrolment)
            expectRefused(
                try await server.post(
                    "/v1/accounts:update", ["idToken": .string(person.idToken), "displayName": "Ada"]), Self.refused,
                .errors)
        }
    }
}
