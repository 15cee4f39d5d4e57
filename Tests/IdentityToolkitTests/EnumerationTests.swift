import CountersignCore
import DialectTestSupport
import Testing

@testable import IdentityToolkitServer

/// Enumerations by word and by number: the Android SDK sends numbers (ProtoJSON format, `enum`).
@Suite struct EnumerationTests {
    private static let all: [Enumeration] = [
        .requestType, .userAttribute, .sortKey, .order, .passwordHashOrder, .argon2Type, .argon2Version,
        .secondFactorState, .secondFactorProvider, .providerState, .passwordPolicyState,
    ]

    @Test(arguments: all.indices)
    func `A number means the word at its place`(index: Int) throws {
        let enumeration = Self.all[index]
        for (number, word) in enumeration.words.enumerated() {
            let expected = number == 0 ? nil : word
            #expect(try enumeration.word(word, at: "x") == expected)
            #expect(try enumeration.word("\(number)", at: "x") == expected)
        }
        #expect(try enumeration.word(nil, at: "x") == nil)
        #expect(try enumeration.word("", at: "x") == nil)
        #expect(
            try enumeration.words(enumeration.words, at: { _ in "x" }) == Array(enumeration.words.dropFirst()))
    }

    @Test(
        arguments: [
            ("3", "3"), ("99999999999999999999", "99999999999999999999"), ("-1", "\"-1\""), ("UP", "\"UP\""),
            ("asc", "\"asc\""), ("1.5", "\"1.5\""), ("٣", "\"٣\""),
        ])
    func `What is none is refused as it was sent`(text: String, shown: String) throws {
        let error = try #require(throws: IdentityToolkitError.self) { try Enumeration.order.word(text, at: "x") }
        #expect(
            error.message
                == "Invalid value at 'x' (type.googleapis.com/google.cloud.identitytoolkit.v1.QueryUserInfoRequest.Order), \(shown)"
        )
    }

    /// What Android sends: 1 for a reset, 4 to verify, 6 to sign in, 7 to verify and change.
    @Test(arguments: [(1, "resetPassword"), (4, "verifyEmail"), (6, "signIn"), (7, "verifyAndChangeEmail")])
    func `A link is asked for by number`(number: Int, mode: String) async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            let reply = try await server.post(
                "/v1/accounts:sendOobCode",
                [
                    "requestType": .integer(number), "email": .string(person.email), "newEmail": "new@example.com",
                    "idToken": .string(person.idToken), "clientType": 2, "recaptchaVersion": 1,
                ])
            #expect(reply.status == 200, "\(reply.text)")
            let mail = try await server.realm.outbox.messages().last
            #expect(mail?.content.values["link"]?.contains("mode=\(mode)&") == true)
        }
    }

    @Test func `Other enumerations of the protocol are taken by number`() async throws {
        try await TestServer.with { server in
            let person = try await server.signUp()
            _ = try await server.post(
                "/v1/accounts:update", ["idToken": .string(person.idToken), "displayName": "Ada", "photoUrl": "a:b"])
            let updated = try await server.post(
                "/v1/accounts:update", ["idToken": .string(person.idToken), "deleteAttribute": [2, 4, 0]])
            #expect(updated.json["displayName"] == .null && updated.json["photoUrl"] == .null, "\(updated.text)")
            let signIn = try await server.post(
                "/v1/accounts:signInWithPassword",
                ["email": .string(person.email), "password": .string(person.password), "clientType": 2])
            #expect(signIn.status == 200)
            let hash = "4Zl6PJ+lw0sGSzrLqZSJm1RpOOaM0yGyEBq0s3eWmSA="
            for (order, argon2) in [(1, 1), (2, 2)] {
                let reply = try await server.administer(
                    ":batchCreate",
                    [
                        "users": [["localId": "i\(order)", "passwordHash": .string(hash), "salt": "c2FsdA=="]],
                        "hashAlgorithm": "SHA256", "rounds": 1, "passwordHashOrder": .integer(order),
                    ])
                #expect(reply.json["error"] == .null, "\(reply.text)")
                let unknown = try await server.administer(
                    ":batchCreate",
                    [
                        "users": [["localId": "j", "passwordHash": .string(hash), "salt": "c2FsdA=="]],
                        "hashAlgorithm": "ARGON2", "argon2Parameters": ["hashType": .integer(argon2 + 3)],
                    ])
                #expect(
                    unknown.message?.hasPrefix("Invalid value at 'argon2_parameters.hash_type'") == true,
                    "\(unknown.text)")
            }
        }
    }
}
