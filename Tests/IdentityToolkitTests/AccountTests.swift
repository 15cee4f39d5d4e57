import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Signing up, in and away (REST reference of Identity Platform, v1 `accounts`).
@Suite struct AccountTests {
    // MARK: Signing up

    @Test(
        arguments: [
            (["password": "x"], "MISSING_EMAIL"),
            (["email": "", "password": "correct horse"], "INVALID_EMAIL"),
            (["email": "", "password": ""], "INVALID_EMAIL"),
            (
                ["email": "ada@example.com", "password": .string(TestServer.password), "localId": "chosen"],
                "UNEXPECTED_PARAMETER : User ID"
            ),
            (["localId": "chosen"], "UNEXPECTED_PARAMETER : User ID"),
            (["idToken": "x", "localId": "chosen"], "UNEXPECTED_PARAMETER : User ID"),
            (["targetProjectId": "another"], "PROJECT_NOT_FOUND"),
            (["email": "ada@example.com"], "MISSING_PASSWORD"),
            (["email": "ada@example.com", "password": ""], "MISSING_PASSWORD"),
            (["email": "ada", "password": "correct horse"], "INVALID_EMAIL"),
            (["email": "ada@", "password": "correct horse"], "INVALID_EMAIL"),
            (["email": "@example.com", "password": "correct horse"], "INVALID_EMAIL"),
            (["email": "a@b@c", "password": "correct horse"], "INVALID_EMAIL"),
            (["email": "ada lovelace@example.com", "password": "correct horse"], "INVALID_EMAIL"),
            (["email": "ada@example.com\r\nBcc: eve@example.com", "password": "correct horse"], "INVALID_EMAIL"),
            (["email": "ada@example.com,eve@example.com", "password": "correct horse"], "INVALID_EMAIL"),
            (["email": "ada@exa\u{0}mple.com", "password": "correct horse"], "INVALID_EMAIL"),
            (["email": "ada@-example.com", "password": "correct horse"], "INVALID_EMAIL"),
            (["email": "ada@example..com", "password": "correct horse"], "INVALID_EMAIL"),
            (
                ["email": .string(String(repeating: "a", count: 300) + "@example.com"), "password": "correct horse"],
                "INVALID_EMAIL"
            ),
            (
                ["email": "ada@example.com", "password": "1234567"],
                "WEAK_PASSWORD : Password should be at least 8 characters"
            ),
            (
                ["email": "ada@example.com", "password": .string(String(repeating: "é", count: 1025))],
                "WEAK_PASSWORD : Password should be at most 1024 characters"
            ),
            (
                ["email": "ada@example.com", "password": "password1"],
                "WEAK_PASSWORD : Password is one of the commonest and would soon be guessed"
            ),
            (
                ["email": "ada@example.com", "password": "ADA@example.com"],
                "WEAK_PASSWORD : Password should not be the email address"
            ),
        ] as [(JSON, String)])
    func `What cannot be an account is refused`(body: JSON, message: String) async throws {
        try await TestServer.with { server in
            expectRefused(try await server.post("/v1/accounts:signUp", body), message, .errors)
            expectRefused(
                try await server.post("/identitytoolkit/v3/relyingparty/signupNewUser", body), message, .errors)
        }
    }

    @Test func `An address is taken whatever its spelling`() async throws {
        try await TestServer.with { server in
            _ = try await server.signUp("andré@example.com")
            for email in ["andré@example.com", "ANDRÉ@Example.COM", "andre\u{301}@example.com", " andré@example.com "] {
                let reply = try await server.post(
                    "/v1/accounts:signUp", ["email": .string(email), "password": .string(TestServer.password)])
                expectRefused(reply, "EMAIL_EXISTS", .errors)
            }
        }
    }

