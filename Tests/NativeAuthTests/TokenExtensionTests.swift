import CountersignServer
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import TestSupport
import Testing

@testable import CountersignCore

/// Token issuance start (Microsoft Learn, Custom claims provider reference), through the endpoints, with a service behind a
/// socket.
@Suite("A service that provides claims")
struct TokenExtensionTests {
    private static let mappings = [
        ClaimMapping(id: "dateOfBirth", jwtClaimType: "birthdate"),
        ClaimMapping(id: "customRoles", jwtClaimType: "my_roles"),
        ClaimMapping(value: "tokenaug_V2", jwtClaimType: "policy_version"),
    ]
    private static let providing = ScriptedService.json(
        Answers.claims(#"{"dateOfBirth":"01/01/2000","customRoles":["Writer","Editor"],"other":"x"}"#))

    /// Runs with a service, a server that asks it, and a client.
    private func with(
        _ script: @escaping ScriptedService.Script = providing, scopes: [String] = ["api"],
        _ change: @Sendable (inout CustomExtensions.Registration) -> Void = { $0.claims = mappings },
        options: ExtensionCallOptions = .patient,
        _ body: @escaping @Sendable (TestServer, NativeClient, ScriptedService) async throws -> Void
    ) async throws {
        let service = try ScriptedService(script)
        defer { service.stop() }
        try await TestServer.with(.development, extensions: options) { server in
            let client = try await server.application(scopes: scopes)
            try await server.ask(service, about: .tokenIssuanceStart, of: client, change)
            try await body(server, client, service)
        }
    }

    private func password(
        _ client: NativeClient, scope: String = "openid profile offline_access"
    ) async throws -> Reply {
        let begun = try await client.initiate()
        return try await client.token(
            .password, ["continuation_token": begun.token, "password": NativeClient.password, "scope": scope])
    }

    @Test
    func `Mapped claims are in both tokens, and what the service is told is what the vendor's is`() async throws {
        try await with(scopes: ["api://library/Read"]) { server, plain, service in
            var client = plain
            client.from = "192.0.2.7"
            let user = try await server.account(
                profile: UserProfile(
                    displayName: "Ada", customClaims: ["my_roles": "forged", "level": 7],
                    attributes: ["givenName": "Ada", "city": "London"]))
            let reply = try await password(client, scope: "openid offline_access api://library/Read")
            #expect(reply.status == 200, "\(reply.text)")
            for name in ["id_token", "access_token"] {
                let claims = try Tokens.claims(reply.json[name])
                #expect(claims["birthdate"] == "01/01/2000" && claims["policy_version"] == "tokenaug_V2", "\(name)")
                #expect(claims["my_roles"] == ["Writer", "Editor"], "the mapping owns the name")
                #expect(claims["other"] == .null && claims["dateOfBirth"] == .null, "not mapped")
                #expect(claims["level"] == 7 && claims["city"] == "London")
                #expect(claims["sub"].text == user.id.rawValue)
            }
            let request = try #require(service.requests.first)
            #expect(service.requests.count == 1 && request.line == "POST /token-issuance-start HTTP/1.1")
            let context = request.json["data"]["authenticationContext"]
            let tenant = try await server.realm.tenant().id
            let application = context["clientServicePrincipal"]
            #expect(request.json["source"].text == "/tenants/\(tenant)/applications/\(application["appId"].text ?? "")")
            #expect(context["correlationId"].text == client.requestID)
            #expect(application["appDisplayName"].text == client.id && application["appId"] == application["id"])
            #expect(context["resourceServicePrincipal"]["displayName"] == "api://library")
            // The vendor's .NET library reads nothing but GUIDs.
            for path in [
                ["user", "id"], ["clientServicePrincipal", "id"], ["clientServicePrincipal", "appId"],
                ["resourceServicePrincipal", "id"], ["resourceServicePrincipal", "appId"],
            ] {
                let id = context[path[0]][path[1]].text ?? ""
                #expect(UUID(uuidString: id) != nil, "\(path): \(id)")
            }
            let identity = try Tokens.claims(reply.json["id_token"])
            #expect(context["user"]["id"].text != user.id.rawValue)
            #expect(context["user"]["id"] == identity["oid"] && context["user"]["mail"].text == NativeClient.email)
            #expect(context["client"]["ip"] == "192.0.2.7")
            let bearer = String(request.headers["authorization"]?.dropFirst("Bearer ".count) ?? "")
            let token = try #require(await server.realm.keyring.verified(bearer))
            #expect(token.string("azp") == server.realm.extensionFormat.caller)
            #expect(token.string("iss") == "http://127.0.0.1:8080/\(tenant)/v2.0")
            // The issuer's own metadata leads to the keys, as any token library goes.
            let metadata = try await server.send(.get, "/\(tenant)/v2.0/.well-known/openid-configuration")
            #expect(metadata.json["issuer"].text == token.string("iss"))
        }
    }

    @Test
    func `Claims can be for one token alone`() async throws {
        try await with(Self.providing, { ($0.claims, $0.tokens) = (Self.mappings, [.access]) }) { server, client, _ in
            try await server.account()
            let reply = try await password(client)
            #expect(try Tokens.claims(reply.json["access_token"])["birthdate"] == "01/01/2000")
            #expect(try Tokens.claims(reply.json["id_token"])["birthdate"] == .null)
        }
    }

    /// What is wrong, and the number that the log has for it.
    private static let brokenServices: [(ScriptedService.Script, Int)] = [
        (ScriptedService.json("{}"), 1_003_003), (ScriptedService.json(""), 1_003_009),
        (ScriptedService.json("nonsense"), 1_003_003), (ScriptedService.json(Answers.claims("null")), 1_003_007),
        (ScriptedService.json(Answers.claims(#"{"dateOfBirth":7}"#)), 1_003_003),
        (ScriptedService.json(Answers.claims("{}"), type: "text/html"), 1_003_006),
        (ScriptedService.json(Answers.goOnWithStart), 1_003_008),
        (ScriptedService.json(Answers.claims(#"{"a":"\#(String(repeating: "b", count: 3072))"}"#)), 1_003_025),
        (ScriptedService.json(String(repeating: " ", count: 65_537)), 1_003_024),
        ({ _ in [.send(ScriptedService.answer(500, "{}"))] }, 1_003_002),
        ({ _ in [.send(ScriptedService.answer(302, "", headers: ["Location: https://example.com/"]))] }, 1_003_002),
        ({ _ in [] }, 1_003_027), ({ _ in [.hold] }, 1_003_005),
        (
            { _ in
                [
                    .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"),
                    .trickle(UInt8(ascii: " "), every: 0.02),
                ]
            }, 1_003_005
        ),
    ]

    @Test(arguments: brokenServices.indices)
    func `When a service fails no user is signed in, and nothing is used up`(index: Int) async throws {
        let (script, code) = Self.brokenServices[index]
        // What is to be given up is so after a moment; what is to be heard is waited for.
        let timeout = code == 1_003_005 ? 200 : 2000
        try await with(script, { ($0.claims, $0.timeout) = (Self.mappings, timeout) }) { server, client, service in
            let user = try await server.account(password: nil)
            let (token, mailed) = try await client.signInByCode()
            let fields = ["continuation_token": token, "oob": mailed]
            let refused = try await client.token(.oob, fields)
            expectRefused(refused, "invalid_request", number: 1_100_001)
            #expect(
                refused.json.names == [
                    "correlation_id", "error", "error_codes", "error_description", "timestamp", "trace_id",
                ], "no tokens, and nothing of why")
            let failure = try #require(try await server.failures().first)
            #expect(failure.details["code"] == .integer(Int64(code)), "\(failure.reason ?? "")")
            #expect(failure.userID == user.id && failure.clientID?.rawValue == client.id)
            let data = try #require(await server.realm.accounts.personalData(user.id, by: .testAdministrator))
            #expect(data.sessions.isEmpty && data.user.lastSignInAt == nil)
            // The same request, the same code, once the service is well again.
            service.answers(Self.providing)
            let slow = try #require(await server.realm.customExtensions.all().first)
            _ = try await server.realm.customExtensions.remove(slow.id, by: .testAdministrator)
            try await server.ask(service, about: .tokenIssuanceStart, of: client) { $0.claims = Self.mappings }
            let reply = try await client.token(.oob, fields)
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try Tokens.claims(reply.json["id_token"])["birthdate"] == "01/01/2000")
        }
    }

    @Test
    func `A service that is not there, and an unknown name`() async throws {
        for url in ["http://127.0.0.1:\(try QuietPort.next())/", "https://service.invalid/"] {
            try await with(Self.providing, { $0.targetURL = url }) { server, client, _ in
                try await server.account()
                expectRefused(try await password(client), "invalid_request", number: 1_100_001)
                #expect(try await server.failures().first?.details["code"] == .integer(1_003_027))
            }
        }
    }

    @Test
    func `Nothing on this machine is asked in production`() async throws {
        let service = try ScriptedService(Self.providing)
        defer { service.stop() }
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.ask(service, about: .tokenIssuanceStart, of: client)
            try await server.account()
            expectRefused(try await password(client), "invalid_request", number: 1_100_001)
            #expect(try await server.failures().first?.details["code"] == .integer(1_003_023))
        }
        #expect(service.requests.isEmpty)
    }

    @Test
    func `Refreshing asks again; a failure leaves the refresh token as it was`() async throws {
        try await with { server, client, service in
            try await server.account()
            let first = try await password(client)
            let fields = ["refresh_token": first.json["refresh_token"].text, "client_info": "1"]
            service.answers { _ in [.send(ScriptedService.answer(503, ""))] }
            for _ in 0..<3 {
                expectRefused(try await client.token(.refreshToken, fields), "invalid_request", number: 1_100_001)
                server.clock.advance(60)
            }
            service.answers(ScriptedService.json(Answers.claims(#"{"dateOfBirth":"02/02/2002"}"#)))
            let second = try await client.token(.refreshToken, fields)
            #expect(second.status == 200, "\(second.text)")
            let claims = try Tokens.claims(second.json["id_token"])
            #expect(claims["birthdate"] == "02/02/2002" && claims["my_roles"] == .null)
            #expect(claims["policy_version"] == "tokenaug_V2")
        }
    }

    @Test
    func `A request whose answer was lost asks again and opens no second session`() async throws {
        try await with { server, client, service in
            let user = try await server.account()
            let begun = try await client.initiate()
            let fields = ["continuation_token": begun.token, "password": NativeClient.password]
            let first = try await client.token(.password, fields)
            let second = try await client.token(.password, fields)
            #expect(first.status == 200 && second.status == 200)
            #expect(first.json["refresh_token"] == second.json["refresh_token"])
            #expect(try Tokens.claims(second.json["id_token"])["birthdate"] == "01/01/2000")
            #expect(service.requests.count == 2)
            let data = try #require(await server.realm.accounts.personalData(user.id, by: .testAdministrator))
            #expect(data.sessions.count == 1)
        }
    }

    @Test
    func `Wrong answers are not the service's business, and applications of others are not`() async throws {
        try await with { server, client, service in
            try await server.account()
            let begun = try await client.initiate()
            let wrong = try await client.token(.password, ["continuation_token": begun.token, "password": "wrong"])
            expectRefused(wrong, "invalid_grant", number: 50126)
            let other = try await server.application()
            let reply = try await password(other)
            #expect(reply.status == 200)
            #expect(try Tokens.claims(reply.json["id_token"])["policy_version"] == .null)
            #expect(service.requests.isEmpty)
        }
    }

    @Test
    func `A crowd at a slow service: sixteen wait, others are told to come back, and no other user waits`() async throws
    {
        let gate = Gate()
        try await with({ _ in [.hold] }, options: .waiting(for: gate)) { server, client, service in
            // One person would be locked out: so many answers at once are too many.
            try await server.account()
            let other = try await server.application()
            var tokens: [String] = []
            for number in 0..<20 {
                let email = "person\(number)@example.org"
                try await server.account(email)
                tokens.append(try await client.initiate(email).token ?? "")
            }
            let replies = try await withThrowingTaskGroup(of: Reply.self) { tasks in
                for token in tokens {
                    tasks.addTask {
                        try await client.token(
                            .password, ["continuation_token": token, "password": NativeClient.password])
                    }
                }
                var replies: [Reply] = []
                for try await reply in tasks {
                    replies.append(reply)
                    guard replies.count == 4 else { continue }
                    // Sixteen wait. Meanwhile an unrelated user signs in.
                    #expect(replies.allSatisfy { $0.number == 90055 && $0.headers[.retryAfter] == "1" })
                    let elsewhere = try await password(other)
                    #expect(elsewhere.status == 200)
                    gate.open()
                }
                return replies
            }
            #expect(replies.allSatisfy { $0.status == 400 })
            #expect(replies.count { $0.number == 1_100_001 } == 16)
            #expect(service.requests.count <= 16)
        }
    }

    @Test
    func `After a sign-up the service is asked too`() async throws {
        try await with { server, client, service in
            let begun = try await client.post(
                .signUpStart, ["username": NativeClient.email, "challenge_type": "oob redirect"])
            let asked = try await client.post(.signUpChallenge, ["continuation_token": begun.token])
            let done = try await client.post(
                .signUpContinue,
                ["continuation_token": asked.token, "grant_type": "oob", "oob": client.codes().last])
            #expect(service.requests.isEmpty)
            let reply = try await client.token(
                .continuationToken, ["continuation_token": done.token, "username": NativeClient.email])
            #expect(try Tokens.claims(reply.json["id_token"])["birthdate"] == "01/01/2000")
            #expect(service.requests.count == 1)
        }
    }
}
