import CountersignCore
import DialectTestSupport
import Foundation
import OneTimePassword
import Testing

@Suite("Administration: importing accounts")
struct AdminImportTests {
    private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    @Test
    func `All good rows are written, in more than one batch, and the others are told by their place`() async throws {
        try await TestServer.with { server in
            try await server.create(["localId": "there", "email": "taken@example.com", "phoneNumber": "+15555550100"])
            var users = (0..<250).map { JSON.object(["localId": "u\($0)", "email": "u\($0)@example.com"]) }
            users[3] = ["email": "x@example.com"]
            users[120] = ["localId": "there"]
            users[121] = ["localId": "a", "email": "taken@example.com"]
            users[122] = ["localId": "b", "phoneNumber": "+15555550100"]
            users[123] = ["localId": "c", "email": "u0@example.com"]
            users[240] = ["localId": "d", "email": "no address"]
            let reply = try await server.administer(":batchCreate", ["users": .array(users)])
            expectGolden(
                reply.json,
                [
                    "kind": "identitytoolkit#UploadAccountResponse",
                    "error": [
                        ["index": 3, "message": "localId is missing"],
                        ["index": 120, "message": "localId belongs to an existing account - can not overwrite."],
                        ["index": 121, "message": "email exists in other account in database"],
                        ["index": 122, "message": "phone number exists in other account in database"],
                        ["index": 123, "message": "email exists in other account in database"],
                        ["index": 240, "message": "email is invalid"],
                    ],
                ])
            #expect(try await server.realm.accounts.count() == 1 + 250 - 6)
            #expect(try await server.record(of: "u249")["email"] == "u249@example.com")
        }
    }

    @Test
    func `A row keeps what it brings`() async throws {
        try await TestServer.with { server in
            let reply = try await server.administer(
                ":batchCreate",
                [
                    "users": [
                        [
                            "localId": "a", "email": "A@example.com", "emailVerified": true, "displayName": "A",
                            "photoUrl": "https://example.com/a", "phoneNumber": "+1 555 555 0100", "disabled": true,
                            "customAttributes": #"{"role":"x"}"#, "createdAt": "1600000000000",
                            "lastLoginAt": "1600000001000", "rawPassword": "x",
                            "providerUserInfo": [["providerId": "password", "rawId": "A@example.com"]],
                        ]
                    ]
                ])
            expectGolden(reply.json, ["kind": "identitytoolkit#UploadAccountResponse"])
            let account = try await server.record(of: "a")
            #expect(account["email"] == "a@example.com" && account["emailVerified"] == true)
            #expect(account["displayName"] == "A" && account["photoUrl"] == "https://example.com/a")
            #expect(account["phoneNumber"] == "+15555550100" && account["disabled"] == true)
            #expect(account["customAttributes"] == #"{"role":"x"}"#)
            #expect(account["createdAt"] == "1600000000000" && account["lastLoginAt"] == "1600000001000")
            #expect(account["validSince"] == .string("\(server.now.seconds)"))
            _ = try await server.administer(":update", ["localId": "a", "disableUser": false])
            let signIn = try await server.post(
                "/v1/accounts:signInWithPassword", ["email": "a@example.com", "password": "x"])
            #expect(signIn.status == 200, "an imported password is as good as it was: \(signIn.text)")
        }
    }

