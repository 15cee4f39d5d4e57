import CountersignCore
import CountersignServer
import DialectTestSupport
import Foundation
import OneTimePassword
import Testing

/// The check lists of enrolment, refusal by refusal (REST reference of Identity Platform, v2 `accounts.mfaEnrollment`).
@Suite struct EnrolmentTests {
    private static let start = "/v2/accounts/mfaEnrollment:start"
    private static let finalize = "/v2/accounts/mfaEnrollment:finalize"

    // MARK: Start

    @Test func `The body is looked at before the token`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            for token in [JSON.string(person.idToken), "garbage", .null] {
                expectRefused(
                    try await server.post(Self.start, ["idToken": token]), "Request contains an invalid argument.",
                    .status)
                expectRefused(
                    try await server.post(
                        Self.start,
                        [
                            "idToken": token, "totpEnrollmentInfo": [:],
                            "phoneEnrollmentInfo": ["phoneNumber": "+491510"],
                        ]),
                    "Invalid value (oneof), oneof field 'enrollment_info' is already set. Cannot set 'phoneEnrollmentInfo'",
                    .status)
            }
        }
    }

    @Test func `A token that is none is refused`() async throws {
        try await TestServer.with { server in
            for token in [
                JSON.null, "", "garbage", "a.b.c", "..", "e30.e30.", .string(String(repeating: "x", count: 20_000)),
            ] {
                for path in [Self.start, Self.finalize, "/v2/accounts/mfaEnrollment:withdraw"] {
                    let reply = try await server.post(path, ["idToken": token, "totpEnrollmentInfo": [:]])
                    expectRefused(reply, "INVALID_ID_TOKEN", .status)
                }
            }
        }
    }

    @Test func `A token that expired or was revoked is told`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            try await server.changeAccount(person) { [now = server.now] in $0.revokesTokensAt = now }
            expectRefused(try await server.startEnrolment(person.idToken), "TOKEN_EXPIRED", .status)

            let other = try await server.verifiedPerson()
            try await server.advance(3599)
            expectRefused(try await server.startEnrolment(other.idToken), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .status)
            try await server.advance(1)
            expectRefused(try await server.startEnrolment(other.idToken), "TOKEN_EXPIRED", .status)
        }
    }

    @Test func `An account that is gone or disabled is told`() async throws {
        try await TestServer.with { server in
            let disabled = try await server.verifiedPerson()
            try await server.changeAccount(disabled) { $0.isDisabled = true }
            expectRefused(try await server.startEnrolment(disabled.idToken), "USER_DISABLED", .status)
            let deleted = try await server.verifiedPerson()
            _ = try await server.realm.accounts.delete(UserID(rawValue: deleted.localID), by: .commandLine)
            expectRefused(try await server.startEnrolment(deleted.idToken), "USER_NOT_FOUND", .status)
        }
    }

    /// Of several reasons the first of the list is told.
    @Test func `The reasons come in the protocols order`() async throws {
        try await TestServer.with { server in
            // Signed in by custom token, long ago, address unverified, TOTP off, and then each reason less.
            let key = try await SigningKey.register(for: "backend@example.com", at: server)
            var person = try await server.signUp()
            person.idToken = try await server.customSignIn(try await key.token(uid: person.localID, at: server.now))
            try await server.advance(400)
            try await server.setTOTP("DISABLED", adjacentIntervals: 1)
            expectRefused(
                try await server.startEnrolment(person.idToken), "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.",
                .status)

            try await server.setTOTP(adjacentIntervals: 1)
            expectRefused(
                try await server.startEnrolment(person.idToken),
                "UNVERIFIED_EMAIL : Need to verify email first before enrolling second factors.", .status)

            try await server.changeAccount(person) { $0.emailVerified = true }
            expectRefused(
                try await server.startEnrolment(person.idToken),
                "UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor.", .status)

            try await server.signInAgain(&person)
            _ = try await server.enrol(&person)
            try await server.advance(300)
            expectRefused(try await server.startEnrolment(person.idToken), "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .status)

            // A token of the first factor alone is as good as another one here.
            try await server.advance(-1)
            expectRefused(
                try await server.startEnrolment(person.idToken),
                "SECOND_FACTOR_LIMIT_EXCEEDED : Too many TOTP based second factors enrolled for this account.", .status)
        }
    }

    @Test func `An anonymous user has no address to verify`() async throws {
        try await TestServer.with(.development) { server in
            let reply = try await server.post("/v1/accounts:signUp", ["returnSecureToken": true])
            let token = try #require(reply.json["idToken"].text, "\(reply.text)")
            expectRefused(
                try await server.startEnrolment(token),
                "UNVERIFIED_EMAIL : Need to verify email first before enrolling second factors.", .status)
        }
    }

    /// Production refuses between 244 and 333 seconds; here it is at 300.
    @Test(arguments: [(0, true), (244, true), (299, true), (300, false), (333, false), (3599, false)])
    func `The sign in must be recent`(age: Double, isTaken: Bool) async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            try await server.advance(age)
            let reply = try await server.startEnrolment(person.idToken)
            if isTaken {
                #expect(reply.status == 200, "\(reply.text)")
            } else {
                expectRefused(reply, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .status)
                // A refreshed token is of the same sign-in.
                let refreshed = try await server.refresh(person.refreshToken)
                expectRefused(
                    try await server.startEnrolment(try #require(refreshed.json["id_token"].text)),
                    "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .status)
            }
        }
    }

    @Test func `Every start gives another secret`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            var secrets: Set<String> = []
            for _ in 0..<3 {
                let reply = try await server.startEnrolment(person.idToken)
                secrets.insert(try #require(reply.json["totpSessionInfo"]["sharedSecretKey"].text))
            }
            #expect(secrets.count == 3)
        }
    }

    // MARK: Finalize

    private struct Begun: Sendable {
        var person: Person
        let session: String
        let app: AuthenticatorApp
    }

    private func begin(_ server: TestServer, _ person: Person? = nil) async throws -> Begun {
        var someone = person
        if someone == nil { someone = try await server.verifiedPerson() }
        let person = try #require(someone)
        let started = try await server.startEnrolment(person.idToken)
        let info = started.json["totpSessionInfo"]
        return Begun(
            person: person, session: try #require(info["sessionInfo"].text, "\(started.text)"),
            app: try AuthenticatorApp(base32: try #require(info["sharedSecretKey"].text)))
    }

    @Test func `The session comes before the name and the name before the code`() async throws {
        try await TestServer.with { server in
            let begun = try await begin(server)
            let token = begun.person.idToken
            func finish(_ session: JSON, _ name: JSON, _ code: JSON) async throws -> Reply {
                try await server.post(
                    Self.finalize,
                    JSON.object(["idToken": .string(token)]).with([
                        "displayName": name,
                        "totpVerificationInfo": ["sessionInfo": session, "verificationCode": code],
                    ]))
            }
            for session in [JSON.null, "", "unknown"] {
                expectRefused(try await finish(session, .null, .null), "INVALID_SESSION_INFO", .status)
            }
            for name in [JSON.null, ""] {
                for code in [JSON.null, "000000", .string(begun.app.code(at: server.now))] {
                    expectRefused(
                        try await finish(.string(begun.session), name, code),
                        "MISSING_DISPLAY_NAME : display name cannot be empty", .status)
                }
            }
            // None of these counted: three wrong codes are still free, and the right one is still good.
            for code in [JSON.string(begun.app.wrongCode(at: server.now)), "12345"] {
                expectRefused(try await finish(.string(begun.session), "TOTP", code), "INVALID_CODE", .status)
            }
            let done = try await finish(.string(begun.session), "TOTP", .string(begun.app.code(at: server.now)))
            #expect(done.status == 200, "\(done.text)")
        }
    }

    @Test func `A body without verification info is invalid`() async throws {
        try await TestServer.with { server in
            let begun = try await begin(server)
            expectRefused(
                try await server.post(Self.finalize, ["idToken": .string(begun.person.idToken), "displayName": "x"]),
                "Request contains an invalid argument.", .status)
            expectRefused(
                try await server.post(
                    Self.finalize,
                    [
                        "idToken": .string(begun.person.idToken), "displayName": "x",
                        "phoneVerificationInfo": ["sessionInfo": .string(begun.session), "code": "123456"],
                    ]), "INVALID_SESSION_INFO", .status)
        }
    }

    @Test func `Another users session is unknown`() async throws {
        try await TestServer.with { server in
            let begun = try await begin(server)
            let other = try await server.verifiedPerson()
            let reply = try await server.finishEnrolment(
                other.idToken, session: begun.session, code: begun.app.code(at: server.now))
            expectRefused(reply, "INVALID_SESSION_INFO", .status)
        }
    }

    @Test func `A handle of another kind is unknown`() async throws {
        try await TestServer.with { server in
            let (person, _) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            let link = try await server.link(["requestType": "VERIFY_EMAIL", "email": .string(person.email)])
            for session in [credential, link, person.refreshToken, person.idToken] {
                let reply = try await server.finishEnrolment(person.idToken, session: session, code: "123456")
                expectRefused(reply, "INVALID_SESSION_INFO", .status)
            }
        }
    }

    @Test(arguments: [(899, true), (900, false), (1000, false)])
    func `A session lives a quarter of an hour`(age: Double, isTaken: Bool) async throws {
        try await TestServer.with { server in
            let begun = try await begin(server)
            try await server.advance(age)
            let reply = try await server.finishEnrolment(
                begun.person.idToken, session: begun.session, code: begun.app.code(at: server.now))
            if isTaken {
                #expect(reply.status == 200, "\(reply.text)")
            } else {
                expectRefused(reply, "SESSION_EXPIRED", .status)
            }
        }
    }

    @Test func `A finished session is complete`() async throws {
        try await TestServer.with { server in
            var begun = try await begin(server)
            let done = try await server.finishEnrolment(
                begun.person.idToken, session: begun.session, code: begun.app.code(at: server.now))
            begun.person.idToken = try #require(done.json["idToken"].text)
            try await server.advance(30)
            for name in [JSON.string("TOTP"), ""] {
                let again = try await server.finishEnrolment(
                    begun.person.idToken, session: begun.session, code: begun.app.code(at: server.now),
                    displayName: name)
                expectRefused(
                    again, "MFA_ENROLLMENT_ALREADY_COMPLETE : This MFA enrollment has already been completed.", .status)
            }
        }
    }

    @Test func `The fourth code of a session is not looked at`() async throws {
        try await TestServer.with { server in
            let begun = try await begin(server)
            for attempt in 0..<3 {
                let reply = try await server.finishEnrolment(
                    begun.person.idToken, session: begun.session,
                    code: begun.app.wrongCode(at: server.now, number: attempt))
                expectRefused(reply, "INVALID_CODE", .status)
            }
            for code in [begun.app.code(at: server.now), "000000"] {
                let reply = try await server.finishEnrolment(begun.person.idToken, session: begun.session, code: code)
                expectRefused(reply, "TOO_MANY_ENROLLMENT_ATTEMPTS : restart enrollment", .status)
            }
            // Another start, another session.
            let again = try await begin(server, begun.person)
            let done = try await server.finishEnrolment(
                begun.person.idToken, session: again.session, code: again.app.code(at: server.now))
            #expect(done.status == 200, "\(done.text)")
        }
    }

    @Test func `Of two sessions one becomes the factor`() async throws {
        try await TestServer.with { server in
            let first = try await begin(server)
            let second = try await begin(server, first.person)
            let done = try await server.finishEnrolment(
                first.person.idToken, session: second.session, code: second.app.code(at: server.now))
            #expect(done.status == 200)
            let other = try await server.finishEnrolment(
                first.person.idToken, session: first.session, code: first.app.code(at: server.now))
            expectRefused(
                other, "SECOND_FACTOR_LIMIT_EXCEEDED : Too many TOTP based second factors enrolled for this account.",
                .status)
            #expect(try await server.account(first.person.idToken)["mfaInfo"].elements.count == 1)
        }
    }

    @Test(arguments: [(-2, false), (-1, true), (0, true), (1, true), (2, false)])
    func `The window applies to the enrolment too`(offset: Int, isTaken: Bool) async throws {
        try await TestServer.with { server in
            let begun = try await begin(server)
            let reply = try await server.finishEnrolment(
                begun.person.idToken, session: begun.session, code: begun.app.code(at: server.now, offset))
            #expect((reply.status == 200) == isTaken, "\(reply.text)")
        }
    }

    @Test func `The code that enrolled does not sign in`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            let app = try await server.enrol(&person)
            for offset in [0, -1] {
                let reply = try await server.finishSignIn(
                    try await server.pendingCredential(person), app.enrollmentID,
                    code: app.code(at: server.now, offset))
                expectRefused(reply, "INVALID_CODE", .status)
            }
            let next = try await server.finishSignIn(
                try await server.pendingCredential(person), app.enrollmentID, code: app.code(at: server.now, 1))
            #expect(next.status == 200, "\(next.text)")
        }
    }

    @Test(arguments: ["TOTP", "Mein Telefon 📱", " ", "<script>alert(1)</script>", "\u{202E}txet"])
    func `The name is kept as it is`(name: String) async throws {
        try await TestServer.with { server in
            let begun = try await begin(server)
            let done = try await server.finishEnrolment(
                begun.person.idToken, session: begun.session, code: begun.app.code(at: server.now),
                displayName: .string(name))
            let token = try #require(done.json["idToken"].text, "\(done.text)")
            #expect(try await server.account(token)["mfaInfo"][0]["displayName"] == .string(name))
        }
    }

    @Test func `Zero bytes are no part of a name`() async throws {
        try await TestServer.with { server in
            let begun = try await begin(server)
            let done = try await server.finishEnrolment(
                begun.person.idToken, session: begun.session, code: begun.app.code(at: server.now),
                displayName: "a\u{0}b")
            let token = try #require(done.json["idToken"].text, "\(done.text)")
            #expect(try await server.account(token)["mfaInfo"][0]["displayName"] == "ab")
        }
    }

    @Test func `A code may be typed with spaces and must be six digits`() async throws {
        try await TestServer.with { server in
            let begun = try await begin(server)
            for code in ["1000000", "12345", "１２３４５６"] {
                let reply = try await server.finishEnrolment(begun.person.idToken, session: begun.session, code: code)
                expectRefused(reply, "INVALID_CODE", .status)
            }
            let again = try await begin(server, begun.person)
            let right = again.app.code(at: server.now)
            let reply = try await server.finishEnrolment(
                again.person.idToken, session: again.session, code: " \(right.prefix(3)) \(right.suffix(3)) ")
            #expect(reply.status == 200, "\(reply.text)")
        }
    }
}
