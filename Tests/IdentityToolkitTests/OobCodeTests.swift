import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Mailed links (REST reference of Identity Platform, v1 `accounts.sendOobCode`).
@Suite struct OobCodeTests {
    private static let send = "/v1/accounts:sendOobCode"

    @Test(
        arguments: [
            ([:], "MISSING_REQ_TYPE"), (["requestType": ""], "MISSING_REQ_TYPE"),
            (["requestType": "OOB_REQ_TYPE_UNSPECIFIED"], "MISSING_REQ_TYPE"),
            (["requestType": "PASSWORD_RESET"], "MISSING_EMAIL"),
            (["requestType": "PASSWORD_RESET", "email": "nonsense"], "INVALID_EMAIL"),
            (["requestType": "EMAIL_SIGNIN"], "MISSING_EMAIL"),
            (["requestType": "EMAIL_SIGNIN", "email": "a b@example.com"], "INVALID_EMAIL"),
            (["requestType": "VERIFY_EMAIL"], "INVALID_ID_TOKEN"),
            (["requestType": "VERIFY_EMAIL", "email": "ada@example.com"], "INVALID_ID_TOKEN"),
            (["requestType": "VERIFY_EMAIL", "idToken": "garbage"], "INVALID_ID_TOKEN"),
            (["requestType": "RECOVER_EMAIL"], "INVALID_REQ_TYPE : RECOVER_EMAIL is not sent on request."),
            (["requestType": 2], "INVALID_REQ_TYPE : OLD_EMAIL_AGREE is not sent on request."),
            (["requestType": 0], "MISSING_REQ_TYPE"), (["requestType": 1], "MISSING_EMAIL"),
            (["requestType": 4], "INVALID_ID_TOKEN"), (["requestType": 6], "MISSING_EMAIL"),
            (["requestType": 7], "MISSING_NEW_EMAIL"),
            (
                ["requestType": 1, "email": "ada@example.com", "targetProjectId": "another"], "PROJECT_NOT_FOUND"
            ),
            (["requestType": "VERIFY_AND_CHANGE_EMAIL"], "MISSING_NEW_EMAIL"),
            (["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "nonsense"], "INVALID_NEW_EMAIL"),
            (["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "new@example.com"], "MISSING_ID_TOKEN"),
        ] as [(JSON, String)])
    func `What is missing is told`(body: JSON, message: String) async throws {
        try await TestServer.with { server in
            expectRefused(try await server.post(Self.send, body), message, .errors)
            expectRefused(
                try await server.post("/identitytoolkit/v3/relyingparty/getOobConfirmationCode", body), message, .errors
            )
        }
    }

    @Test func `An unknown type is refused by name`() async throws {
        try await TestServer.with { server in
            let reply = try await server.post(Self.send, ["requestType": "NEW_PIN", "email": "a@example.com"])
            #expect(
                reply.message
                    == "Invalid value at 'req_type' (type.googleapis.com/google.cloud.identitytoolkit.v1.OobReqType), \"NEW_PIN\""
            )
        }
    }

    /// Links are made below the public address.
    @Test func `Another domain for the link is refused`() async throws {
        try await TestServer.with(publicURLs: ["https://login.example.com"]) { server in
            let person = try await server.signUp()
            let body: JSON = ["requestType": "PASSWORD_RESET", "email": .string(person.email)]
            for domain in ["login.example.com", "LOGIN.example.com", ""] {
                let reply = try await server.post(Self.send, body.with(["linkDomain": .string(domain)]))
                #expect(reply.status == 200, "\(reply.text)")
            }
            for domain in ["evil.example.com", "example.com", "https://login.example.com", "login.example.com:1", "%"] {
                expectRefused(
                    try await server.post(Self.send, body.with(["linkDomain": .string(domain)])),
                    "INVALID_HOSTING_LINK_DOMAIN : Links are made below the server's public address alone.", .errors)
            }
            expectRefused(
                try await server.post(Self.send, body.with(["dynamicLinkDomain": "example.page.link"])),
                "INVALID_DYNAMIC_LINK_DOMAIN : There are no dynamic links here.", .errors)
            #expect(try await server.realm.outbox.messages().count == 3)
        }
    }

    @Test func `Only an administrator is given the link`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let body: JSON = ["requestType": "PASSWORD_RESET", "email": .string(person.email), "returnOobLink": true]
            let refused = try await server.post(Self.send, body)
            #expect(refused.status == 403)
            #expect(refused.json["error"]["status"] == "PERMISSION_DENIED")
            let given = try await server.post(Self.send, body, headers: server.administrator)
            let code = try #require(given.json["oobCode"].text)
            #expect(
                given.json["oobLink"]
                    == "http://127.0.0.1:8080/auth/action?mode=resetPassword&oobCode=\(code)", "\(given.text)")
            #expect(try await server.realm.outbox.messages().isEmpty)
        }
    }

