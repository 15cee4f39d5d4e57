import CountersignCore
import DialectTestSupport
import Foundation
import Testing

@Suite("Administration: one account")
struct AdminAccountTests {
    @Test
    func `An account is made with everything that it can have, and signs no user in`() async throws {
        try await TestServer.with { server in
            let reply = try await server.administer(
                "",
                [
                    "localId": "ada", "email": "Ada@Example.com", "password": .string(TestServer.password),
                    "displayName": "Ada", "photoUrl": "https://example.com/a.png", "phoneNumber": "+1 (555) 555-0100",
                    "emailVerified": true, "disabled": true,
                ])
            expectGolden(
                reply.json,
                [
                    "kind": "identitytoolkit#SignupNewUserResponse", "localId": "ada", "email": "ada@example.com",
                    "displayName": "Ada",
                ])
            let account = try await server.record(of: "ada")
            #expect(account["phoneNumber"] == "+15555550100")
            #expect(account["emailVerified"] == true)
            #expect(account["disabled"] == true)
            #expect(account["passwordHash"] == "UkVEQUNURUQ=")
            #expect(account["providerUserInfo"].elements.map { $0["providerId"].text } == ["password", "phone"])
            #expect(account["lastLoginAt"] == .null)
            #expect(try await server.create([:]).count == 28)
        }
    }

    @Test(
        arguments: ["/v1/accounts:signUp", "/identitytoolkit/v3/relyingparty/signupNewUser"])
    func `The client's methods make the same account for an administrator, and sign no user in`(path: String)
        async throws
    {
        try await TestServer.with { server in
            try await server.changeSettings { $0.signUp.isOpen = false }
            func signUp(_ body: JSON) async throws -> Reply {
                try await server.post(path, body, headers: server.administrator)
            }
            let reply = try await signUp([
                "localId": "ada", "email": "ada@example.com", "password": .string(TestServer.password),
                "phoneNumber": "+1 555 555 0100", "emailVerified": true, "disabled": true, "returnSecureToken": true,
            ])
            expectGolden(
                reply.json,
                [
                    "kind": "identitytoolkit#SignupNewUserResponse", "localId": "ada", "email": "ada@example.com",
                ])
            let account = try await server.record(of: "ada")
            #expect(account["phoneNumber"] == "+15555550100" && account["emailVerified"] == true)
            #expect(account["disabled"] == true && account["lastLoginAt"] == .null)
            let bare = try await signUp([:])
            expectGolden(
                bare.json, ["kind": "identitytoolkit#SignupNewUserResponse", "localId": "<uid>"])
            expectRefused(try await signUp(["localId": "ada"]), "DUPLICATE_LOCAL_ID", .errors)
            expectRefused(try await signUp(["targetProjectId": "another"]), "PROJECT_NOT_FOUND", .errors)
        }
    }

