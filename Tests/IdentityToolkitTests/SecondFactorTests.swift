import CountersignCore
import CountersignServer
import DialectTestSupport
import Foundation
import OneTimePassword
import Testing

/// The second factor at sign-in, refusal by refusal (REST reference of Identity Platform, v2 `accounts.mfaSignIn`).
@Suite struct SecondFactorTests {
    private static let finalize = "/v2/accounts/mfaSignIn:finalize"

    @Test func `What is missing is an invalid argument`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            let whole: JSON = [
                "mfaPendingCredential": .string(credential), "mfaEnrollmentId": .string(app.enrollmentID),
                "totpVerificationInfo": ["verificationCode": .string(app.code(at: server.now))],
            ]
            let faults: [[String: JSON?]] = [
                ["mfaPendingCredential": .some(nil)], ["mfaPendingCredential": ""], ["mfaPendingCredential": .null],
                ["mfaEnrollmentId": .some(nil)], ["mfaEnrollmentId": ""], ["totpVerificationInfo": .some(nil)],
                ["totpVerificationInfo": [:]], ["totpVerificationInfo": ["verificationCode": ""]],
            ]
            for fault in faults {
                let reply = try await server.post(Self.finalize, whole.with(fault))
                expectRefused(reply, "Request contains an invalid argument.", .status)
            }
            // Nothing of that was counted or used up.
            #expect(try await server.post(Self.finalize, whole).status == 200)
        }
    }

    @Test func `A credential that is none is refused`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let link = try await server.link(["requestType": "EMAIL_SIGNIN", "email": .string(person.email)])
            for credential in ["unknown", person.idToken, person.refreshToken, link, String(repeating: "A", count: 43)]
            {
                let reply = try await server.finishSignIn(
                    credential, app.enrollmentID, code: app.code(at: server.now))
                expectRefused(reply, "INVALID_PENDING_TOKEN", .status)
            }
        }
    }

    /// Production takes it at 293 seconds and refuses at 303; here it ends at 300.
    @Test(arguments: [(293, true), (299, true), (300, false), (303, false), (100_000, false)])
    func `A credential lives five minutes`(age: Double, isTaken: Bool) async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            try await server.advance(age)
            let reply = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            if isTaken {
                #expect(reply.status == 200, "\(reply.text)")
            } else {
                expectRefused(
                    reply, "TOTP_CHALLENGE_TIMEOUT : TOTP challenge timeout, provide first factor again.", .status)
            }
        }
    }

    @Test func `A factor that is not the users is unknown`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let (_, other) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            let password = try await server.realm.accounts.userAndFactors(UserID(rawValue: person.localID))?
                .factors.first { $0.kind == .password }?.id.rawValue
            for id in [
                "unknown", other.enrollmentID, try #require(password), app.enrollmentID + "\u{0}", UUID().uuidString,
            ] {
                let reply = try await server.finishSignIn(credential, id, code: other.code(at: server.now))
                expectRefused(reply, "INVALID_MFA_ENROLLMENT_ID", .status)
            }
            let done = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            #expect(done.status == 200)
        }
    }

    @Test func `A factor that was withdrawn meanwhile is unknown`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            _ = try await server.withdraw(person.idToken, app.enrollmentID)
            let reply = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            // Withdrawing the last factor revokes everything, so the credential ends with it.
            #expect(
                [
                    "INVALID_MFA_ENROLLMENT_ID",
                    "TOTP_CHALLENGE_TIMEOUT : TOTP challenge timeout, provide first factor again.",
                ]
                .contains(reply.message), "\(reply.text)")
            #expect(reply.status == 400)
        }
    }

    @Test func `A phones info for a TOTP factor is an invalid session`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let reply = try await server.post(
                Self.finalize,
                [
                    "mfaPendingCredential": .string(try await server.pendingCredential(person)),
                    "mfaEnrollmentId": .string(app.enrollmentID),
                    "phoneVerificationInfo": ["sessionInfo": "x", "code": "123456"],
                ])
            expectRefused(reply, "INVALID_SESSION_INFO", .status)
        }
    }

    @Test func `Start is for phones alone`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let body: JSON = [
                "mfaPendingCredential": .string(try await server.pendingCredential(person)),
                "mfaEnrollmentId": .string(app.enrollmentID),
            ]
            expectRefused(
                try await server.post("/v2/accounts/mfaSignIn:start", body), "Request contains an invalid argument.",
                .status)
            expectRefused(
                try await server.post("/v2/accounts/mfaSignIn:start", body.with(["phoneSignInInfo": [:]])),
                "INVALID_PHONE_NUMBER : Invalid format.", .status)
        }
    }

    // MARK: Codes

    @Test func `A wrong code is invalid whatever is wrong with it`() async throws {
        for code in [
            "wrong", "1000000", "12345", "abcdef", "-12345", "1e5", "１２３４５６", String(repeating: "9", count: 5000),
        ] {
            try await TestServer.with { server in
                let (person, app) = try await server.enrolledPerson()
                let code = code == "wrong" ? app.wrongCode(at: server.now) : code
                let reply = try await server.finishSignIn(
                    try await server.pendingCredential(person), app.enrollmentID, code: code)
                expectRefused(reply, "INVALID_CODE", .status)
            }
        }
    }

    @Test func `A code counts once`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let code = app.code(at: server.now)
            let first = try await server.finishSignIn(
                try await server.pendingCredential(person), app.enrollmentID, code: code)
            #expect(first.status == 200)
            let second = try await server.finishSignIn(
                try await server.pendingCredential(person), app.enrollmentID, code: code)
            expectRefused(second, "INVALID_CODE", .status)
        }
    }

    @Test func `Codes only go forward`() async throws {
        try await TestServer.with { server in
            try await server.setTOTP(adjacentIntervals: 5)
            let (person, app) = try await server.enrolledPerson()
            let at = server.now
            for (offset, isTaken) in [(3, true), (2, false), (3, false), (-1, false), (4, true), (0, false), (5, true)]
            {
                let reply = try await server.finishSignIn(
                    try await server.pendingCredential(person), app.enrollmentID, code: app.code(at: at, offset))
                #expect((reply.status == 200) == isTaken, "step \(offset): \(reply.text)")
                if !isTaken { expectRefused(reply, "INVALID_CODE", .status) }
            }
        }
    }

    /// The clock moves under a code that was made before.
    @Test(arguments: [0, 1, 5, 10])
    func `A code may be as many steps old as the window is wide`(window: Int) async throws {
        for age in [0, window, window + 1] {
            try await TestServer.with { server in
                try await server.setTOTP(adjacentIntervals: window)
                let (person, app) = try await server.enrolledPerson()
                try await server.advance(600)
                let code = app.code(at: server.now)
                try await server.advance(Double(age) * 30)
                let reply = try await server.finishSignIn(
                    try await server.pendingCredential(person), app.enrollmentID, code: code)
                #expect((reply.status == 200) == (age <= window), "\(age): \(reply.text)")
            }
        }
    }

    @Test func `The edge of a step is exact`() async throws {
        try await TestServer.with { server in
            try await server.setTOTP(adjacentIntervals: 0)
            let (person, app) = try await server.enrolledPerson()
            let code = app.code(at: server.now)
            // To the last microsecond of the step, and over it.
            let left = 30 - server.now.timeIntervalSince1970.truncatingRemainder(dividingBy: 30)
            try await server.advance(left - 0.001)
            let credential = try await server.pendingCredential(person)
            #expect(app.code(at: server.now) == code)
            try await server.advance(0.002)
            let late = try await server.finishSignIn(credential, app.enrollmentID, code: code)
            expectRefused(late, "INVALID_CODE", .status)
            try await server.advance(-0.002)
            let inTime = try await server.finishSignIn(credential, app.enrollmentID, code: code)
            #expect(inTime.status == 200, "\(inTime.text)")
        }
    }

    // MARK: The pending credential

    @Test func `A credential is good for one success`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            let first = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            #expect(first.status == 200)
            try await server.advance(30)
            let second = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            expectRefused(second, "INVALID_PENDING_TOKEN", .status)
        }
    }

    @Test func `A wrong code does not use the credential up`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            let wrong = try await server.finishSignIn(credential, app.enrollmentID, code: app.wrongCode(at: server.now))
            expectRefused(wrong, "INVALID_CODE", .status)
            let right = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            #expect(right.status == 200, "\(right.text)")
        }
    }

    @Test func `A credential tells nothing as a code of a link`() async throws {
        try await TestServer.with { server in
            let (person, _) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            for path in ["accounts:resetPassword", "accounts:update"] {
                expectRefused(
                    try await server.post("/v1/\(path)", ["oobCode": .string(credential)]), "INVALID_OOB_CODE", .errors)
            }
            expectRefused(
                try await server.post(
                    "/v1/accounts:signInWithEmailLink",
                    ["oobCode": .string(credential), "email": .string(person.email)]), "INVALID_OOB_CODE", .errors)
        }
    }

    @Test func `The last login is the one that was completed`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let before = try await server.account(person.idToken)
            try await server.advance(60)
            let credential = try await server.pendingCredential(person)
            _ = try await server.finishSignIn(credential, app.enrollmentID, code: app.wrongCode(at: server.now))
            let pending = try await server.account(person.idToken)
            #expect(pending["lastLoginAt"] == before["lastLoginAt"])
            #expect(pending["lastRefreshAt"] == before["lastRefreshAt"])
            _ = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            let after = try await server.account(person.idToken)
            #expect(after["lastLoginAt"] == "\(server.now.milliseconds)")
        }
    }

    // MARK: Lockout

    @Test func `After five wrong codes the factor waits`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            func attempt(_ code: String) async throws -> Reply {
                try await server.finishSignIn(try await server.pendingCredential(person), app.enrollmentID, code: code)
            }
            for number in 0..<5 {
                expectRefused(
                    try await attempt(app.wrongCode(at: server.now, number: number)), "INVALID_CODE", .status)
            }
            expectRefused(try await attempt("000000"), "QUOTA_EXCEEDED : Exceeded quota.", .status)
            // The right code is not looked at either.
            expectRefused(try await attempt(app.code(at: server.now)), "QUOTA_EXCEEDED : Exceeded quota.", .status)
            // 30 seconds, then twice as long after each wrong one.
            for wait in [30.0, 60, 120, 240] {
                try await server.advance(wait - 1)
                expectRefused(
                    try await attempt(app.wrongCode(at: server.now)), "QUOTA_EXCEEDED : Exceeded quota.", .status)
                try await server.advance(1)
                expectRefused(try await attempt(app.wrongCode(at: server.now)), "INVALID_CODE", .status)
            }
            try await server.advance(480)
            #expect(try await attempt(app.code(at: server.now)).status == 200)
            // All is forgiven.
            try await server.advance(30)
            for number in 0..<5 {
                expectRefused(
                    try await attempt(app.wrongCode(at: server.now, number: number)), "INVALID_CODE", .status)
            }
        }
    }

    @Test func `A wait never exceeds an hour and a hundred wrong codes end the factor`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            func attempt(_ code: String) async throws -> Reply {
                try await server.finishSignIn(
                    try await server.pendingCredential(person), app.enrollmentID, code: code,
                    from: "198.51.100.\(server.now.seconds / 3600 % 250)")
            }
            for _ in 0..<100 {
                expectRefused(try await attempt(app.wrongCode(at: server.now)), "INVALID_CODE", .status)
                try await server.advance(3600)
            }
            expectRefused(try await attempt(app.code(at: server.now)), "QUOTA_EXCEEDED : Exceeded quota.", .status)
            try await server.advance(1_000_000)
            expectRefused(try await attempt(app.code(at: server.now)), "QUOTA_EXCEEDED : Exceeded quota.", .status)
        }
    }

    @Test func `One persons lockout is no one elses`() async throws {
        try await TestServer.with { server in
            let (locked, app) = try await server.enrolledPerson()
            let (other, otherApp) = try await server.enrolledPerson()
            for _ in 0..<6 {
                _ = try await server.finishSignIn(
                    try await server.pendingCredential(locked), app.enrollmentID, code: app.wrongCode(at: server.now))
            }
            let reply = try await server.finishSignIn(
                try await server.pendingCredential(other), otherApp.enrollmentID, code: otherApp.code(at: server.now))
            #expect(reply.status == 200, "\(reply.text)")
        }
    }

    // MARK: What happens between the factors

    @Test func `A user who was disabled meanwhile is told`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            try await server.changeAccount(person) { $0.isDisabled = true }
            let reply = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            expectRefused(reply, "USER_DISABLED", .status)
            expectRefused(try await server.signIn(person), "USER_DISABLED", .errors)
        }
    }

    /// With the account goes everything that was about it, so the credential is one that never was.
    @Test func `A user who was deleted meanwhile has no credential`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            _ = try await server.realm.accounts.delete(UserID(rawValue: person.localID), by: .commandLine)
            let reply = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            expectRefused(reply, "INVALID_PENDING_TOKEN", .status)
        }
    }

    /// Production goes on; here the first factor has to be given again, as it is another one now.
    @Test func `A password that changed meanwhile ends the credential`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            try await server.changeAccount(person) { $0.password = Secret("another staple 8 horse") }
            let reply = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            expectRefused(
                reply, "TOTP_CHALLENGE_TIMEOUT : TOTP challenge timeout, provide first factor again.", .status)
        }
    }

    // MARK: Which sign-ins ask for it

    @Test func `An email link asks for it too`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let code = try await server.link(["requestType": "EMAIL_SIGNIN", "email": .string(person.email)])
            let reply = try await server.post(
                "/v1/accounts:signInWithEmailLink", ["email": .string(person.email), "oobCode": .string(code)])
            expectGolden(
                reply.json,
                [
                    "kind": "identitytoolkit#EmailLinkSigninResponse", "localId": .string(person.localID),
                    "email": .string(person.email), "isNewUser": false, "mfaPendingCredential": "<token>",
                    "mfaInfo": [
                        [
                            "mfaEnrollmentId": .string(app.enrollmentID), "displayName": "TOTP",
                            "enrolledAt": "2026-09-24T10:11:12.123456Z", "totpInfo": [:],
                        ]
                    ],
                ])
            let credential = try #require(reply.json["mfaPendingCredential"].text)
            let done = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            #expect(done.status == 200, "\(done.text)")
        }
    }

    @Test func `A custom token does not ask for it`() async throws {
        try await TestServer.with { server in
            let (person, _) = try await server.enrolledPerson()
            let key = try await SigningKey.register(for: "backend@example.com", at: server)
            let token = try await server.customSignIn(try await key.token(uid: person.localID, at: server.now))
            #expect(try claims(token)["firebase"]["sign_in_provider"] == "custom")
            #expect(try claims(token)["firebase"]["sign_in_second_factor"] == .null)
        }
    }

    @Test func `A password reset does not get past it`() async throws {
        try await TestServer.with { server in
            var (person, _) = try await server.enrolledPerson()
            let code = try await server.link(["requestType": "PASSWORD_RESET", "email": .string(person.email)])
            person.password = "another staple 8 horse"
            let reset = try await server.post(
                "/v1/accounts:resetPassword", ["oobCode": .string(code), "newPassword": .string(person.password)])
            #expect(reset.status == 200)
            _ = try await server.pendingCredential(person)
        }
    }

    /// Identity Platform's documentation, "Working with multi-factor users": by `verifyBeforeUpdateEmail` alone.
    @Test func `An address changes by mail alone and is verified`() async throws {
        try await TestServer.with { server in
            try await server.setEmailPrivacy(false)
            var (person, _) = try await server.enrolledPerson()
            for body in [["email": "new@example.com"], ["email": "new@example.com", "password": "another 8 horses"]]
                as [JSON]
            {
                expectRefused(
                    try await server.post("/v1/accounts:update", body.with(["idToken": .string(person.idToken)])),
                    "EMAIL_CHANGE_NEEDS_VERIFICATION : Multi-factor users must always have a verified email.", .errors)
            }
            _ = try await server.post(
                "/v1/accounts:sendOobCode",
                [
                    "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(person.idToken),
                    "newEmail": "new@example.com",
                ])
            let code = try #require(try await server.mailedCode(to: "new@example.com"))
            let reply = try await server.post("/v1/accounts:update", ["oobCode": .string(code)])
            #expect(reply.json["email"] == "new@example.com" && reply.json["emailVerified"] == true, "\(reply.text)")
            person.email = "new@example.com"
            _ = try await server.pendingCredential(person)
            // What is no other address is no change.
            let name = try await server.record(of: person.localID)
            #expect(name["mfaInfo"].elements.count == 1 && name["emailVerified"] == true)
        }
    }
}
