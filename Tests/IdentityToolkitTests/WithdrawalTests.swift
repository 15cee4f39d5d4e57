import CountersignCore
import DialectTestSupport
import Foundation
import OneTimePassword
import Testing

/// Withdrawing a second factor (REST reference of Identity Platform, v2 `accounts.mfaEnrollment.withdraw`).
@Suite struct WithdrawalTests {
    @Test func `A factor that is not the users is not found`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let (other, _) = try await server.enrolledPerson()
            let password = try await server.realm.accounts.userAndFactors(UserID(rawValue: person.localID))?
                .factors.first { $0.kind == .password }?.id.rawValue
            for id in [
                "", "unknown", app.enrollmentID.uppercased(), app.enrollmentID + "\u{0}", try #require(password),
            ] {
                expectRefused(try await server.withdraw(person.idToken, id), "MFA_ENROLLMENT_NOT_FOUND", .status)
            }
            expectRefused(
                try await server.withdraw(other.idToken, app.enrollmentID), "MFA_ENROLLMENT_NOT_FOUND", .status)
            let path = "/v2/accounts/mfaEnrollment:withdraw"
            expectRefused(
                try await server.post(path, ["idToken": .string(person.idToken)]), "MFA_ENROLLMENT_NOT_FOUND", .status)
            expectRefused(
                try await server.post(path, ["mfaEnrollmentId": .string(app.enrollmentID)]), "INVALID_ID_TOKEN", .status
            )
            #expect(try await server.account(person.idToken)["mfaInfo"].elements.count == 1)
        }
    }

    @Test func `The only factors withdrawal goes on without it and ends all other sessions`() async throws {
        try await TestServer.with { server in
            let first = try await server.verifiedPerson()
            var person = first
            let app = try await server.enrol(&person)
            try await server.advance(45)
            let reply = try await server.withdraw(person.idToken, app.enrollmentID)
            let token = try #require(reply.json["idToken"].text, "\(reply.text)")
            let refreshToken = try #require(reply.json["refreshToken"].text)

            let claims = try claims(token)
            #expect(claims["firebase"]["sign_in_second_factor"] == .null)
            #expect(claims["firebase"]["second_factor_identifier"] == .null)
            #expect(claims["firebase"]["sign_in_provider"] == "password")
            let user = try await server.account(token)
            #expect(user["mfaInfo"] == .null)
            #expect(user["validSince"] == "\(server.now.seconds)")

            for older in [first, person] {
                expectRefused(try await server.lookup(older.idToken), "TOKEN_EXPIRED", .errors)
                expectRefused(try await server.refresh(older.refreshToken), "TOKEN_EXPIRED", .status)
                expectRefused(try await server.withdraw(older.idToken, app.enrollmentID), "TOKEN_EXPIRED", .status)
            }
            let refreshed = try await server.refresh(refreshToken)
            #expect(refreshed.status == 200, "\(refreshed.text)")
            let later = try IdentityToolkitTests.claims(try #require(refreshed.json["id_token"].text))
            #expect(later["firebase"]["sign_in_second_factor"] == .null)
            // The next sign-in asks for nothing more.
            #expect(try await server.signIn(person).json["idToken"].text != nil)
        }
    }

    /// Tokens of the very second in which others were revoked: `validSince` alone could not tell them apart.
    @Test func `The revocation cuts within a second`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            let before = person.idToken
            let app = try await server.enrol(&person)
            let reply = try await server.withdraw(person.idToken, app.enrollmentID)
            expectRefused(try await server.lookup(before), "TOKEN_EXPIRED", .errors)
            #expect(try await server.lookup(try #require(reply.json["idToken"].text)).status == 200)
        }
    }

    @Test func `A token of the first factor alone may withdraw`() async throws {
        try await TestServer.with { server in
            let first = try await server.verifiedPerson()
            var person = first
            let app = try await server.enrol(&person)
            let reply = try await server.withdraw(first.idToken, app.enrollmentID)
            #expect(reply.json["idToken"].text != nil, "\(reply.text)")
            expectRefused(try await server.lookup(person.idToken), "TOKEN_EXPIRED", .errors)
        }
    }

    @Test func `The sessions own factors withdrawal signs out where others remain`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            let app = try await server.enrol(&person)
            _ = try await server.addFactor(to: person)
            let reply = try await server.withdraw(person.idToken, app.enrollmentID)
            #expect(reply.status == 200)
            // `{}`: SDKs sign the user out.
            #expect(reply.text == "{}")
            expectRefused(try await server.lookup(person.idToken), "TOKEN_EXPIRED", .errors)
            expectRefused(try await server.refresh(person.refreshToken), "TOKEN_EXPIRED", .status)
            // The other factor is asked for.
            let signIn = try await server.signIn(person)
            #expect(signIn.json["mfaInfo"].elements.map { $0["displayName"] } == ["Second"], "\(signIn.text)")
        }
    }

    @Test func `Another factors withdrawal leaves the session as it was proven`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            let app = try await server.enrol(&person)
            let second = try await server.addFactor(to: person)
            let reply = try await server.withdraw(person.idToken, second.enrollmentID)
            let token = try #require(reply.json["idToken"].text, "\(reply.text)")
            #expect(try claims(token)["firebase"]["sign_in_second_factor"] == "totp")
            #expect(try claims(token)["firebase"]["second_factor_identifier"] == .string(app.enrollmentID))
            #expect(try await server.lookup(person.idToken).status == 200)
            #expect(try await server.refresh(person.refreshToken).status == 200)
            #expect(try await server.account(token)["mfaInfo"].elements.count == 1)
        }
    }

    @Test func `Factors are listed in the order of enrolment`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            _ = try await server.enrol(&person)
            try await server.advance(1)
            _ = try await server.addFactor(to: person)
            let signIn = try await server.signIn(person)
            #expect(signIn.json["mfaInfo"].elements.map { $0["displayName"] } == ["TOTP", "Second"])
            #expect(
                try await server.account(person.idToken)["mfaInfo"].elements.map { $0["displayName"] }
                    == ["TOTP", "Second"])
        }
    }

    @Test func `A factor can be enrolled anew afterwards`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            let app = try await server.enrol(&person)
            let reply = try await server.withdraw(person.idToken, app.enrollmentID)
            person.idToken = try #require(reply.json["idToken"].text)
            let again = try await server.enrol(&person)
            #expect(again.enrollmentID != app.enrollmentID)
            // The old secret is worth nothing.
            try await server.advance(30)
            let refused = try await server.finishSignIn(
                try await server.pendingCredential(person), again.enrollmentID, code: app.code(at: server.now))
            expectRefused(refused, "INVALID_CODE", .status)
        }
    }

    @Test func `Withdrawing is no sign in`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            let app = try await server.enrol(&person)
            let before = try await server.account(person.idToken)["lastLoginAt"]
            try await server.advance(60)
            let reply = try await server.withdraw(person.idToken, app.enrollmentID)
            let after = try await server.account(try #require(reply.json["idToken"].text))["lastLoginAt"]
            #expect(after == before)
        }
    }
}
