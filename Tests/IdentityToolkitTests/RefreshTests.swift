import CountersignCore
import DialectTestSupport
import Foundation
import OneTimePassword
import Testing

/// The token service (Firebase Auth REST API, "Exchange a refresh token for an ID token").
@Suite struct RefreshTests {
    @Test(
        arguments: [
            ([:], "MISSING_GRANT_TYPE"), (["grantType": ""], "MISSING_GRANT_TYPE"),
            (["grantType": "password", "refreshToken": "x"], "INVALID_GRANT_TYPE"),
            (["grantType": "refresh_token"], "MISSING_REFRESH_TOKEN"),
            (["grantType": "refresh_token", "refreshToken": ""], "MISSING_REFRESH_TOKEN"),
            (["grantType": "refresh_token", "refreshToken": "x"], "INVALID_REFRESH_TOKEN"),
            (["grantType": "refresh_token", "refreshToken": "a.b"], "INVALID_REFRESH_TOKEN"),
            (["grantType": "refresh_token", "refreshToken": "a.b.c"], "INVALID_REFRESH_TOKEN"),
            (["grantType": "refresh_token", "refreshToken": ".\u{0}"], "INVALID_REFRESH_TOKEN"),
            (
                ["grantType": "refresh_token", "refreshToken": .string(String(repeating: "x", count: 60_000))],
                "INVALID_REFRESH_TOKEN"
            ),
        ] as [(JSON, String)])
    func `What is wrong is told`(body: JSON, message: String) async throws {
        try await TestServer.with { server in
            expectRefused(try await server.post("/v1/token", body), message, .status)
        }
    }

