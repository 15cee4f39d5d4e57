import CountersignCore
import DialectTestSupport
import Foundation
import Testing

/// A link that was mailed for a sign-in, followed by a signed-in user: their account gets the address (REST reference
/// of Identity Platform, `accounts:signInWithEmailLink`, `idToken`).
@Suite struct EmailLinkTests {
    private func anonymous(_ server: TestServer) async throws -> Person {
        let reply = try await server.post("/v1/accounts:signUp", ["returnSecureToken": true])
        return Person(
            email: "", password: "", localID: try #require(reply.json["localId"].text, "\(reply.text)"),
            idToken: try #require(reply.json["idToken"].text),
            refreshToken: try #require(reply.json["refreshToken"].text))
    }

    private func code(_ server: TestServer, _ email: String) async throws -> String {
        try await server.link(["requestType": "EMAIL_SIGNIN", "email": .string(email)])
    }

    private func follow(
        _ server: TestServer, _ code: String, _ email: String, _ idToken: String?
    ) async throws -> Reply {
        try await server.post(
            "/v1/accounts:signInWithEmailLink",
            ["email": .string(email), "oobCode": .string(code), "idToken": idToken.map { .string($0) } ?? .null])
    }

    @Test func `An anonymous account stays what it is`() async throws {
        try await TestServer.with(.development) { server in
            let person = try await anonymous(server)
            let code = try await code(server, "ada@example.com")
            let reply = try await follow(server, code, "Ada@example.com", person.idToken)
            expectGolden(
                reply.json,
                [
                    "kind": "identitytoolkit#EmailLinkSigninResponse", "localId": .string(person.localID),
                    "email": "ada@example.com", "isNewUser": false, "idToken": "<jwt>", "refreshToken": "<token>",
                    "expiresIn": "3600",
                ])
            let token = try #require(reply.json["idToken"].text)
            #expect(try claims(token)["firebase"]["sign_in_provider"] == "password")
            #expect(try claims(token)["provider_id"] == .null)
            let user = try await server.account(token)
            #expect(user["emailVerified"] == true && user["emailLinkSignin"] == true)
            #expect(user["providerUserInfo"].elements.map { $0["providerId"].text } == ["password"])
            expectRefused(try await server.lookup(person.idToken), "TOKEN_EXPIRED", .errors)
            expectRefused(
                try await follow(server, code, "ada@example.com", token), "INVALID_OOB_CODE", .errors)
            // From now on the link alone signs in.
            let again = try await follow(
                server, try await self.code(server, "ada@example.com"), "ada@example.com", nil)
            #expect(again.json["localId"] == .string(person.localID))
        }
    }

    @Test func `An address of another user is not linked`() async throws {
        try await TestServer.with(.development) { server in
            let (person, other) = (try await anonymous(server), try await server.signUp())
            let code = try await code(server, other.email)
            expectRefused(try await follow(server, code, other.email, person.idToken), "EMAIL_EXISTS", .errors)
            #expect(try await server.account(person.idToken)["email"] == .null)
            // Nothing is used up by it.
            #expect(try await follow(server, code, other.email, nil).json["localId"] == .string(other.localID))
            // Nor one that another user took after the link was mailed.
            let late = try await self.code(server, "late@example.com")
            _ = try await server.signUp("late@example.com")
            expectRefused(try await follow(server, late, "late@example.com", person.idToken), "EMAIL_EXISTS", .errors)
        }
    }

    @Test func `A token that is none links nothing`() async throws {
        try await TestServer.with(.development) { server in
            let person = try await server.signUp()
            let code = try await code(server, "ada@example.com")
            for token in ["garbage", "a.b.c", person.refreshToken] {
                expectRefused(try await follow(server, code, "ada@example.com", token), "INVALID_ID_TOKEN", .errors)
            }
            expectRefused(
                try await follow(server, code, "eve@example.com", person.idToken),
                "INVALID_EMAIL : The email provided does not match the sign-in email address.", .errors)
            try await server.changeAccount(person) { $0.isDisabled = true }
            expectRefused(try await follow(server, code, "ada@example.com", person.idToken), "USER_DISABLED", .errors)
            try await server.changeAccount(person) { $0.isDisabled = false }
            try await server.changeAccount(person) { $0.password = Secret("another staple 8 horse") }
            expectRefused(try await follow(server, code, "ada@example.com", person.idToken), "TOKEN_EXPIRED", .errors)
            #expect(try await server.realm.accounts.count() == 1)
        }
    }

    @Test func `Another address takes the formers place and the former is told`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            let former = person.email
            let code = try await code(server, "new@example.com")
            try await server.advance(300)
            expectRefused(
                try await follow(server, code, "new@example.com", person.idToken), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN",
                .errors)
            try await server.signInAgain(&person)
            let reply = try await follow(server, code, "new@example.com", person.idToken)
            #expect(reply.json["localId"] == .string(person.localID), "\(reply.text)")
            expectRefused(try await server.refresh(person.refreshToken), "TOKEN_EXPIRED", .status)
            let told = try await server.realm.outbox.messages().last { $0.message.recipient == former }
            #expect(told?.content.template == "email-changed")
            person.email = "new@example.com"
            #expect(try await server.signIn(person).status == 200)
        }
    }

    /// Their own address, proven by its link, is a fresh sign-in, and the password stays.
    @Test func `Owners prove their own address`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let code = try await code(server, person.email)
            try await server.advance(600)
            let reply = try await follow(server, code, person.email, person.idToken)
            let token = try #require(reply.json["idToken"].text, "\(reply.text)")
            #expect(try await server.account(token)["emailVerified"] == true)
            #expect(try claims(token)["auth_time"] == .integer(Int(server.now.seconds)))
            #expect(try await server.lookup(person.idToken).status == 200)
            #expect(try await server.signIn(person).status == 200)
        }
    }

    @Test func `A second factor is asked for all the same`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let reply = try await follow(server, try await code(server, person.email), person.email, person.idToken)
            let credential = try #require(reply.json["mfaPendingCredential"].text, "\(reply.text)")
            #expect(reply.json["idToken"] == .null && reply.json["refreshToken"] == .null)
            let finished = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            #expect(finished.status == 200, "\(finished.text)")
        }
    }

    @Test func `One link of twenty at once links once`() async throws {
        try await TestServer.with(.development) { server in
            let code = try await code(server, "ada@example.com")
            var people: [Person] = []
            for _ in 0..<8 { people.append(try await anonymous(server)) }
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for person in people {
                    group.addTask { try await follow(server, code, "ada@example.com", person.idToken) }
                }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(replies.count { $0.status == 200 } == 1)
            for reply in replies where reply.status != 200 {
                #expect(["EMAIL_EXISTS", "INVALID_OOB_CODE"].contains(reply.message), "\(reply.text)")
            }
        }
    }
}
