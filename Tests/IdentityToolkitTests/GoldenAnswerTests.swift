import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// The shapes and JSON types of answers (REST reference of Identity Platform, v1 and v2 `accounts`).
@Suite struct GoldenAnswerTests {
    /// The instant at which a ``FrozenClock`` begins.
    private static let start = 1_790_244_672

    @Test func `Signing up answers exactly this`() async throws {
        try await TestServer.with { server in
            let reply = try await server.post(
                "/v1/accounts:signUp",
                [
                    "email": "Ada@Example.com", "password": .string(TestServer.password), "returnSecureToken": true,
                    "clientType": "CLIENT_TYPE_IOS",
                ])
            #expect(reply.status == 200)
            #expect(reply.headers[.contentType] == "application/json; charset=UTF-8")
            #expect(reply.headers[.cacheControl] == "no-store")
            let golden: JSON = [
                "kind": "identitytoolkit#SignupNewUserResponse", "localId": "<uid>", "email": "ada@example.com",
                "idToken": "<jwt>", "refreshToken": "<token>", "expiresIn": "3600",
            ]
            expectGolden(reply.json, golden)
        }
    }

    @Test func `Sign in with password`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp("ada@example.com")
            let golden: JSON = [
                "kind": "identitytoolkit#VerifyPasswordResponse", "localId": .string(person.localID),
                "email": "ada@example.com", "displayName": "", "registered": true, "idToken": "<jwt>",
                "refreshToken": "<token>", "expiresIn": "3600",
            ]
            expectGolden(try await server.signIn(person).json, golden)
        }
    }

    @Test func `Sign in with a second factor pending`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let reply = try await server.signIn(person)
            #expect(reply.status == 200)
            // No tokens, and no `expiresIn`: this is how SDKs see that a second factor is asked for.
            let golden: JSON = [
                "kind": "identitytoolkit#VerifyPasswordResponse", "localId": .string(person.localID),
                "email": .string(person.email), "displayName": "", "registered": true,
                "mfaPendingCredential": "<token>",
                "mfaInfo": [
                    [
                        "mfaEnrollmentId": "<uuid>", "displayName": "TOTP",
                        // Fractional seconds, or the Apple SDK reads "now".
                        "enrolledAt": "2026-09-24T10:11:12.123456Z", "totpInfo": [:],
                    ]
                ],
            ]
            expectGolden(reply.json, golden)
            #expect(reply.json["mfaInfo"][0]["mfaEnrollmentId"] == .string(app.enrollmentID))
        }
    }

    @Test func `Looking up answers exactly this`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            _ = try await server.post(
                "/v1/accounts:update",
                ["idToken": .string(person.idToken), "displayName": "Ada", "photoUrl": "https://example.com/ada.png"])
            _ = try await server.enrol(&person)
            let reply = try await server.lookup(person.idToken)
            let golden: JSON = [
                "kind": "identitytoolkit#GetAccountInfoResponse",
                "users": [
                    [
                        "localId": .string(person.localID), "email": .string(person.email), "emailVerified": true,
                        "displayName": "Ada", "photoUrl": "https://example.com/ada.png", "passwordHash": "UkVEQUNURUQ=",
                        "passwordUpdatedAt": .integer(Self.start * 1000 + 123),
                        "providerUserInfo": [
                            [
                                "providerId": "password", "federatedId": .string(person.email),
                                "email": .string(person.email), "rawId": .string(person.email), "displayName": "Ada",
                                "photoUrl": "https://example.com/ada.png",
                            ]
                        ],
                        "validSince": "\(Self.start)", "disabled": false, "lastLoginAt": "\(Self.start)123",
                        "createdAt": "\(Self.start)123", "lastRefreshAt": "2026-09-24T10:11:12.123456Z",
                        "mfaInfo": [
                            [
                                "mfaEnrollmentId": "<uuid>", "displayName": "TOTP",
                                "enrolledAt": "2026-09-24T10:11:12.123456Z", "totpInfo": [:],
                            ]
                        ],
                    ]
                ],
            ]
            expectGolden(reply.json, golden)
        }
    }

    @Test func `Lookup without second factor has no MFA info`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let user = try await server.account(person.idToken)
            #expect(
                user.names == [
                    "createdAt", "disabled", "email", "emailVerified", "lastLoginAt", "lastRefreshAt", "localId",
                    "passwordHash", "passwordUpdatedAt", "providerUserInfo", "validSince",
                ])
            #expect(user["emailVerified"] == false)
        }
    }

    @Test func `Update with and without tokens`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let plain: JSON = [
                "kind": "identitytoolkit#SetAccountInfoResponse", "localId": .string(person.localID),
                "email": .string(person.email), "emailVerified": false, "displayName": "Ada",
                "passwordHash": "UkVEQUNURUQ=",
                "providerUserInfo": [
                    [
                        "providerId": "password", "federatedId": .string(person.email), "email": .string(person.email),
                        "rawId": .string(person.email), "displayName": "Ada",
                    ]
                ],
            ]
            let without = try await server.post(
                "/v1/accounts:update", ["idToken": .string(person.idToken), "displayName": "Ada"])
            expectGolden(without.json, plain)
            let with = try await server.post(
                "/v1/accounts:update",
                ["idToken": .string(person.idToken), "displayName": "Ada", "returnSecureToken": true])
            expectGolden(
                with.json, plain.with(["idToken": "<jwt>", "refreshToken": "<token>", "expiresIn": "3600"]))
        }
    }

    @Test func `Deleting answers exactly this`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await server.post("/v1/accounts:delete", ["idToken": .string(person.idToken)])
            expectGolden(reply.json, ["kind": "identitytoolkit#DeleteAccountResponse"])
        }
    }

    @Test func `OOB codes and their check`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp("ada@example.com")
            let sent = try await server.post(
                "/v1/accounts:sendOobCode", ["requestType": "PASSWORD_RESET", "email": .string(person.email)])
            expectGolden(
                sent.json, ["kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": "ada@example.com"])
            let returned = try await server.post(
                "/v1/accounts:sendOobCode",
                ["requestType": "PASSWORD_RESET", "email": .string(person.email), "returnOobLink": true],
                headers: server.administrator)
            expectGolden(
                returned.json,
                [
                    "kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": "ada@example.com",
                    "oobCode": "<token>", "oobLink": "<string>",
                ])
            let checked = try await server.post("/v1/accounts:resetPassword", ["oobCode": returned.json["oobCode"]])
            expectGolden(
                checked.json,
                [
                    "kind": "identitytoolkit#ResetPasswordResponse", "requestType": "PASSWORD_RESET",
                    "email": "ada@example.com",
                ])
            let change = try await server.post(
                "/v1/accounts:sendOobCode",
                [
                    "requestType": "VERIFY_AND_CHANGE_EMAIL", "email": .string(person.email),
                    "newEmail": "lovelace@example.com", "returnOobLink": true,
                ], headers: server.administrator)
            let checkedChange = try await server.post(
                "/v1/accounts:resetPassword", ["oobCode": change.json["oobCode"]])
            expectGolden(
                checkedChange.json,
                [
                    "kind": "identitytoolkit#ResetPasswordResponse", "requestType": "VERIFY_AND_CHANGE_EMAIL",
                    "email": "ada@example.com", "newEmail": "lovelace@example.com",
                ])
        }
    }

    @Test func `The token service answers exactly this`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await server.refresh(person.refreshToken)
            expectGolden(
                reply.json,
                [
                    "access_token": "<jwt>", "expires_in": "3600", "token_type": "Bearer", "refresh_token": "<token>",
                    "id_token": "<jwt>", "user_id": .string(person.localID), "project_id": "countersign",
                ])
            #expect(reply.json["access_token"] == reply.json["id_token"])
        }
    }

    @Test func `What clients may know of the project`() async throws {
        try await TestServer.with { server in
            expectGolden(
                try await server.get("/v1/projects").json,
                ["projectId": "countersign", "authorizedDomains": ["127.0.0.1"]])
            expectGolden(
                try await server.get("/v2/recaptchaConfig?clientType=CLIENT_TYPE_IOS&version=RECAPTCHA_ENTERPRISE")
                    .json,
                ["recaptchaEnforcementState": []])
            #expect(try await server.get("/v2/passwordPolicy").json["customStrengthOptions"]["minPasswordLength"] == 8)
        }
    }

    @Test func `createAuthUri answers exactly this`() async throws {
        try await TestServer.with { server in
            try await server.setEmailPrivacy(false)
            let person = try await server.signUp()
            let reply = try await server.post(
                "/v1/accounts:createAuthUri",
                ["identifier": .string(person.email), "continueUri": "http://localhost"])
            expectGolden(
                reply.json,
                [
                    "kind": "identitytoolkit#CreateAuthUriResponse", "registered": true, "signinMethods": ["password"],
                    "allProviders": ["password"], "sessionId": "<token>",
                ])
        }
    }

    // MARK: TOTP

    @Test func `Start of an enrolment`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            let reply = try await server.startEnrolment(person.idToken)
            expectGolden(
                reply.json,
                [
                    "totpSessionInfo": [
                        "sharedSecretKey": "<base32>", "verificationCodeLength": 6, "hashingAlgorithm": "SHA1",
                        "periodSec": 30, "sessionInfo": "<token>",
                        "finalizeEnrollmentTime": "2026-09-24T10:26:12.123456Z",
                    ]
                ])
        }
    }

    @Test func `An instant without fraction still has six digits`() async throws {
        try await TestServer.with { server in
            try await server.advance(1 - 0.123456)
            let person = try await server.verifiedPerson()
            let reply = try await server.startEnrolment(person.idToken)
            #expect(reply.json["totpSessionInfo"]["finalizeEnrollmentTime"] == "2026-09-24T10:26:13.000000Z")
        }
    }

    @Test func `End of an enrolment`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            let started = try await server.startEnrolment(person.idToken)
            let app = try await app(started.json)
            let reply = try await server.finishEnrolment(
                person.idToken, session: try #require(started.json["totpSessionInfo"]["sessionInfo"].text),
                code: app.code(at: server.now))
            expectGolden(reply.json, ["idToken": "<jwt>", "refreshToken": "<token>", "totpAuthInfo": [:]])
        }
    }

    @Test func `End of a sign in and withdrawal`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            let reply = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            expectGolden(reply.json, ["idToken": "<jwt>", "refreshToken": "<token>"])
            let withdrawn = try await server.withdraw(try #require(reply.json["idToken"].text), app.enrollmentID)
            expectGolden(withdrawn.json, ["idToken": "<jwt>", "refreshToken": "<token>"])
        }
    }

    private func app(_ started: JSON) async throws -> AuthenticatorApp {
        try AuthenticatorApp(base32: try #require(started["totpSessionInfo"]["sharedSecretKey"].text))
    }

    // MARK: ID tokens

    @Test func `The ID token of a password`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            expectGolden(try header(person.idToken), ["alg": "ES256", "kid": "<string>", "typ": "JWT"])
            try await server.advance(10)
            let reply = try await server.signIn(person)
            let golden: JSON = [
                "iss": "https://securetoken.google.com/countersign", "aud": "countersign",
                "sub": .string(person.localID), "user_id": .string(person.localID),
                "auth_time": .integer(Self.start + 10), "iat": .integer(Self.start + 10),
                "exp": .integer(Self.start + 10 + 3600), "email": .string(person.email), "email_verified": true,
                "countersign_epoch": 0, "countersign_session": "<string>",
                "firebase": ["identities": ["email": [.string(person.email)]], "sign_in_provider": "password"],
            ]
            expectGolden(try claims(try #require(reply.json["idToken"].text)), golden)
        }
    }

    @Test func `The ID token of a second factor`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let enrolled = try claims(person.idToken)
            #expect(enrolled["auth_time"] == .integer(Self.start))
            #expect(enrolled["firebase"]["sign_in_second_factor"] == "totp")

            let credential = try await server.pendingCredential(person)
            try await server.advance(60)
            let reply = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            let token = try #require(reply.json["idToken"].text)
            let then = Self.start + 90
            let golden: JSON = [
                "iss": "https://securetoken.google.com/countersign", "aud": "countersign",
                "sub": .string(person.localID), "user_id": .string(person.localID), "auth_time": .integer(then),
                "iat": .integer(then), "exp": .integer(then + 3600), "email": .string(person.email),
                "email_verified": true, "countersign_epoch": 0, "countersign_session": "<string>",
                "firebase": [
                    "identities": ["email": [.string(person.email)]], "sign_in_provider": "password",
                    "sign_in_second_factor": "totp", "second_factor_identifier": .string(app.enrollmentID),
                ],
            ]
            expectGolden(try claims(token), golden)
        }
    }

    @Test func `The claims of the second factor survive refreshes`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let credential = try await server.pendingCredential(person)
            let reply = try await server.finishSignIn(credential, app.enrollmentID, code: app.code(at: server.now))
            let first = try claims(try #require(reply.json["idToken"].text))
            var refreshToken = try #require(reply.json["refreshToken"].text)
            for round in 1...3 {
                try await server.advance(1800)
                let refreshed = try await server.refresh(refreshToken)
                refreshToken = try #require(refreshed.json["refresh_token"].text, "\(refreshed.text)")
                let later = try claims(try #require(refreshed.json["id_token"].text))
                let issued = Self.start + 30 + round * 1800
                expectGolden(later, first.with(["iat": .integer(issued), "exp": .integer(issued + 3600)]))
            }
        }
    }

    @Test func `Enrolling gives a new auth time and older sessions go on without it`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            let (before, refreshToken) = (person.idToken, person.refreshToken)
            #expect(try claims(before)["firebase"]["sign_in_second_factor"] == .null)
            try await server.advance(100)
            _ = try await server.enrol(&person)
            #expect(try claims(before)["auth_time"] == .integer(Self.start))
            #expect(try claims(person.idToken)["auth_time"] == .integer(Self.start + 100))
            #expect(try claims(person.idToken)["iat"] == .integer(Self.start + 100))

            #expect(try await server.lookup(before).status == 200)
            let refreshed = try await server.refresh(refreshToken)
            let older = try claims(try #require(refreshed.json["id_token"].text))
            #expect(older["firebase"]["sign_in_second_factor"] == .null)
            #expect(older["auth_time"] == .integer(Self.start))
        }
    }

    @Test func `Under development tokens are unsigned`() async throws {
        try await TestServer.with(.development) { server in
            let person = try await server.signUp()
            expectGolden(try header(person.idToken), ["alg": "none", "typ": "JWT"])
            #expect(person.idToken.hasSuffix("."))
            #expect(try await server.lookup(person.idToken).status == 200)
        }
    }

    @Test func `Another algorithm can be chosen`() async throws {
        try await TestServer.with { server in
            try await server.changeSettings { $0.tokens.algorithms["identity-toolkit"] = .rs256 }
            let person = try await server.signUp()
            #expect(try header(person.idToken)["alg"] == "RS256")
            #expect(try await server.lookup(person.idToken).status == 200)
        }
    }

    @Test func `Custom claims are at the top level and never in place of ours`() async throws {
        try await TestServer.with { server in
            var person = try await server.signUp()
            try await server.changeAccount(person) {
                $0.customClaims = [
                    "role": .string("admin"), "level": .integer(3), "sub": .string("other"), "iss": .string("evil"),
                    "email_verified": .bool(true), "exp": .integer(9_999_999_999), "firebase": .string("x"),
                    "picture": .string("https://example.com/evil.png"), "countersign_epoch": .integer(99),
                    "countersign_session": .string("another"),
                ]
            }
            try await server.signInAgain(&person)
            let claims = try claims(person.idToken)
            #expect(claims["role"] == "admin")
            #expect(claims["level"] == 3)
            #expect(claims["sub"] == .string(person.localID))
            #expect(claims["iss"] == "https://securetoken.google.com/countersign")
            #expect(claims["email_verified"] == false)
            #expect(claims["exp"] == .integer(Self.start + 3600))
            #expect(claims["firebase"]["sign_in_provider"] == "password")
            #expect(claims["picture"] == .null)
            #expect(claims["countersign_epoch"] == 0)
            #expect(claims["countersign_session"] != "another")
        }
    }
}