    @Test func `With email privacy a reset for an unknown user has the same answer`() async throws {
        try await TestServer.with { server in
            let reply = try await server.post(
                Self.send, ["requestType": "PASSWORD_RESET", "email": "nobody@example.com"])
            expectGolden(
                reply.json, ["kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": "nobody@example.com"])
            #expect(try await server.realm.outbox.messages().isEmpty)
            try await server.setEmailPrivacy(false)
            expectRefused(
                try await server.post(Self.send, ["requestType": "PASSWORD_RESET", "email": "nobody@example.com"]),
                "EMAIL_NOT_FOUND", .errors)
        }
    }

    @Test func `The mail has a link to the page`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            try await server.authorize("app.example.com")
            var headers = HTTPFields()
            headers[HTTPField.Name("X-Firebase-Locale")!] = "de"
            _ = try await server.post(
                Self.send,
                [
                    "requestType": "VERIFY_EMAIL", "idToken": .string(person.idToken),
                    "continueUrl": "https://app.example.com/?a=1&b=2",
                ], headers: headers)
            let mail = try #require(try await server.realm.outbox.messages().last)
            let link = try #require(mail.content.values["link"])
            #expect(link.hasPrefix("auth/action?mode=verifyEmail&oobCode="))
            #expect(link.hasSuffix("&continueUrl=https%3A%2F%2Fapp.example.com%2F%3Fa%3D1%26b%3D2&lang=de"))
            #expect(mail.message.recipient == person.email)
        }
    }

    /// The link is this protocol's, and so are its rules, wherever it is completed.
    @Test func `The page of a link takes a password of before`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            _ = try await server.post(Self.send, ["requestType": "PASSWORD_RESET", "email": .string(person.email)])
            let code = try #require(try await server.mailedCode(to: person.email))
            let form = [
                "mode=resetPassword", "oobCode=\(code)",
                "newPassword=\(person.password.replacingOccurrences(of: " ", with: "+"))",
            ]
            let reply = try await server.send(
                .post, "/auth/action", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array(form.joined(separator: "&").utf8))
            #expect(reply.status == 303, "\(reply.text)")
            let done = try await server.send(.get, try #require(reply.headers[.location]), headers: reply.cookies)
            #expect(done.status == 200 && done.text.contains("Password set"), "\(done.text)")
            #expect(try await server.signIn(person).status == 200)
        }
    }

    @Test func `A mailbox gets twenty mails an hour`() async throws {
        try await TestServer.with { server in
            // Whether there is an account or not.
            let person = try await server.signUp()
            for email in [person.email, "nobody@example.com"] {
                let body: JSON = ["requestType": "PASSWORD_RESET", "email": .string(email)]
                for _ in 0..<20 { #expect(try await server.post(Self.send, body).status == 200) }
                let refused = try await server.post(Self.send, body)
                #expect(refused.status == 400)
                #expect(refused.message?.hasPrefix("TOO_MANY_ATTEMPTS_TRY_LATER") == true, "\(refused.text)")
            }
            try await server.advance(3600)
            #expect(
                try await server.post(Self.send, ["requestType": "PASSWORD_RESET", "email": .string(person.email)])
                    .status == 200)
        }
    }

    // MARK: Verifying an address

    @Test func `An address is verified once`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            _ = try await server.post(
                Self.send, ["requestType": "VERIFY_EMAIL", "idToken": .string(person.idToken)])
            let code = try #require(try await server.mailedCode(to: person.email))
            let reply = try await server.post("/v1/accounts:update", ["oobCode": .string(code)])
            #expect(reply.json["emailVerified"] == true, "\(reply.text)")
            #expect(reply.json["localId"] == .string(person.localID))
            #expect(reply.json["idToken"] == .null)
            #expect(try await server.account(person.idToken)["emailVerified"] == true)
            // Verifying ends no session; the next token says it.
            let refreshed = try await server.refresh(person.refreshToken)
            #expect(try claims(try #require(refreshed.json["id_token"].text))["email_verified"] == true)
            expectRefused(
                try await server.post("/v1/accounts:update", ["oobCode": .string(code)]), "INVALID_OOB_CODE", .errors)
        }
    }

    @Test func `A code for an address that was changed meanwhile is worthless`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let code = try await server.link(["requestType": "VERIFY_EMAIL", "email": .string(person.email)])
            try await server.changeAccount(person) { $0.email = .some(EmailAddress("other@example.com")) }
            expectRefused(
                try await server.post("/v1/accounts:update", ["oobCode": .string(code)]), "INVALID_OOB_CODE", .errors)
        }
    }

    // MARK: Resetting a password

    @Test func `A password is reset once`() async throws {
        try await TestServer.with { server in
            var person = try await server.signUp()
            let reset = "/v1/accounts:resetPassword"
            let code = try await server.link(["requestType": "PASSWORD_RESET", "email": .string(person.email)])
            // Checking uses nothing up.
            for _ in 0..<2 {
                let checked = try await server.post(reset, ["oobCode": .string(code)])
                #expect(checked.json["requestType"] == "PASSWORD_RESET", "\(checked.text)")
            }
            // Neither does a password that is not good enough.
            expectRefused(
                try await server.post(reset, ["oobCode": .string(code), "newPassword": "1234567"]),
                "WEAK_PASSWORD : Password should be at least 8 characters", .errors)
            expectRefused(
                try await server.post(reset, ["oobCode": .string(code), "newPassword": ""]), "MISSING_PASSWORD", .errors
            )
            let old = person
            person.password = "another staple 8 horse"
            try await server.advance(5)
            let done = try await server.post(
                reset, ["oobCode": .string(code), "newPassword": .string(person.password)])
            expectGolden(
                done.json,
                [
                    "kind": "identitytoolkit#ResetPasswordResponse", "requestType": "PASSWORD_RESET",
                    "email": .string(person.email),
                ])
            for body in [["oobCode": .string(code)], ["oobCode": .string(code), "newPassword": "yet another horse"]]
                as [JSON]
            {
                expectRefused(try await server.post(reset, body), "INVALID_OOB_CODE", .errors)
            }
            expectRefused(try await server.lookup(old.idToken), "TOKEN_EXPIRED", .errors)
            expectRefused(try await server.refresh(old.refreshToken), "TOKEN_EXPIRED", .status)
            expectRefused(try await server.signIn(old), "INVALID_LOGIN_CREDENTIALS", .errors)
            try await server.signInAgain(&person)
            let user = try await server.account(person.idToken)
            #expect(user["emailVerified"] == true)
            #expect(user["validSince"] == "\(server.now.seconds)")
        }
    }

    @Test func `Another reset ends the first`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let request: JSON = ["requestType": "PASSWORD_RESET", "email": .string(person.email)]
            let (first, second) = (try await server.link(request), try await server.link(request))
            let done = try await server.post(
                "/v1/accounts:resetPassword", ["oobCode": .string(second), "newPassword": "another staple 8 horse"])
            #expect(done.status == 200)
            let late = try await server.post(
                "/v1/accounts:resetPassword", ["oobCode": .string(first), "newPassword": "yet another 9 horse"])
            expectRefused(late, "EXPIRED_OOB_CODE", .errors)
        }
    }

    // MARK: Life times

    @Test(
        arguments: [
            ("PASSWORD_RESET", 3600.0), ("EMAIL_SIGNIN", 3600), ("VERIFY_EMAIL", 3 * 86_400),
            ("VERIFY_AND_CHANGE_EMAIL", 3600),
        ] as [(String, Double)])
    func `A code expires`(type: String, lifetime: Double) async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let code = try await server.link(
                ["requestType": .string(type), "email": .string(person.email), "newEmail": "new@example.com"])
            try await server.advance(lifetime - 1)
            let checked = try await server.post("/v1/accounts:resetPassword", ["oobCode": .string(code)])
            #expect(checked.json["requestType"] == .string(type), "\(checked.text)")
            try await server.advance(1)
            expectRefused(
                try await server.post("/v1/accounts:resetPassword", ["oobCode": .string(code)]), "EXPIRED_OOB_CODE",
                .errors)
            let used =
                switch type {
                case "PASSWORD_RESET":
                    try await server.post(
                        "/v1/accounts:resetPassword",
                        ["oobCode": .string(code), "newPassword": "another staple 8 horse"])
                case "EMAIL_SIGNIN":
                    try await server.post(
                        "/v1/accounts:signInWithEmailLink", ["email": .string(person.email), "oobCode": .string(code)])
                default: try await server.post("/v1/accounts:update", ["oobCode": .string(code)])
                }
            expectRefused(used, "EXPIRED_OOB_CODE", .errors)
        }
    }

    @Test func `A code is good for its purpose alone`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let types = ["PASSWORD_RESET", "EMAIL_SIGNIN", "VERIFY_EMAIL", "VERIFY_AND_CHANGE_EMAIL"]
            for type in types {
                let code = JSON.string(
                    try await server.link(
                        ["requestType": .string(type), "email": .string(person.email), "newEmail": "new@example.com"]))
                if type != "PASSWORD_RESET" {
                    expectRefused(
                        try await server.post(
                            "/v1/accounts:resetPassword", ["oobCode": code, "newPassword": "another staple 8 horse"]),
                        "INVALID_OOB_CODE", .errors)
                }
                if type != "EMAIL_SIGNIN" {
                    expectRefused(
                        try await server.post(
                            "/v1/accounts:signInWithEmailLink", ["email": .string(person.email), "oobCode": code]),
                        "INVALID_OOB_CODE", .errors)
                }
                if type == "PASSWORD_RESET" || type == "EMAIL_SIGNIN" {
                    expectRefused(
                        try await server.post("/v1/accounts:update", ["oobCode": code]), "INVALID_OOB_CODE", .errors)
                }
            }
            #expect(try await server.signIn(person).status == 200)
            #expect(try await server.account(person.idToken)["emailVerified"] == false)
        }
    }

    @Test(arguments: ["", "x", "%00", "\u{0}", String(repeating: "A", count: 50_000)])
    func `What is no code is refused`(code: String) async throws {
        try await TestServer.with { server in
            let message = code.isEmpty ? "MISSING_OOB_CODE" : "INVALID_OOB_CODE"
            for path in ["accounts:resetPassword", "accounts:update", "accounts:signInWithEmailLink"] {
                let reply = try await server.post(
                    "/v1/\(path)",
                    ["oobCode": .string(code), "email": "ada@example.com"])
                expectRefused(reply, message, .errors)
            }
        }
    }

    @Test func `The code of a sign in link does not tell its address`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            _ = try await server.post(Self.send, ["requestType": "EMAIL_SIGNIN", "email": .string(person.email)])
            let code = try #require(try await server.mailedCode(to: person.email))
            let reply = try await server.post("/v1/accounts:resetPassword", ["oobCode": .string(code)])
            expectGolden(
                reply.json, ["kind": "identitytoolkit#ResetPasswordResponse", "requestType": "EMAIL_SIGNIN"])
        }
    }

    // MARK: Where links lead on to

    @Test(arguments: [
        ("https://evil.example/x", "UNAUTHORIZED_DOMAIN : Domain not allowlisted by project"),
        ("https://app.example.com.evil.example", "UNAUTHORIZED_DOMAIN : Domain not allowlisted by project"),
        (
            "https://app.example.com@evil.example",
            "INVALID_CONTINUE_URI : (expected an absolute URI with valid scheme and host)"
        ),
        ("javascript:alert(1)", "INVALID_CONTINUE_URI : (expected an absolute URI with valid scheme and host)"),
        ("app.example.com", "INVALID_CONTINUE_URI : (expected an absolute URI with valid scheme and host)"),
    ])
    func `A link leads on only to authorized domains`(url: String, message: String) async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            try await server.authorize("app.example.com")
            for type in ["PASSWORD_RESET", "EMAIL_SIGNIN"] {
                let request: JSON = [
                    "requestType": .string(type), "email": .string(person.email), "continueUrl": .string(url),
                ]
                expectRefused(try await server.post(Self.send, request), message, .errors)
            }
            #expect(try await server.realm.outbox.messages().isEmpty)
        }
    }

    @Test func `Authorized domains read back and take host names alone`() async throws {
        try await TestServer.with { server in
            try await server.authorize("*.example.com")
            let read = try await server.changeConfig(mask: "emailPrivacyConfig", [:])
            #expect(read.json["authorizedDomains"] == ["*.example.com"])
            for bad in ["https://example.com", "example.com/x", "", "*"] {
                let reply = try await server.changeConfig(
                    mask: "authorizedDomains", ["authorizedDomains": [.string(bad)]])
                #expect(reply.status == 400 && reply.text.contains("INVALID_CONFIG"), "\(reply.text)")
            }
        }
    }

    /// An attacker with a code can append any target to it and send the link to another user.
    @Test func `The page leads on only to authorized domains`() async throws {
        try await TestServer.with { server in
            try await server.authorize("app.example.com")
            for (target, isOffered) in [("https://app.example.com/x", true), ("https://evil.example/x", false)] {
                let person = try await server.signUp()
                _ = try await server.post(Self.send, ["requestType": "PASSWORD_RESET", "email": .string(person.email)])
                let code = try #require(try await server.mailedCode(to: person.email))
                let escaped = target.replacingOccurrences(of: ":", with: "%3A").replacingOccurrences(
                    of: "/", with: "%2F")
                let shown = try await server.send(
                    .get, "/auth/action?mode=resetPassword&oobCode=\(code)&continueUrl=\(escaped)")
                #expect(shown.status == 200 && shown.text.contains("evil") == false)
                let form =
                    "mode=resetPassword&oobCode=\(code)&newPassword=another+staple+8+horse&continueUrl=\(escaped)"
                let sent = try await server.send(
                    .post, "/auth/action", headers: [.contentType: "application/x-www-form-urlencoded"],
                    body: Array(form.utf8))
                #expect(sent.status == 303, "\(sent.text)")
                let done = try await server.send(.get, try #require(sent.headers[.location]), headers: sent.cookies)
                #expect(done.text.contains("Password set") && done.text.contains("evil") == false)
                #expect(done.text.contains("href=\"\(target)\"") == isOffered, "\(done.text)")
            }
        }
    }

    // MARK: The page's language

    @Test(arguments: [
        ("lang=de", nil, "Neues Passwort wählen", "mindestens 8 Zeichen", "Fehler: "),
        ("lang=ja", nil, "新しいパスワードの設定", "8 文字以上", "エラー: "),
        ("lang=de-AT", "ja", "Neues Passwort wählen", "mindestens 8 Zeichen", "Fehler: "),
        ("", "fr, de;q=0.8, en;q=0.5", "Neues Passwort wählen", "mindestens 8 Zeichen", "Fehler: "),
        ("lang=fr", nil, "Choose a new password", "at least 8 characters", "Error: "),
    ])
    func `The page speaks the language of the mail and ties errors to their field`(
        query: String, accepted: String?, title: String, words: String, error: String
    ) async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            _ = try await server.post(Self.send, ["requestType": "PASSWORD_RESET", "email": .string(person.email)])
            let code = try #require(try await server.mailedCode(to: person.email))
            var headers = HTTPFields()
            headers[.acceptLanguage] = accepted
            let page = try await server.send(
                .get, "/auth/action?mode=resetPassword&oobCode=\(code)&\(query)", headers: headers)
            #expect(page.text.contains("<h1>\(title)</h1>") && page.text.contains(words), "\(page.text)")
            let language = try #require(page.text.firstMatch(of: /<html lang="([a-z]+)" dir="ltr">/)).1
            #expect(page.text.contains("name=\"lang\" value=\"\(language)\""))
            #expect(!page.text.contains("aria-invalid") && !page.text.contains(error))
            headers[.contentType] = "application/x-www-form-urlencoded"
            let refused = try await server.send(
                .post, "/auth/action", headers: headers,
                body: Array("mode=resetPassword&oobCode=\(code)&newPassword=short&lang=\(language)".utf8))
            #expect(
                refused.status == 422 && refused.text.contains("<title>\(error)\(title) – "), "\(refused.text)")
            #expect(refused.text.contains("id=\"problem\" role=\"alert\""))
            #expect(refused.text.contains("aria-invalid=\"true\" aria-describedby=\"new_password-hint problem\""))
        }
    }

    // MARK: Signing in by link

    @Test func `A link signs in once`() async throws {
        try await TestServer.with { server in
            let person = try await server.verifiedPerson()
            try await server.authorize("app.example.com")
            _ = try await server.post(
                Self.send,
                [
                    "requestType": "EMAIL_SIGNIN", "email": .string(person.email),
                    "continueUrl": "https://app.example.com",
                ])
            let code = try #require(try await server.mailedCode(to: person.email))
            func signIn(_ email: String) async throws -> Reply {
                try await server.post(
                    "/v1/accounts:signInWithEmailLink", ["email": .string(email), "oobCode": .string(code)])
            }
            expectRefused(
                try await signIn("eve@example.com"),
                "INVALID_EMAIL : The email provided does not match the sign-in email address.", .errors)
            let reply = try await signIn(person.email.uppercased())
            expectGolden(
                reply.json,
                [
                    "kind": "identitytoolkit#EmailLinkSigninResponse", "localId": .string(person.localID),
                    "email": .string(person.email), "isNewUser": false, "idToken": "<jwt>", "refreshToken": "<token>",
                    "expiresIn": "3600",
                ])
            #expect(
                try claims(try #require(reply.json["idToken"].text))["firebase"]["sign_in_provider"] == "password")
            expectRefused(try await signIn(person.email), "INVALID_OOB_CODE", .errors)
        }
    }

    @Test func `A link makes an account where there is none`() async throws {
        try await TestServer.with { server in
            let code = try await server.link(["requestType": "EMAIL_SIGNIN", "email": "new@example.com"])
            let reply = try await server.post(
                "/v1/accounts:signInWithEmailLink", ["email": "new@example.com", "oobCode": .string(code)])
            #expect(reply.json["isNewUser"] == true, "\(reply.text)")
            let user = try await server.account(try #require(reply.json["idToken"].text))
            #expect(user["emailVerified"] == true)
            #expect(user["emailLinkSignin"] == true)
            #expect(user["passwordHash"] == .null)
            #expect(user["providerUserInfo"][0]["providerId"] == "password")
        }
    }

    /// Another person may have signed up with the address before its owner.
    @Test func `A link to an unverified address takes the strangers password away`() async throws {
        try await TestServer.with { server in
            let stranger = try await server.signUp("ada@example.com")
            let code = try await server.link(["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"])
            let reply = try await server.post(
                "/v1/accounts:signInWithEmailLink", ["email": "ada@example.com", "oobCode": .string(code)])
            #expect(reply.json["localId"] == .string(stranger.localID), "\(reply.text)")
            expectRefused(try await server.lookup(stranger.idToken), "TOKEN_EXPIRED", .errors)
            expectRefused(try await server.refresh(stranger.refreshToken), "TOKEN_EXPIRED", .status)
            expectRefused(try await server.signIn(stranger), "INVALID_LOGIN_CREDENTIALS", .errors)
            #expect(try await server.lookup(try #require(reply.json["idToken"].text)).status == 200)
        }
    }

    // MARK: Changing an address

    @Test func `An address is changed when the new one agrees`() async throws {
        try await TestServer.with { server in
            var person = try await server.verifiedPerson()
            let sent = try await server.post(
                Self.send,
                [
                    "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(person.idToken),
                    "newEmail": "New@example.com",
                ])
            #expect(sent.json["email"].text != nil, "\(sent.text)")
            let code = try #require(try await server.mailedCode(to: "new@example.com"))
            #expect(try await server.account(person.idToken)["email"] == .string(person.email))
            let reply = try await server.post("/v1/accounts:update", ["oobCode": .string(code)])
            #expect(reply.json["email"] == "new@example.com", "\(reply.text)")
            #expect(reply.json["newEmail"] == "new@example.com")
            #expect(reply.json["emailVerified"] == true)
            expectRefused(try await server.lookup(person.idToken), "TOKEN_EXPIRED", .errors)
            expectRefused(
                try await server.post("/v1/accounts:update", ["oobCode": .string(code)]), "INVALID_OOB_CODE", .errors)
            person.email = "new@example.com"
            #expect(try await server.signIn(person).status == 200)
        }
    }

    @Test func `An address that was taken meanwhile is not given twice`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let code = try await server.link(
                [
                    "requestType": "VERIFY_AND_CHANGE_EMAIL", "email": .string(person.email),
                    "newEmail": "wanted@example.com",
                ])
            _ = try await server.signUp("wanted@example.com")
            expectRefused(
                try await server.post("/v1/accounts:update", ["oobCode": .string(code)]), "EMAIL_EXISTS", .errors)
            #expect(try await server.account(person.idToken)["email"] == .string(person.email))
        }
    }
}