    @Test func `An ID token is no refresh token`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            expectRefused(try await server.refresh(person.idToken), "INVALID_REFRESH_TOKEN", .status)
        }
    }

    @Test func `Each refresh gives a fresh token`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            var tokens = [person.refreshToken]
            for _ in 0..<5 {
                try await server.advance(3600)
                let reply = try await server.refresh(tokens[tokens.count - 1])
                tokens.append(try #require(reply.json["refresh_token"].text, "\(reply.text)"))
                #expect(try await server.lookup(try #require(reply.json["id_token"].text)).status == 200)
            }
            #expect(Set(tokens).count == 6)
        }
    }

    @Test func `A lost answer is given once more within a minute`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let first = try await server.refresh(person.refreshToken)
            try await server.advance(59)
            let again = try await server.refresh(person.refreshToken)
            #expect(again.json["refresh_token"] == first.json["refresh_token"], "\(again.text)")
            #expect(try await server.refresh(try #require(first.json["refresh_token"].text)).status == 200)
        }
    }

    @Test func `A token that comes again later ends the family`() async throws {
        try await TestServer.with { server in
            var person = try await server.signUp()
            let other = person
            try await server.signInAgain(&person)
            let first = try await server.refresh(person.refreshToken)
            try await server.advance(60)
            expectRefused(try await server.refresh(person.refreshToken), "TOKEN_EXPIRED", .status)
            // The thief's token and the owner's are both worthless; the other device's is not.
            expectRefused(
                try await server.refresh(try #require(first.json["refresh_token"].text)), "TOKEN_EXPIRED", .status)
            #expect(try await server.refresh(other.refreshToken).status == 200)
        }
    }

    @Test func `A token before the last one ends the family at once`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let first = try await server.refresh(person.refreshToken)
            let second = try await server.refresh(try #require(first.json["refresh_token"].text))
            expectRefused(try await server.refresh(person.refreshToken), "TOKEN_EXPIRED", .status)
            expectRefused(
                try await server.refresh(try #require(second.json["refresh_token"].text)), "TOKEN_EXPIRED", .status)
        }
    }

    @Test func `A tampered token is not taken`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let parts = person.refreshToken.split(separator: ".").map(String.init)
            let stranger = try await server.signUp()
            let strangers = stranger.refreshToken.split(separator: ".").map(String.init)
            let reply = try await server.refresh("\(parts[0]).\(strangers[1])")
            #expect(reply.status == 400)
            #expect(reply.json["id_token"] == .null)
            #expect(try await server.refresh(stranger.refreshToken).status == 200)
        }
    }

    @Test func `A session ends after its days`() async throws {
        try await TestServer.with { server in
            try await server.changeSettings { $0.tokens.sessionDays = 2 }
            let person = try await server.signUp()
            try await server.advance(86_400)
            let reply = try await server.refresh(person.refreshToken)
            try await server.advance(86_400)
            let token = try #require(reply.json["refresh_token"].text)
            expectRefused(try await server.refresh(token), "TOKEN_EXPIRED", .status)
            // Also when cleaning has taken it away.
            _ = try await server.realm.maintenance.run()
            expectRefused(try await server.refresh(token), "TOKEN_EXPIRED", .status)
        }
    }

    @Test func `Refreshing is no sign in`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let before = try await server.account(person.idToken)["lastLoginAt"]
            try await server.advance(600)
            let reply = try await server.refresh(person.refreshToken)
            let user = try await server.account(try #require(reply.json["id_token"].text))
            #expect(user["lastLoginAt"] == before)
            #expect(user["lastRefreshAt"] == "2026-09-24T10:21:12.123456Z")
        }
    }

    @Test func `The ID token of a session that was ended counts no more`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            let kept = person
            try await server.signInAgain(&person)
            let session = try #require(claims(person.idToken)["countersign_session"].text)
            let id = UserID(rawValue: person.localID)
            #expect(try await server.realm.sessions.end(SessionID(rawValue: session), of: id, by: .commandLine))
            let token = JSON.string(person.idToken)
            let requests: [(String, JSON)] = [
                ("/v1/accounts:lookup", ["idToken": token]),
                ("/v1/accounts:update", ["idToken": token, "password": "the thief's own password"]),
                ("/v1/accounts:update", ["idToken": token, "displayName": "Thief"]),
                ("/v1/accounts:sendOobCode", ["requestType": "VERIFY_EMAIL", "idToken": token]),
                (
                    "/v1/accounts:sendOobCode",
                    ["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "thief@example.com"]
                ),
                ("/v2/accounts/mfaEnrollment:start", ["idToken": token, "totpEnrollmentInfo": [:]]),
                ("/v1/accounts:delete", ["idToken": token]),
            ]
            for (path, body) in requests {
                let reply = try await server.post(path, body)
                #expect(reply.message == "TOKEN_EXPIRED", "\(path): \(reply.text)")
                #expect(reply.status == 400)
            }
            let cookie = try await server.post(
                "/v1/projects/countersign:createSessionCookie", ["idToken": token, "validDuration": "300"],
                headers: server.administrator)
            #expect(cookie.message == "TOKEN_EXPIRED", "\(cookie.text)")
            // The other session goes on, until all are ended.
            #expect(try await server.lookup(kept.idToken).status == 200)
            #expect(try await server.signIn(kept).status == 200)
            _ = try await server.realm.sessions.endAll(of: id, by: .commandLine)
            #expect(try await server.lookup(kept.idToken).message == "TOKEN_EXPIRED")
        }
    }

    @Test func `A change of the address that a session began ends with that session`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            let id = UserID(rawValue: person.localID)
            func begin(_ address: String) async throws -> JSON {
                var thief = person
                try await server.signInAgain(&thief)
                let sent = try await server.post(
                    "/v1/accounts:sendOobCode",
                    [
                        "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(thief.idToken),
                        "newEmail": .string(address),
                    ])
                try #require(sent.status == 200, "\(sent.text)")
                return .string(try #require(try await server.mailedCode(to: address)))
            }
            let code = try await begin("thief@example.com")
            let good = try await server.post("/v1/accounts:resetPassword", ["oobCode": code])
            #expect(good.json["newEmail"] == "thief@example.com", "\(good.text)")
            _ = try await server.realm.sessions.endAll(of: id, by: .commandLine)
            // Looked at, and used.
            for path in ["/v1/accounts:resetPassword", "/v1/accounts:update"] {
                expectRefused(try await server.post(path, ["oobCode": code]), "EXPIRED_OOB_CODE", .errors)
            }
            #expect(try await server.signIn(person).status == 200)
            // One whose session goes on changes it.
            let own = try await begin("own@example.com")
            let changed = try await server.post("/v1/accounts:update", ["oobCode": own])
            #expect(changed.json["email"] == "own@example.com", "\(changed.text)")
        }
    }

    @Test func `An authenticator that a session began to add is added by no other session once that was ended`()
        async throws
    {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            var thief = person
            try await server.signInAgain(&thief)
            let started = try await server.startEnrolment(thief.idToken)
            let info = started.json["totpSessionInfo"]
            let session = try #require(info["sessionInfo"].text, "\(started.text)")
            let totp = try TOTP(secret: Base32.decode(try #require(info["sharedSecretKey"].text)))
            let name = try #require(try claims(thief.idToken)["countersign_session"].text)
            let id = UserID(rawValue: person.localID)
            #expect(try await server.realm.sessions.end(SessionID(rawValue: name), of: id, by: .commandLine))
            for (token, word) in [(thief.idToken, "TOKEN_EXPIRED"), (person.idToken, "SESSION_EXPIRED")] {
                let reply = try await server.finishEnrolment(
                    token, session: session, code: totp.code(at: server.now).stringCode)
                expectRefused(reply, word, .status)
            }
            _ = try await server.enrol(&person)
        }
    }

    @Test func `A refreshed ID token names the same session, and one of before names none and counts`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await server.refresh(person.refreshToken)
            let fresh = try #require(reply.json["id_token"].text)
            let before = try claims(person.idToken)
            #expect(before["countersign_session"].text?.isEmpty == false)
            #expect(try claims(fresh)["countersign_session"] == before["countersign_session"])
            func signed(_ session: JSON?) async throws -> String {
                let members = try JSONDecoder().decode(
                    [String: JSONValue].self, from: Data(before.with(["countersign_session": session]).bytes))
                return try await server.realm.keyring.sign(TokenClaims(members), with: .es256)
            }
            _ = try await server.realm.sessions.endAll(of: UserID(rawValue: person.localID), by: .commandLine)
            #expect(try await server.lookup(signed(nil)).status == 200)
            // What names nothing that could be looked up is another's token.
            for odd in [1, [], true] as [JSON] {
                let reply = try await server.lookup(signed(odd))
                #expect(reply.message == "INVALID_ID_TOKEN", "\(reply.text)")
            }
        }
    }
}
