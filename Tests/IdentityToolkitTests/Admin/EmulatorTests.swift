import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

@Suite("What the emulator has beside the protocol")
struct EmulatorTests {
    private static let project = "/emulator/v1/projects/demo"

    @Test
    func `Nothing of it exists in production`() async throws {
        try await TestServer.with { server in
            for (method, path) in [
                (HTTPRequest.Method.delete, "/accounts"), (.get, "/config"), (.patch, "/config"), (.get, "/oobCodes"),
                (.get, "/verificationCodes"),
            ] {
                let reply = try await server.send(method, Self.project + path, headers: server.administrator)
                #expect(reply.status == 404, "\(path)")
            }
            #expect(try await server.send(.get, "/emulator/action?mode=verifyEmail&oobCode=x&apiKey=y").status == 404)
        }
    }

    @Test
    func `All users are removed at once`() async throws {
        try await TestServer.with(.development) { server in
            let person = try await server.signUp()
            _ = try await server.administer(
                ":batchCreate", ["users": .array((0..<250).map { ["localId": "\($0)"] })])
            let reply = try await server.send(.delete, "\(Self.project)/accounts")
            #expect(reply.status == 200)
            expectGolden(reply.json, [:])
            #expect(try await server.realm.accounts.count() == 0)
            #expect(try await server.lookup(person.idToken).message == "USER_NOT_FOUND")
        }
    }

    @Test
    func `The configuration says, and changes, whether addresses are hidden; two accounts never share one`()
        async throws
    {
        try await TestServer.with(.development) { server in
            func patch(_ body: JSON) async throws -> Reply {
                try await server.send(
                    .patch, "\(Self.project)/config", headers: [.contentType: "application/json"], body: body.bytes)
            }
            let hidden: JSON = [
                "signIn": ["allowDuplicateEmails": false], "emailPrivacyConfig": ["enableImprovedEmailPrivacy": true],
            ]
            expectGolden(try await server.send(.get, "\(Self.project)/config").json, hidden)
            let shown = hidden.with(["emailPrivacyConfig": ["enableImprovedEmailPrivacy": false]])
            expectGolden(try await patch(["emailPrivacyConfig": ["enableImprovedEmailPrivacy": false]]).json, shown)
            expectGolden(try await patch(["signIn": ["allowDuplicateEmails": false]]).json, shown)
            expectGolden(try await server.send(.get, "\(Self.project)/config").json, shown)
            expectRefused(
                try await patch(["signIn": ["allowDuplicateEmails": true]]),
                "OPERATION_NOT_ALLOWED : An address is one account's here, always.", .errors)
            #expect(try await patch(["signIn": 1]).status == 400)
        }
    }

    private func codes(_ server: TestServer) async throws -> [JSON] {
        try await server.send(.get, "\(Self.project)/oobCodes").json["oobCodes"].elements
    }