    @Test func `What only administrators may set is passed over`() async throws {
        try await TestServer.with { server in
            let reply = try await server.post(
                "/v1/accounts:signUp",
                [
                    "email": "ada@example.com", "password": .string(TestServer.password),
                    "emailVerified": true, "disabled": true, "phoneNumber": "+491510000000",
                    "mfaInfo": [["displayName": "x", "phoneInfo": "+491510000000"]], "customAttributes": "{\"a\":1}",
                ])
            let user = try await server.account(try #require(reply.json["idToken"].text, "\(reply.text)"))
            #expect(user["emailVerified"] == false)
            #expect(user["disabled"] == false)
            #expect(user["phoneNumber"] == .null)
            #expect(user["mfaInfo"] == .null)
            #expect(user["customAttributes"] == .null)
        }
    }

    @Test func `Sign up can be closed`() async throws {
        try await TestServer.with { server in
            try await server.changeSettings { $0.signUp.isOpen = false }
            let reply = try await server.post(
                "/v1/accounts:signUp", ["email": "ada@example.com", "password": .string(TestServer.password)])
            expectRefused(reply, "ADMIN_ONLY_OPERATION", .errors)
        }
    }

    @Test func `A source makes a hundred accounts an hour`() async throws {
        try await TestServer.with { server in
            func signUp(_ number: Int, from: String) async throws -> Reply {
                try await server.post(
                    "/v1/accounts:signUp",
                    ["email": "n\(number)@example.com", "password": .string(TestServer.password)], from: from)
            }
            for number in 0..<100 { #expect(try await signUp(number, from: "203.0.113.9").status == 200) }
            expectRefused(
                try await signUp(100, from: "203.0.113.9"),
                "TOO_MANY_ATTEMPTS_TRY_LATER : Too many accounts were made from here. Try again later.", .errors)
            #expect(try await signUp(101, from: "203.0.113.10").status == 200)
            try await server.advance(3600)
            #expect(try await signUp(102, from: "203.0.113.9").status == 200)
        }
    }

    // MARK: Anonymous users

    @Test func `Anonymous users are for development or the settings`() async throws {
        try await TestServer.with { server in
            for body in [[:], ["returnSecureToken": true], ["email": .null]] as [JSON] {
                expectRefused(try await server.post("/v1/accounts:signUp", body), "ADMIN_ONLY_OPERATION", .errors)
            }
            _ = try await server.changeConfig(
                mask: "signIn.anonymous.enabled", ["signIn": ["anonymous": ["enabled": true]]])
            #expect(try await server.post("/v1/accounts:signUp").status == 200)
        }
        try await TestServer.with(.development) { server in
            let reply = try await server.post("/v1/accounts:signUp", ["returnSecureToken": true])
            expectGolden(
                reply.json,
                [
                    "kind": "identitytoolkit#SignupNewUserResponse", "localId": "<uid>", "idToken": "<jwt>",
                    "refreshToken": "<token>", "expiresIn": "3600",
                ])
            let token = try #require(reply.json["idToken"].text)
            let claims = try claims(token)
            #expect(claims["provider_id"] == "anonymous")
            #expect(claims["firebase"] == ["identities": [:], "sign_in_provider": "anonymous"])
            #expect(claims["email"] == .null)
            let user = try await server.account(token)
            #expect(user["providerUserInfo"] == .null)
            #expect(user["email"] == .null)
        }
    }

    @Test func `Under development they can be switched off`() async throws {
        try await TestServer.with(.development) { server in
            #expect(try await server.config()["signIn"]["anonymous"] == ["enabled": true])
            for isOn in [false, true, false] {
                let reply = try await server.changeConfig(
                    mask: "signIn.anonymous.enabled", ["signIn": ["anonymous": ["enabled": .bool(isOn)]]])
                #expect(reply.json["signIn"]["anonymous"] == ["enabled": .bool(isOn)])
                let signUp = try await server.post("/v1/accounts:signUp")
                if isOn {
                    #expect(signUp.status == 200, "\(signUp.text)")
                } else {
                    expectRefused(signUp, "ADMIN_ONLY_OPERATION", .errors)
                }
            }
        }
    }

    @Test(arguments: ["/v1/accounts:signUp", "/v1/accounts:update"])
    func `An anonymous user becomes one with a password`(path: String) async throws {
        try await TestServer.with(.development) { server in
            let anonymous = try await server.post("/v1/accounts:signUp", ["returnSecureToken": true])
            let reply = try await server.post(
                path,
                [
                    "idToken": anonymous.json["idToken"], "email": "ada@example.com",
                    "password": .string(TestServer.password), "returnSecureToken": true,
                ])
            let token = try #require(reply.json["idToken"].text, "\(reply.text)")
            let claims = try claims(token)
            #expect(claims["sub"] == anonymous.json["localId"])
            #expect(claims["firebase"]["sign_in_provider"] == "password")
            #expect(claims["provider_id"] == .null)
            #expect(claims["email_verified"] == false)
            expectRefused(
                try await server.lookup(try #require(anonymous.json["idToken"].text)), "TOKEN_EXPIRED", .errors)
            let signIn = try await server.post(
                "/v1/accounts:signInWithPassword",
                ["email": "ada@example.com", "password": .string(TestServer.password)])
            #expect(signIn.json["localId"] == anonymous.json["localId"])
        }
    }

    @Test func `Sign up with an ID token needs an address and a password`() async throws {
        try await TestServer.with(.development) { server in
            let anonymous = try await server.post("/v1/accounts:signUp")
            let token = anonymous.json["idToken"]
            for (body, message) in [
                ([:], "MISSING_EMAIL"), (["displayName": "Ada"], "MISSING_EMAIL"),
                (["password": .string(TestServer.password)], "MISSING_EMAIL"), (["email": ""], "INVALID_EMAIL"),
                (["email": "ada@example.com"], "MISSING_PASSWORD"),
                (["email": "ada@example.com", "password": ""], "MISSING_PASSWORD"),
            ] as [(JSON, String)] {
                let reply = try await server.post("/v1/accounts:signUp", body.with(["idToken": token]))
                expectRefused(reply, message, .errors)
            }
            let user = try await server.account(try #require(token.text))
            #expect(user["email"] == .null && user["displayName"] == .null)
        }
    }

    @Test func `An anonymous user cannot take another's address`() async throws {
        try await TestServer.with(.development) { server in
            let person = try await server.signUp()
            let anonymous = try await server.post("/v1/accounts:signUp")
            let reply = try await server.post(
                "/v1/accounts:signUp",
                [
                    "idToken": anonymous.json["idToken"], "email": .string(person.email),
                    "password": .string(TestServer.password),
                ])
            expectRefused(reply, "EMAIL_EXISTS", .errors)
            let withoutAddress = try await server.post(
                "/v1/accounts:update",
                ["idToken": anonymous.json["idToken"], "password": .string(TestServer.password)])
            expectRefused(withoutAddress, "MISSING_EMAIL", .errors)
        }
    }

    // MARK: Signing in

    @Test func `With email privacy nothing tells whether an address has an account`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let wrong = try await server.signIn(person, password: "something else")
            expectRefused(wrong, "INVALID_LOGIN_CREDENTIALS", .errors)
            let unknown = try await server.post(
                "/v1/accounts:signInWithPassword", ["email": "nobody@example.com", "password": "something else"])
            #expect(unknown.bytes == wrong.bytes)
            #expect(unknown.status == wrong.status)
            let linked = try await server.signUp()
            _ = try await server.post(
                "/v1/accounts:update", ["idToken": .string(linked.idToken), "deleteProvider": ["password"]])
            #expect(try await server.signIn(linked).bytes == wrong.bytes)
            // Nor does the lockout.
            var words: [String: [String?]] = [:]
            for email in [person.email, "stranger@example.com"] {
                for number in 0..<12 {
                    let reply = try await server.post(
                        "/v1/accounts:signInWithPassword",
                        ["email": .string(email), "password": "wrong \(number) horse"], from: "198.51.100.\(number)")
                    words[email, default: []].append(reply.message)
                }
            }
            // One wrong password of the person's was before.
            let locked =
                "TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been temporarily disabled due to many failed login attempts. Try again later."
            #expect(words[person.email]?.firstIndex(of: locked) == 9)
            #expect(words["stranger@example.com"]?.firstIndex(of: locked) == 10)
        }
    }

    @Test func `Without email privacy the older words are used`() async throws {
        try await TestServer.with { server in
            try await server.setEmailPrivacy(false)
            let person = try await server.signUp()
            expectRefused(try await server.signIn(person, password: "something else"), "INVALID_PASSWORD", .errors)
            let unknown = try await server.post(
                "/v1/accounts:signInWithPassword", ["email": "nobody@example.com", "password": "something else"])
            expectRefused(unknown, "EMAIL_NOT_FOUND", .errors)
        }
    }

    @Test(
        arguments: [
            (["password": "x"], "MISSING_EMAIL"), (["email": "ada@example.com"], "MISSING_PASSWORD"),
            (["email": "ada@example.com", "password": ""], "MISSING_PASSWORD"),
            (["email": "ada", "password": "x"], "INVALID_EMAIL"), (["email": "", "password": "x"], "INVALID_EMAIL"),
        ] as [(JSON, String)])
    func `What cannot be a sign in is refused`(body: JSON, message: String) async throws {
        try await TestServer.with { server in
            expectRefused(try await server.post("/v1/accounts:signInWithPassword", body), message, .errors)
        }
    }

    @Test func `The address may be spelled otherwise and the password may not`() async throws {
        try await TestServer.with { server in
            _ = try await server.signUp("ada@example.com", password: "Größe und Gewicht")
            for (email, password, isTaken) in [
                ("ADA@EXAMPLE.COM", "Größe und Gewicht", true), ("ada@example.com", "Gro\u{308}ße und Gewicht", true),
                ("ada@example.com", "größe und gewicht", false), ("ada@example.com", "Größe und Gewicht ", false),
                ("ada@example.com", "Größe und Gewicht\u{0}", false),
            ] {
                let reply = try await server.post(
                    "/v1/accounts:signInWithPassword", ["email": .string(email), "password": .string(password)])
                #expect((reply.status == 200) == isTaken, "\(password): \(reply.text)")
            }
        }
    }

    @Test func `After ten wrong passwords the account waits`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            for _ in 0..<10 {
                expectRefused(
                    try await server.signIn(person, password: "wrong horse"), "INVALID_LOGIN_CREDENTIALS", .errors)
            }
            let locked = try await server.signIn(person)
            #expect(locked.message?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER : ") == true, "\(locked.text)")
            try await server.advance(30)
            #expect(try await server.signIn(person).status == 200)
        }
    }

    @Test func `A disabled account is told only to who knows the password`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            try await server.changeAccount(person) { $0.isDisabled = true }
            expectRefused(try await server.signIn(person), "USER_DISABLED", .errors)
            expectRefused(
                try await server.signIn(person, password: "something else"), "INVALID_LOGIN_CREDENTIALS", .errors)
            expectRefused(try await server.lookup(person.idToken), "USER_DISABLED", .errors)
            expectRefused(try await server.refresh(person.refreshToken), "USER_DISABLED", .status)
        }
    }

    // MARK: Updating

    @Test func `Each member of a profile is changed and cleared`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            func update(_ body: [String: JSON?]) async throws -> JSON {
                let reply = try await server.post(
                    "/v1/accounts:update", JSON.object(["idToken": .string(person.idToken)]).with(body))
                #expect(reply.status == 200, "\(reply.text)")
                return try await server.account(person.idToken)
            }
            var user = try await update(["displayName": "Ada", "photoUrl": "https://example.com/a.png"])
            #expect(user["displayName"] == "Ada")
            #expect(user["photoUrl"] == "https://example.com/a.png")
            user = try await update([:])
            #expect(user["displayName"] == "Ada")
            user = try await update(["deleteAttribute": ["DISPLAY_NAME"]])
            #expect(user["displayName"] == .null)
            #expect(user["photoUrl"] == "https://example.com/a.png")
            user = try await update(["deleteAttribute": ["PHOTO_URL"], "displayName": "Countess"])
            #expect(user["displayName"] == "Countess")
            #expect(user["photoUrl"] == .null)
            user = try await update(["displayName": "", "photoUrl": ""])
            #expect(user["displayName"] == .null)
            user = try await update(["displayName": .null, "email": .string(person.email.uppercased())])
            #expect(user["email"] == .string(person.email))
            #expect(user["validSince"] == "\(server.now.seconds)")
        }
    }

    @Test func `What is no attribute is refused`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await server.post(
                "/v1/accounts:update", ["idToken": .string(person.idToken), "deleteAttribute": ["SHOE_SIZE"]])
            #expect(reply.status == 400)
            #expect(reply.message?.hasPrefix("Invalid value at 'delete_attribute'") == true, "\(reply.text)")
        }
    }

    @Test(arguments: [("displayName", 256), ("photoUrl", 2048)])
    func `What goes into every token has a limit`(name: String, limit: Int) async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            for (length, isTaken) in [(limit, true), (limit + 1, false), (30_000, false)] {
                let value = JSON.string(String(repeating: "x", count: length))
                let updated = try await server.post(
                    "/v1/accounts:update",
                    JSON.object(["idToken": .string(person.idToken), "returnSecureToken": true]).with([name: value]))
                #expect((updated.status == 200) == isTaken, "\(length): \(updated.text.prefix(200))")
                if !isTaken {
                    let what = name == "displayName" ? "Display name" : "Photo URL"
                    expectRefused(updated, "INVALID_PROFILE_ATTRIBUTE : \(what) too long.", .errors)
                } else {
                    #expect(try await server.lookup(try #require(updated.json["idToken"].text)).status == 200)
                }
            }
            let signUp = try await server.post(
                "/v1/accounts:signUp",
                [
                    "email": "long@example.com", "password": .string(TestServer.password),
                    "displayName": .string(String(repeating: "x", count: 257)),
                ])
            expectRefused(signUp, "INVALID_PROFILE_ATTRIBUTE : Display name too long.", .errors)
        }
    }

    @Test func `What only administrators may change is passed over`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let other = try await server.signUp()
            let reply = try await server.post(
                "/v1/accounts:update",
                [
                    "idToken": .string(person.idToken), "localId": .string(other.localID), "emailVerified": true,
                    "disableUser": true, "customAttributes": "{\"admin\":true}",
                    "mfa": ["enrollments": []], "phoneNumber": "+491510000000", "createdAt": "1", "lastLoginAt": "1",
                ])
            #expect(reply.json["localId"] == .string(person.localID), "\(reply.text)")
            for someone in [person, other] {
                let user = try await server.account(someone.idToken)
                #expect(user["emailVerified"] == false)
                #expect(user["disabled"] == false)
                #expect(user["customAttributes"] == .null)
                #expect(user["phoneNumber"] == .null)
                #expect(user["createdAt"] != "1")
            }
        }
    }

    @Test func `A new password ends all other sessions`() async throws {
        try await TestServer.with { server in
            var person = try await server.signUp()
            let before = person
            try await server.signInAgain(&person)
            let reply = try await server.post(
                "/v1/accounts:update", ["idToken": .string(person.idToken), "password": "another staple 8 horse"])
            let token = try #require(reply.json["idToken"].text, "\(reply.text)")
            for older in [before, person] {
                expectRefused(try await server.lookup(older.idToken), "TOKEN_EXPIRED", .errors)
                expectRefused(try await server.refresh(older.refreshToken), "TOKEN_EXPIRED", .status)
            }
            #expect(try await server.lookup(token).status == 200)
            #expect(try await server.refresh(try #require(reply.json["refreshToken"].text)).status == 200)
            expectRefused(try await server.signIn(person), "INVALID_LOGIN_CREDENTIALS", .errors)
            #expect(try await server.signIn(person, password: "another staple 8 horse").status == 200)
        }
    }

    /// Remembering passwords is native authentication's rule.
    @Test func `A password of before is no error`() async throws {
        try await TestServer.with { server in
            var person = try await server.signUp()
            for password in [TestServer.password, "another staple 8 horse", TestServer.password] {
                let reply = try await server.post(
                    "/v1/accounts:update", ["idToken": .string(person.idToken), "password": .string(password)])
                person.idToken = try #require(reply.json["idToken"].text, "\(reply.text)")
            }
            let code = try await server.link(["requestType": "PASSWORD_RESET", "email": .string(person.email)])
            let reset = try await server.post(
                "/v1/accounts:resetPassword", ["oobCode": .string(code), "newPassword": .string(TestServer.password)])
            #expect(reset.status == 200, "\(reset.text)")
            #expect(try await server.signIn(person).status == 200)
        }
    }

    @Test(
        arguments: [
            ("1234567", "WEAK_PASSWORD : Password should be at least 8 characters"), ("", "MISSING_PASSWORD"),
            ("qwertyuiop", "WEAK_PASSWORD : Password is one of the commonest and would soon be guessed"),
        ])
    func `A password that is not good enough changes nothing`(password: String, message: String) async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await server.post(
                "/v1/accounts:update", ["idToken": .string(person.idToken), "password": .string(password)])
            expectRefused(reply, message, .errors)
            #expect(try await server.signIn(person).status == 200)
            #expect(try await server.lookup(person.idToken).status == 200)
        }
    }

    @Test func `With email privacy an address is changed by mail alone`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await server.post(
                "/v1/accounts:update", ["idToken": .string(person.idToken), "email": "new@example.com"])
            expectRefused(
                reply, "OPERATION_NOT_ALLOWED : Please verify the new email before changing email.", .errors)
        }
    }

    @Test func `Without email privacy an address is changed at once and unverified`() async throws {
        try await TestServer.with { server in
            try await server.setEmailPrivacy(false)
            let person = try await server.verifiedPerson()
            let other = try await server.signUp()
            expectRefused(
                try await server.post(
                    "/v1/accounts:update", ["idToken": .string(person.idToken), "email": .string(other.email)]),
                "EMAIL_EXISTS", .errors)
            expectRefused(
                try await server.post(
                    "/v1/accounts:update", ["idToken": .string(person.idToken), "email": "nonsense"]),
                "INVALID_EMAIL", .errors)
            let reply = try await server.post(
                "/v1/accounts:update", ["idToken": .string(person.idToken), "email": "New@example.com"])
            #expect(reply.json["email"] == "new@example.com", "\(reply.text)")
            #expect(reply.json["newEmail"] == "new@example.com")
            #expect(reply.json["emailVerified"] == false)
            #expect(reply.json["idToken"].text != nil)
            expectRefused(try await server.lookup(person.idToken), "TOKEN_EXPIRED", .errors)
        }
    }

    @Test(arguments: [["deleteProvider": ["password"]], ["deleteAttribute": ["PASSWORD"]]] as [JSON])
    func `A password that was removed signs no user in`(removal: JSON) async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await server.post(
                "/v1/accounts:update", removal.with(["idToken": .string(person.idToken), "returnSecureToken": true]))
            let token = try #require(reply.json["idToken"].text, "\(reply.text)")
            let user = try await server.account(token)
            #expect(user["passwordHash"] == .null)
            #expect(user["providerUserInfo"] == .null)
            expectRefused(try await server.signIn(person), "INVALID_LOGIN_CREDENTIALS", .errors)
        }
    }

    @Test func `A provider that is not linked is passed over`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await server.post(
                "/v1/accounts:update", ["idToken": .string(person.idToken), "deleteProvider": ["google.com"]])
            #expect(reply.status == 200)
            #expect(try await server.signIn(person).status == 200)
        }
    }

    @Test func `A changed profile is no sign in`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let before = try await server.account(person.idToken)["lastLoginAt"]
            try await server.advance(60)
            let reply = try await server.post(
                "/v1/accounts:update",
                ["idToken": .string(person.idToken), "displayName": "Ada", "returnSecureToken": true])
            let user = try await server.account(try #require(reply.json["idToken"].text))
            #expect(user["lastLoginAt"] == before)
            #expect(user["lastRefreshAt"] == "2026-09-24T10:12:12.123456Z")
        }
    }

    @Test func `What ends sessions needs a recent sign in`() async throws {
        try await TestServer.with { server in
            try await server.setEmailPrivacy(false)
            let person = try await server.signUp()
            try await server.advance(300)
            let changes: [JSON] = [
                ["password": "another staple 8 horse"], ["email": "new@example.com"], ["deleteProvider": ["password"]],
                ["deleteAttribute": ["PASSWORD"]],
            ]
            for change in changes {
                let reply = try await server.post(
                    "/v1/accounts:update", change.with(["idToken": .string(person.idToken)]))
                expectRefused(reply, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .errors)
            }
            expectRefused(
                try await server.post("/v1/accounts:delete", ["idToken": .string(person.idToken)]),
                "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .errors)
            // A refreshed token is of the same sign-in; the name may stay.
            let refreshed = try await server.refresh(person.refreshToken)
            expectRefused(
                try await server.post("/v1/accounts:delete", ["idToken": refreshed.json["id_token"]]),
                "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .errors)
            let name = try await server.post(
                "/v1/accounts:update", ["idToken": .string(person.idToken), "displayName": "Ada"])
            #expect(name.status == 200)
        }
    }

    /// Of one's own tokens all are revoked, whatever instant is named, and the session goes on with fresh ones.
    @Test(arguments: ["0", 1, "4102444800"] as [JSON])
    func `Naming an instant ends all other sessions`(instant: JSON) async throws {
        try await TestServer.with { server in
            var person = try await server.signUp()
            let before = person
            try await server.signInAgain(&person)
            let update: JSON = ["idToken": .string(person.idToken), "validSince": instant]
            let reply = try await server.post("/v1/accounts:update", update)
            let token = try #require(reply.json["idToken"].text, "\(reply.text)")
            for older in [before, person] {
                expectRefused(try await server.lookup(older.idToken), "TOKEN_EXPIRED", .errors)
                expectRefused(try await server.refresh(older.refreshToken), "TOKEN_EXPIRED", .status)
            }
            #expect(try await server.account(token)["validSince"] == "\(server.now.seconds)")
            let refreshed = try await server.refresh(try #require(reply.json["refreshToken"].text))
            #expect(refreshed.status == 200)
            // A stolen token of an hour ago must not put its owner out.
            try await server.advance(300)
            expectRefused(
                try await server.post("/v1/accounts:update", update.with(["idToken": .string(token)])),
                "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", .errors)
        }
    }

    @Test(arguments: ["lookup", "update", "delete"])
    func `Another project is not found`(method: String) async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let body: JSON = ["idToken": .string(person.idToken), "targetProjectId": "another"]
            expectRefused(try await server.post("/v1/accounts:\(method)", body), "PROJECT_NOT_FOUND", .errors)
            #expect(
                try await server.post("/v1/accounts:lookup", body.with(["targetProjectId": "countersign"])).status
                    == 200)
        }
    }

    // MARK: Deleting

    @Test func `A deleted account is gone`() async throws {
        try await TestServer.with { server in
            var (person, _) = try await server.enrolledPerson()
            expectRefused(
                try await server.post(
                    "/v1/accounts:delete", ["idToken": .string(person.idToken), "localId": "somebody-else"]),
                "INVALID_LOCAL_ID", .errors)
            let reply = try await server.post(
                "/v1/accounts:delete", ["idToken": .string(person.idToken), "localId": .string(person.localID)])
            #expect(reply.status == 200, "\(reply.text)")
            expectRefused(try await server.lookup(person.idToken), "USER_NOT_FOUND", .errors)
            expectRefused(try await server.signIn(person), "INVALID_LOGIN_CREDENTIALS", .errors)
            // SDKs sign the user out on this word; on INVALID_REFRESH_TOKEN they would not.
            expectRefused(try await server.refresh(person.refreshToken), "TOKEN_EXPIRED", .status)
            // The address is free, and nothing of the old account is in the new one.
            person = try await server.signUp(person.email)
            let user = try await server.account(person.idToken)
            #expect(user["mfaInfo"] == .null)
            #expect(user["emailVerified"] == false)
        }
    }

    // MARK: Which ways in

    @Test func `createAuthUri tells only without email privacy`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            func ask(_ body: JSON) async throws -> Reply { try await server.post("/v1/accounts:createAuthUri", body) }
            let whole: JSON = ["identifier": .string(person.email), "continueUri": "http://localhost/x"]
            for email in [person.email, "nobody@example.com"] {
                let hidden = try await ask(whole.with(["identifier": .string(email)]))
                expectGolden(hidden.json, ["kind": "identitytoolkit#CreateAuthUriResponse", "sessionId": "<token>"])
            }
            expectRefused(try await ask(whole.with(["identifier": .some(nil)])), "MISSING_IDENTIFIER", .errors)
            expectRefused(try await ask(whole.with(["identifier": "nonsense"])), "INVALID_IDENTIFIER", .errors)
            expectRefused(try await ask(whole.with(["continueUri": .some(nil)])), "MISSING_CONTINUE_URI", .errors)
            expectRefused(try await ask(whole.with(["continueUri": ""])), "MISSING_CONTINUE_URI", .errors)
            for uri in ["nonsense", "/path", "//host", "%%%"] {
                expectRefused(try await ask(whole.with(["continueUri": .string(uri)])), "INVALID_CONTINUE_URI", .errors)
            }
            #expect(try await ask(whole.with(["sessionId": "my-session-1"])).json["sessionId"] == "my-session-1")
            #expect(try await ask(whole.with(["sessionId": ""])).json["sessionId"].text?.isEmpty == false)
            try await server.setEmailPrivacy(false)
            let unknown = try await ask(whole.with(["identifier": "nobody@example.com"]))
            expectGolden(
                unknown.json,
                ["kind": "identitytoolkit#CreateAuthUriResponse", "registered": false, "sessionId": "<token>"])
        }
    }
}