    @Test
    func `Claims that were taken away read back as none, and those of an unknown user not at all`() async throws {
        try await TestServer.with { server in
            try await server.create(["localId": "a"])
            #expect(try await server.record(of: "a")["customAttributes"] == .null)
            for (text, readBack) in [("{}", "{}"), (#"{"a":1}"#, #"{"a":1}"#), ("{}", "{}")] {
                _ = try await server.administer(":update", ["localId": "a", "customAttributes": .string(text)])
                #expect(try await server.record(of: "a")["customAttributes"] == .string(readBack))
            }
            _ = try await server.administer(
                ":batchCreate", ["users": [["localId": "b", "customAttributes": "{}"], ["localId": "c"]]])
            #expect(try await server.record(of: "b")["customAttributes"] == "{}")
            #expect(try await server.record(of: "c")["customAttributes"] == .null)
        }
    }

    @Test(
        arguments: [
            Refused(["localId": "taken"], "DUPLICATE_LOCAL_ID"),
            Refused(["email": "TAKEN@example.com"], "EMAIL_EXISTS"),
            Refused(["phoneNumber": "+1 555 555 0100"], "PHONE_NUMBER_EXISTS"),
            Refused(["email": "nobody"], "INVALID_EMAIL"), Refused(["email": ""], "INVALID_EMAIL"),
            Refused(["phoneNumber": "5555550100"], "INVALID_PHONE_NUMBER : Invalid format."),
            Refused(["phoneNumber": "+1555555010x"], "INVALID_PHONE_NUMBER : Invalid format."),
            Refused(["password": "1234567"], "WEAK_PASSWORD : Password should be at least 8 characters"),
            Refused(["localId": ""], "INVALID_LOCAL_ID"), Refused(["localId": "a\u{0}b"], "INVALID_LOCAL_ID"),
            Refused(["localId": .string(String(repeating: "x", count: 129))], "INVALID_LOCAL_ID"),
            Refused(["localId": "."], "INVALID_LOCAL_ID"), Refused(["localId": ".."], "INVALID_LOCAL_ID"),
            Refused(["idToken": "x", "localId": "y"], "UNEXPECTED_PARAMETER : User ID"),
            Refused(
                ["mfaInfo": [["displayName": "x", "totpInfo": ["sharedSecretKey": "GEZDGNBVGY3TQOJQ"]]]],
                "UNSUPPORTED_SECOND_FACTOR : attempting to add a new TOTP enrollment"),
            Refused(
                ["mfaInfo": [["phoneInfo": "+15555550111"]]], "OPERATION_NOT_ALLOWED : SMS based MFA not enabled."),
            Refused(["targetProjectId": "other"], "PROJECT_NOT_FOUND"),
        ])
    func `What cannot be made is refused in the protocol's words`(row: Refused) async throws {
        try await TestServer.with { server in
            try await server.create(
                ["localId": "taken", "email": "taken@example.com", "phoneNumber": "+15555550100"])
            expectRefused(try await server.administer("", row.body), row.message, .errors)
        }
    }

    @Test
    func `Accounts are found by any identifier, each once; where no user matches, there are no users`() async throws {
        try await TestServer.with { server in
            try await server.create(["localId": "a", "email": "a@example.com"])
            try await server.create(["localId": "b", "phoneNumber": "+15555550100"])
            let reply = try await server.administer(
                ":lookup",
                [
                    "localId": ["b", "nobody"], "email": ["A@example.com", "not an address"],
                    "phoneNumber": ["+1 555 555 0100", "no number"],
                    "federatedUserId": [["providerId": "phone", "rawId": "+15555550100"], ["providerId": "x"]],
                ])
            #expect(reply.json["users"].elements.map { $0["localId"].text } == ["b", "a"])
            expectGolden(
                try await server.administer(":lookup", ["localId": ["nobody"]]).json,
                ["kind": "identitytoolkit#GetAccountInfoResponse"])
            let tooMany = JSON.array((0...1000).map { .string("\($0)") })
            expectRefused(
                try await server.administer(":lookup", ["localId": tooMany]), "Request contains an invalid argument.",
                .errors)
        }
    }

    @Test
    func `An account is changed in every way, and what is not named stays`() async throws {
        try await TestServer.with { server in
            try await server.create(
                ["localId": "a", "email": "a@example.com", "displayName": "A", "phoneNumber": "+15555550100"])
            let reply = try await server.administer(
                ":update",
                [
                    "localId": "a", "email": "b@example.com", "emailVerified": true,
                    "photoUrl": "https://example.com/b",
                    "phoneNumber": "+15555550101", "disableUser": true, "password": .string(TestServer.password),
                    "customAttributes": #"{"role":"admin","n":[1,2.5,null]}"#, "createdAt": "1600000000000",
                    "lastLoginAt": 1_600_000_001_000,
                ])
            #expect(reply.json["localId"] == "a")
            let account = try await server.record(of: "a")
            #expect(account["email"] == "b@example.com" && account["emailVerified"] == true)
            #expect(account["displayName"] == "A" && account["photoUrl"] == "https://example.com/b")
            #expect(account["phoneNumber"] == "+15555550101" && account["disabled"] == true)
            #expect(account["customAttributes"] == #"{"n":[1,2.5,null],"role":"admin"}"#)
            #expect(account["createdAt"] == "1600000000000" && account["lastLoginAt"] == "1600000001000")

            _ = try await server.administer(
                ":update",
                [
                    "localId": "a", "deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL", "EMAIL"],
                    "deleteProvider": ["phone", "password", "google.com"], "customAttributes": "{}",
                ])
            let bare = try await server.record(of: "a")
            for name in ["displayName", "photoUrl", "email", "phoneNumber", "passwordHash"] {
                #expect(bare[name] == .null, "\(name)")
            }
            #expect(bare["customAttributes"] == "{}")
        }
    }