    @Test
    func `The codes of mails that are still open are listed, and do what they are for`() async throws {
        try await TestServer.with(.development) { server in
            let person = try await server.signUp()
            expectGolden(try await server.send(.get, "\(Self.project)/oobCodes").json, ["oobCodes": []])
            for (type, extra) in [
                ("VERIFY_EMAIL", ["idToken": .string(person.idToken)]),
                ("PASSWORD_RESET", ["email": .string(person.email)]),
                ("EMAIL_SIGNIN", ["email": .string(person.email)]),
                ("VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(person.idToken), "newEmail": "new@example.com"]),
            ] as [(String, JSON)] {
                let sent = try await server.post("/v1/accounts:sendOobCode", extra.with(["requestType": .string(type)]))
                #expect(sent.status == 200, "\(sent.text)")
                try await server.advance(1)
            }
            let open = try await codes(server)
            #expect(
                open.map { $0["requestType"].text } == [
                    "VERIFY_EMAIL", "PASSWORD_RESET", "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL",
                ])
            #expect(open.allSatisfy { $0["email"].text == person.email })
            #expect(open.map { $0["newEmail"] } == [.null, .null, .null, "new@example.com"])
            #expect(
                open.allSatisfy { code in
                    code["oobLink"].text?.contains("oobCode=\(code["oobCode"].text ?? "?")") == true
                })
            let used = try await server.post("/v1/accounts:update", ["oobCode": open[0]["oobCode"]])
            #expect(used.status == 200)
            #expect(try await codes(server).count == 3)
            try await server.advance(3601)
            #expect(try await codes(server).isEmpty)
            expectGolden(
                try await server.send(.get, "\(Self.project)/verificationCodes").json, ["verificationCodes": []])
        }
    }

    // MARK: /emulator/action

    private func action(_ server: TestServer, _ items: [String: String]) async throws -> Reply {
        let query = items.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
        return try await server.send(.get, "/emulator/action?" + query.joined(separator: "&"))
    }

    private func code(_ server: TestServer, _ type: String, _ person: Person, newEmail: String? = nil) async throws
        -> String
    {
        var body: JSON = ["requestType": .string(type), "email": .string(person.email)]
        if let newEmail { body = body.with(["newEmail": .string(newEmail)]) }
        return try await server.link(body)
    }

    @Test
    func `An address is verified, and changed`() async throws {
        try await TestServer.with(.development) { server in
            let person = try await server.signUp()
            let items = [
                "mode": "verifyEmail", "oobCode": try await code(server, "VERIFY_EMAIL", person), "apiKey": "any",
            ]
            let done = try await action(server, items)
            #expect(done.status == 200)
            #expect(done.json["authEmulator"]["email"].text == person.email)
            #expect(try await server.record(of: person.localID)["emailVerified"] == true)
            let again = try await action(server, items)
            #expect(again.status == 400 && again.json["authEmulator"]["error"] != .null)

            let change = try await code(server, "VERIFY_AND_CHANGE_EMAIL", person, newEmail: "new@example.com")
            try await server.authorize("example.com")
            let changed = try await action(
                server,
                [
                    "mode": "verifyAndChangeEmail", "oobCode": change, "apiKey": "any",
                    "continueUrl": "https://example.com/done?x=1",
                ])
            #expect(changed.status == 303 && changed.headers[.location] == "https://example.com/done?x=1")
            #expect(try await server.record(of: person.localID)["email"] == "new@example.com")
        }
    }

    @Test
    func `A password is reset once it is in the address`() async throws {
        try await TestServer.with(.development) { server in
            let person = try await server.signUp()
            var items = [
                "mode": "resetPassword", "oobCode": try await code(server, "PASSWORD_RESET", person), "apiKey": "any",
            ]
            #expect(
                try await action(server, items).json["authEmulator"]["error"] == "missing newPassword query parameter")
            items["newPassword"] = "short"
            #expect(
                try await action(server, items).json["authEmulator"]["error"].text?.hasPrefix("WEAK_PASSWORD") == true)
            items["newPassword"] = "entirely new password"
            #expect(try await action(server, items).json["authEmulator"]["email"].text == person.email)
            #expect(try await server.signIn(person, password: "entirely new password").status == 200)
            #expect(try await action(server, items).status == 400)
        }
    }

    @Test
    func `A sign-in goes back to the app with all that the link carries`() async throws {
        try await TestServer.with(.development) { server in
            try await server.authorize("example.com")
            let reply = try await action(
                server,
                [
                    "mode": "signIn", "oobCode": "c+d", "apiKey": "any", "lang": "en",
                    "continueUrl": "https://example.com/in?a=1&mode=x",
                ])
            #expect(reply.status == 303)
            let location = try #require(reply.headers[.location].flatMap { URLComponents(string: $0) })
            let items = Dictionary(
                (location.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { a, b in a + b })
            #expect(items == ["a": "1", "mode": "signIn", "oobCode": "c+d", "apiKey": "any", "lang": "en"])
            #expect(location.host == "example.com")
        }
    }

    @Test(
        arguments: [
            [:], ["apiKey": "k"], ["apiKey": "k", "oobCode": "x"], ["apiKey": "k", "oobCode": "x", "mode": "dance"],
            ["apiKey": "k", "oobCode": "x", "mode": "verifyEmail"],
            ["apiKey": "k", "oobCode": "x", "mode": "recoverEmail"],
            ["apiKey": "k", "oobCode": "x", "mode": "signIn"],
            ["apiKey": "k", "oobCode": "x", "mode": "signIn", "continueUrl": "javascript:alert(1)"],
            ["apiKey": "k", "oobCode": "x", "mode": "signIn", "continueUrl": "https://evil.example/"],
            ["apiKey": "k", "oobCode": "x", "mode": "resetPassword", "newPassword": "a fine password"],
        ])
    func `What makes no sense is told, and leads nowhere`(items: [String: String]) async throws {
        try await TestServer.with(.development) { server in
            let reply = try await action(server, items)
            #expect(reply.status == 400)
            #expect(reply.json["authEmulator"]["error"].text?.isEmpty == false, "\(reply.text)")
        }
    }
}
