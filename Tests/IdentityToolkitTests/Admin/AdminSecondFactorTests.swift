import CountersignCore
import DialectTestSupport
import Foundation
import OneTimePassword
import Testing

@Suite("Administration: second factors and revocation")
struct AdminSecondFactorTests {
    private func update(_ server: TestServer, _ person: Person, _ mfa: JSON) async throws -> Reply {
        try await server.administer(":update", ["localId": .string(person.localID), "mfa": mfa])
    }

    @Test
    func `A factor that is listed stays, under the name that is given; the tokens go on counting`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let id = JSON.string(app.enrollmentID)
            let reply = try await update(
                server, person,
                ["enrollments": [["mfaEnrollmentId": id, "displayName": "Old phone", "totpInfo": [:]]]])
            #expect(reply.status == 200, "\(reply.text)")
            let factors = try await server.record(of: person.localID)["mfaInfo"]
            #expect(factors[0]["mfaEnrollmentId"] == id && factors[0]["displayName"] == "Old phone")
            #expect(try await server.lookup(person.idToken).status == 200)
            let credential = try await server.pendingCredential(person)
            #expect(
                try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now)).status
                    == 200)
        }
    }

    @Test
    func `A factor may be listed once, and one of an unknown id brings nothing with it`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let entry: JSON = ["mfaEnrollmentId": .string(app.enrollmentID)]
            expectRefused(
                try await update(server, person, ["enrollments": [entry, entry]]), "DUPLICATE_MFA_ENROLLMENT_ID",
                .errors)
            expectRefused(
                try await update(
                    server, person, ["enrollments": [entry, ["mfaEnrollmentId": "new", "totpInfo": [:]]]]),
                "UNSUPPORTED_SECOND_FACTOR : attempting to add a new TOTP enrollment", .errors)
            #expect(try await server.record(of: person.localID)["mfaInfo"].elements.count == 1)
        }
    }

    @Test(arguments: [JSON.object([:]), ["enrollments": []]])
    func `An empty list clears; the tokens of before end`(mfa: JSON) async throws {
        try await TestServer.with { server in
            let (person, _) = try await server.enrolledPerson()
            #expect(try await update(server, person, mfa).status == 200)
            #expect(try await server.record(of: person.localID)["mfaInfo"] == .null)
            #expect(try await server.lookup(person.idToken).message == "TOKEN_EXPIRED")
            #expect(try await server.refresh(person.refreshToken).message == "TOKEN_EXPIRED")
            #expect(try await server.signIn(person).json["idToken"] != .null)
        }
    }

    @Test
    func `One of several may go, and the tokens stay`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let other = try await server.addFactor(to: person)
            let reply = try await update(
                server, person, ["enrollments": [["mfaEnrollmentId": .string(other.enrollmentID)]]])
            #expect(reply.status == 200)
            let ids = try await server.record(of: person.localID)["mfaInfo"].elements.map { $0["mfaEnrollmentId"].text }
            #expect(ids == [other.enrollmentID])
            #expect(app.enrollmentID != other.enrollmentID)
            #expect(try await server.lookup(person.idToken).status == 200)
        }
    }

    // MARK: validSince

    private func revoke(_ server: TestServer, _ person: Person, secondsAgo: Int64) async throws {
        let reply = try await server.administer(
            ":update",
            ["localId": .string(person.localID), "validSince": .string("\(server.now.seconds - secondsAgo)")])
        try #require(reply.status == 200, "\(reply.text)")
    }

    @Test(arguments: [Int64(0), 1, 299])
    func `What means now ends everything, even of the same second`(secondsAgo: Int64) async throws {
        try await TestServer.with { server in
            var person = try await server.signUp()
            try await revoke(server, person, secondsAgo: secondsAgo)
            #expect(try await server.lookup(person.idToken).message == "TOKEN_EXPIRED")
            #expect(try await server.refresh(person.refreshToken).message == "TOKEN_EXPIRED")
            try await server.signInAgain(&person)
            #expect(try await server.lookup(person.idToken).status == 200)
        }
    }

    @Test
    func `An instant of the past ends what was issued before it, and nothing else`() async throws {
        try await TestServer.with { server in
            let early = try await server.signUp()
            try await server.advance(3000)
            var late = early
            try await server.signInAgain(&late)
            try await server.advance(500)
            try await revoke(server, early, secondsAgo: 1000)
            #expect(try await server.lookup(early.idToken).message == "TOKEN_EXPIRED")
            #expect(try await server.refresh(early.refreshToken).message == "TOKEN_EXPIRED")
            #expect(try await server.lookup(late.idToken).status == 200)
            #expect(try await server.refresh(late.refreshToken).status == 200)
            // It never goes back.
            try await revoke(server, early, secondsAgo: 3400)
            #expect(try await server.lookup(early.idToken).message == "TOKEN_EXPIRED")
        }
    }

    @Test
    func `A changed address or password ends the sessions; the same address does not`() async throws {
        try await TestServer.with { server in
            var person = try await server.signUp()
            let id = JSON.string(person.localID)
            _ = try await server.administer(":update", ["localId": id, "email": .string(person.email.uppercased())])
            #expect(try await server.lookup(person.idToken).status == 200)
            _ = try await server.administer(":update", ["localId": id, "email": "new@example.com"])
            #expect(try await server.lookup(person.idToken).message == "TOKEN_EXPIRED")
            person.email = "new@example.com"
            try await server.signInAgain(&person)
            _ = try await server.administer(":update", ["localId": id, "password": "another fine password"])
            #expect(try await server.lookup(person.idToken).message == "TOKEN_EXPIRED")
        }
    }
}