    @Test(
        arguments: [
            Refused([:], "MISSING_LOCAL_ID"), Refused(["localId": "nobody"], "USER_NOT_FOUND"),
            Refused(["email": "taken@example.com"], "EMAIL_EXISTS"), Refused(["email": "x"], "INVALID_EMAIL"),
            Refused(["phoneNumber": "+15555550100"], "PHONE_NUMBER_EXISTS"),
            Refused(["phoneNumber": "+0"], "INVALID_PHONE_NUMBER : Invalid format."),
            Refused(["password": "short"], "WEAK_PASSWORD : Password should be at least 8 characters"),
            Refused(["password": ""], "MISSING_PASSWORD"),
            Refused(["customAttributes": "[1]"], "INVALID_CLAIMS"),
            Refused(["customAttributes": "{"], "INVALID_CLAIMS"),
            Refused(["customAttributes": #"{"a":1,"a":2}"#], "INVALID_CLAIMS"),
            Refused(["customAttributes": #"{"sub":"x"}"#], "FORBIDDEN_CLAIM : sub"),
            Refused(["customAttributes": #"{"x":1,"firebase":{}}"#], "FORBIDDEN_CLAIM : firebase"),
            Refused(["customAttributes": #"{"countersign_epoch":9}"#], "FORBIDDEN_CLAIM : countersign_epoch"),
            Refused(
                ["customAttributes": .string(#"{"a":"\#(String(repeating: "x", count: 993))"}"#)], "CLAIMS_TOO_LARGE"),
            Refused(["validSince": "-1"], #"Invalid value at 'valid_since' (TYPE_INT64), "-1""#),
            Refused(
                ["validSince": "9223372036854775807"],
                #"Invalid value at 'valid_since' (TYPE_INT64), "9223372036854775807""#),
            Refused(
                ["createdAt": "253402300800000"], #"Invalid value at 'created_at' (TYPE_INT64), "253402300800000""#),
            Refused(
                ["deleteAttribute": ["NOTHING"]],
                #"Invalid value at 'delete_attribute' (type.googleapis.com/google.cloud.identitytoolkit.v1.UserAttributeName), "NOTHING""#
            ),
            Refused(
                ["deleteAttribute": [1, 7]],
                "Invalid value at 'delete_attribute' (type.googleapis.com/google.cloud.identitytoolkit.v1.UserAttributeName), 7"
            ),
            Refused(
                ["linkProviderUserInfo": ["providerId": "google.com"]],
                "OPERATION_NOT_ALLOWED : The identity provider configuration is not found."),
            Refused(
                ["mfa": ["enrollments": [["totpInfo": [:]]]]],
                "UNSUPPORTED_SECOND_FACTOR : attempting to add a new TOTP enrollment"),
            Refused(
                ["mfa": ["enrollments": [["phoneInfo": "+15555550111"]]]],
                "OPERATION_NOT_ALLOWED : SMS based MFA not enabled."),
            Refused(["mfa": ["enrollments": [["mfaEnrollmentId": "unknown"]]]], "INVALID_MFA_ENROLLMENT_ID"),
        ])
    func `What cannot be changed is refused, and nothing of it is done`(row: Refused) async throws {
        try await TestServer.with { server in
            try await server.create(["localId": "other", "email": "taken@example.com", "phoneNumber": "+15555550100"])
            try await server.create(["localId": "a", "email": "a@example.com"])
            let before = try await server.record(of: "a")
            var body = row.body
            if row.message != "MISSING_LOCAL_ID" {
                body = body.with(["displayName": "changed"])
                if body["localId"] == .null { body = body.with(["localId": "a"]) }
            }
            let reply = try await server.administer(":update", body)
            #expect(reply.status == 400)
            #expect(reply.message == row.message)
            #expect(try await server.record(of: "a") == before)
        }
    }

    @Test
    func `Claims of a thousand characters fit, and are in the ID token where none of ours stands`() async throws {
        try await TestServer.with { server in
            var person = try await server.signUp()
            let long = String(repeating: "ü", count: 964)
            let text = #"{"long":"\#(long)","name":"Eve","email":"x"}"#
            #expect(text.unicodeScalars.count == 1000)
            let reply = try await server.administer(
                ":update",
                ["localId": .string(person.localID), "displayName": "Ada", "customAttributes": .string(text)])
            #expect(reply.status == 200, "\(reply.text)")
            try await server.signInAgain(&person)
            let claims = try claims(person.idToken)
            #expect(claims["long"].text == long)
            #expect(claims["name"] == "Ada" && claims["email"].text == person.email)
        }
    }

    @Test
    func `A disabled user is let in nowhere, tokens are told so, and none of before counts afterwards`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            _ = try await server.administer(":update", ["localId": .string(person.localID), "disableUser": true])
            #expect(try await server.signIn(person).message == "USER_DISABLED")
            #expect(
                try await server.post("/v1/accounts:lookup", ["idToken": .string(person.idToken)]).message
                    == "USER_DISABLED")
            #expect(try await server.refresh(person.refreshToken).message == "USER_DISABLED")
            try await server.advance(5)
            _ = try await server.administer(":update", ["localId": .string(person.localID), "disableUser": false])
            #expect(try await server.refresh(person.refreshToken).message == "TOKEN_EXPIRED")
            #expect(
                try await server.post("/v1/accounts:lookup", ["idToken": .string(person.idToken)]).message
                    == "TOKEN_EXPIRED")
            let again = try await server.signIn(person)
            #expect(again.status == 200)
            #expect(try await server.refresh(again.json["refreshToken"].text ?? "").status == 200)
            // Verifiers elsewhere learn it from the instant that they compare with.
            let record = try await server.record(of: person.localID)
            #expect(record["validSince"] == .string("\(server.now.seconds)"))
        }
    }

    @Test
    func `An account is deleted, once`() async throws {
        try await TestServer.with { server in
            try await server.create(["localId": "a"])
            expectGolden(
                try await server.administer(":delete", ["localId": "a"]).json,
                ["kind": "identitytoolkit#DeleteAccountResponse"])
            expectRefused(try await server.administer(":delete", ["localId": "a"]), "USER_NOT_FOUND", .errors)
            expectRefused(try await server.administer(":delete"), "MISSING_LOCAL_ID", .errors)
        }
    }
}