    @Test(
        arguments: [
            Refused(["localId": ""], "localId is missing"), Refused(["localId": "a\u{1}"], "localId is invalid"),
            Refused(["phoneNumber": "123"], "phone number format is invalid"),
            Refused(["customAttributes": "x"], "Invalid custom claims provided."),
            Refused(["customAttributes": #"{"iss":1}"#], "Custom claims provided include a reserved claim."),
            Refused(
                ["customAttributes": .string(#"{"a":"\#(String(repeating: "x", count: 1000))"}"#)],
                "Custom claims provided are too large."),
            Refused(["createdAt": "-1"], "createdAt is invalid"),
            Refused(["lastLoginAt": "9223372036854775807"], "lastLoginAt is invalid"),
            Refused(["tenantId": "t"], "Tenant id in userInfo does not match the tenant id in request."),
            Refused(
                ["providerUserInfo": [["providerId": "google.com", "rawId": "1"]]],
                "The identity provider google.com is not configured."),
            Refused(
                ["providerUserInfo": [["providerId": "google.com"]]], "federatedId or (providerId & rawId) is required"),
            Refused(["rawPassword": .string(String(repeating: "x", count: 1025))], "rawPassword is too long"),
            Refused(
                ["mfaInfo": [["totpInfo": ["sharedSecretKey": .string(secret)]]]],
                "Second factor account requires email to be presented."),
            Refused(
                ["email": "a@example.com", "mfaInfo": [["totpInfo": ["sharedSecretKey": .string(secret)]]]],
                "Second factor account requires email to be verified."),
            Refused(factor([:]), "Importing TOTP MFA is not supported."),
            Refused(factor(["sharedSecretKey": ""]), "Importing TOTP MFA is not supported."),
            Refused(factor(["sharedSecretKey": "1"]), "totpInfo is invalid."),
            Refused(factor(["sharedSecretKey": .string(secret), "digits": 5]), "totpInfo is invalid."),
            Refused(factor(["sharedSecretKey": .string(secret), "digits": 11]), "totpInfo is invalid."),
            Refused(factor(["sharedSecretKey": .string(secret), "period": 0]), "totpInfo is invalid."),
            Refused(factor(["sharedSecretKey": .string(secret), "algorithm": "MD5"]), "totpInfo is invalid."),
            Refused(
                [
                    "email": "a@example.com", "emailVerified": true,
                    "mfaInfo": [["phoneInfo": "+15555550111"]],
                ], "Second factor not supported."),
            Refused(
                [
                    "email": "a@example.com", "emailVerified": true,
                    "mfaInfo": [
                        ["totpInfo": ["sharedSecretKey": .string(secret)]],
                        ["totpInfo": ["sharedSecretKey": .string(secret)]],
                    ],
                ], "Too many TOTP based second factors for this account."),
            Refused(
                [
                    "email": "a@example.com", "emailVerified": true,
                    "mfaInfo": [["enrolledAt": "yesterday", "totpInfo": ["sharedSecretKey": .string(secret)]]],
                ], "enrolledAt is invalid"),
            Refused(
                ["displayName": .string(String(repeating: "x", count: 257))],
                "INVALID_PROFILE_ATTRIBUTE : Display name too long."),
        ])
    func `What is wrong with a row is said of the row`(row: Refused) async throws {
        try await TestServer.with { server in
            let bad = row.body["localId"] == .null ? row.body.with(["localId": "bad"]) : row.body
            let reply = try await server.administer(":batchCreate", ["users": [bad, ["localId": "good"]]])
            #expect(reply.status == 200)
            #expect(reply.json["error"] == [["index": 0, "message": .string(row.message)]], "\(reply.text)")
            #expect(try await server.realm.accounts.count() == 1)
        }
    }

    private static func factor(_ info: JSON) -> JSON {
        ["email": "a@example.com", "emailVerified": true, "mfaInfo": [["totpInfo": info]]]
    }

    @Test(
        arguments: [
            Refused([:], "MISSING_USER_ACCOUNT"), Refused(["users": []], "MISSING_USER_ACCOUNT"),
            Refused(["users": .array((0...1000).map { ["localId": "\($0)"] })], "MAXIMUM_USER_COUNT_EXCEEDED"),
            Refused(["users": [["localId": "a"], ["localId": "a"]]], "DUPLICATE_LOCAL_ID : a"),
            Refused(
                [
                    "sanityCheck": true,
                    "users": [["localId": "a", "email": "x@y"], ["localId": "b", "email": "x@y"]],
                ],
                "DUPLICATE_EMAIL : x@y"),
            Refused(["users": [["localId": "a", "passwordHash": "YQ=="]]], "MISSING_HASH_ALGORITHM"),
            Refused(
                ["hashAlgorithm": "ROT13", "users": [["localId": "a", "passwordHash": "YQ=="]]],
                "INVALID_HASH_ALGORITHM"),
            Refused(
                ["hashAlgorithm": "BCRYPT", "signerKey": "%", "users": [["localId": "a", "passwordHash": "YQ=="]]],
                #"Invalid value at 'signer_key' (TYPE_BYTES), "%""#),
            Refused(["targetProjectId": "other", "users": [["localId": "a"]]], "PROJECT_NOT_FOUND"),
        ])
    func `A wrong request imports no user`(row: Refused) async throws {
        try await TestServer.with { server in
            let reply = try await server.administer(":batchCreate", row.body)
            #expect(reply.status == 400)
            #expect(reply.message == row.message)
            #expect(try await server.realm.accounts.count() == 0)
        }
    }

    @Test(
        arguments: [6, 8], ["SHA1", "SHA256"])
    func `An account with its authenticator signs in with the codes that it has`(digits: Int, algorithm: String)
        async throws
    {
        try await TestServer.with { server in
            let reply = try await server.administer(
                ":batchCreate",
                [
                    "users": [
                        [
                            "localId": "a", "email": "a@example.com", "emailVerified": true,
                            "rawPassword": .string(TestServer.password),
                            "mfaInfo": [
                                [
                                    "mfaEnrollmentId": "from-elsewhere", "displayName": "Phone",
                                    "enrolledAt": "2025-01-02T03:04:05Z",
                                    "totpInfo": [
                                        "sharedSecretKey": .string(Self.secret), "algorithm": .string(algorithm),
                                        "digits": .integer(digits), "period": 60,
                                    ],
                                ]
                            ],
                        ]
                    ]
                ])
            #expect(reply.json["error"] == .null, "\(reply.text)")
            expectGolden(
                try await server.record(of: "a")["mfaInfo"],
                [
                    [
                        "mfaEnrollmentId": "from-elsewhere", "displayName": "Phone",
                        "enrolledAt": "2025-01-02T03:04:05.000000Z", "totpInfo": [:],
                    ]
                ])
            let totp = try TOTP(
                secret: Base32.decode(Self.secret), algorithm: try #require(OTPAlgorithm(name: algorithm)),
                digits: digits, period: 60)
            let person = Person(
                email: "a@example.com", password: TestServer.password, localID: "a", idToken: "", refreshToken: "")
            let credential = try await server.pendingCredential(person)
            let code = totp.code(at: server.now).stringCode
            #expect(try await server.finishSignIn(credential, "from-elsewhere", code: code).status == 200)
            let again = try await server.pendingCredential(person)
            #expect(try await server.finishSignIn(again, "from-elsewhere", code: code).message == "INVALID_CODE")
        }
    }

    @Test
    func `An enrolment's id is one user's`() async throws {
        try await TestServer.with { server in
            let (person, app) = try await server.enrolledPerson()
            let reply = try await server.administer(
                ":batchCreate",
                [
                    "users": [
                        [
                            "localId": "a", "email": "a@example.com", "emailVerified": true,
                            "mfaInfo": [
                                [
                                    "mfaEnrollmentId": .string(app.enrollmentID),
                                    "totpInfo": ["sharedSecretKey": .string(Self.secret)],
                                ]
                            ],
                        ]
                    ]
                ])
            #expect(reply.json["error"][0]["message"] == "Enrollment id already exists.")
            #expect(try await server.record(of: "a") == .null)
            #expect(try await server.record(of: person.localID)["mfaInfo"].elements.count == 1)
        }
    }

    @Test
    func `An account is replaced only where that is asked for; then its old password and tokens are worth nothing`()
        async throws
    {
        try await TestServer.with { server in
            let (person, _) = try await server.enrolledPerson()
            let row: JSON = [
                "localId": .string(person.localID), "email": .string(person.email), "rawPassword": "brought along",
            ]
            let refused = try await server.administer(":batchCreate", ["users": [row]])
            #expect(refused.json["error"].elements.count == 1)
            #expect(try await server.lookup(person.idToken).status == 200)
            let replaced = try await server.administer(":batchCreate", ["users": [row], "allowOverwrite": true])
            #expect(replaced.json["error"] == .null, "\(replaced.text)")
            #expect(try await server.lookup(person.idToken).message == "TOKEN_EXPIRED")
            #expect(try await server.refresh(person.refreshToken).message == "TOKEN_EXPIRED")
            #expect(try await server.signIn(person).status == 400)
            let signedIn = try await server.signIn(person, password: "brought along")
            #expect(signedIn.json["idToken"] != .null && signedIn.json["mfaInfo"] == .null)
        }
    }

    @Test
    func `A body of more than 64 KiB is taken here, one of more than 8 MiB is not`() async throws {
        try await TestServer.with { server in
            let large = String(repeating: "x", count: 100_000)
            let taken = try await server.administer(
                ":batchCreate", ["users": [["localId": "a", "ignored": .string(large)]]])
            #expect(taken.status == 200)
            let huge = String(repeating: "x", count: 8 * 1024 * 1024)
            let refused = try await server.administer(
                ":batchCreate", ["users": [["localId": "a", "ignored": .string(huge)]]])
            #expect(refused.status == 413)
            #expect(try await server.administer("", ["displayName": .string(large)]).status == 413)
        }
    }

    @Test
    func `The legacy name imports too`() async throws {
        try await TestServer.with { server in
            let path = "/identitytoolkit/v3/relyingparty/uploadAccount"
            let body: JSON = ["targetProjectId": "countersign", "users": [["localId": "a"]]]
            let reply = try await server.post(path, body, headers: server.administrator)
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try await server.record(of: "a")["localId"] == "a")
        }
    }
}
