import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import Testing

@Suite("Guardian's browser flow and OAuth")
struct SignInTests {
    static let grant = "http://auth0.com/oauth/grant-type/mfa-"

    private func challenge(_ server: TestServer, _ mfaToken: String, _ more: [String: JSON?] = [:]) async throws
        -> Reply
    {
        let body: JSON = ["client_id": .string(server.key), "challenge_type": "oob", "mfa_token": .string(mfaToken)]
        return try await server.send(
            .post, "/mfa/challenge", headers: [.contentType: "application/json"], body: body.with(more).bytes)
    }

    private func poll(_ server: TestServer, _ mfaToken: String, _ code: String) async throws -> Reply {
        try await server.oauth([
            "grant_type": .string(Self.grant + "oob"), "mfa_token": .string(mfaToken), "oob_code": .string(code),
        ])
    }

    private func claims(_ token: JSON) throws -> JSON {
        let part = try #require(token.text).split(separator: ".")[1]
        return try JSON(parsing: #require([UInt8](base64URL: part)))
    }

    @Test
    func `An application that is disabled since it was seen asks no device, and one that is there again does`()
        async throws
    {
        try await TestServer.with { server in
            _ = try await server.enrolled(of: server.addUser())
            for _ in 0..<2 { #expect(try await challenge(server, server.mfaToken()).status == 200) }
            let token = try await server.mfaToken()
            let id = ClientID(rawValue: server.key)
            for isDisabled in [true, false] {
                try await server.realm.store.write { transaction in
                    var application = try #require(try transaction.registeredApplication(id))
                    application.registration.isDisabled = isDisabled
                    #expect(try transaction.update(application))
                }
                let reply = try await challenge(server, token)
                #expect((reply.json["oob_code"].text == nil) == isDisabled, "\(reply.text)")
                let pushes = try await server.realm.outbox.messages().count { $0.message.channel == .push }
                #expect(pushes == (isDisabled ? 2 : 3))
            }
            let code = try await challenge(server, token, ["authenticator_id": "totp|x", "challenge_type": "oob otp"])
            #expect(code.status >= 400, "\(code.text)")
        }
    }

    @Test
    func `Without a second factor the password is enough; tokens say for whom and with what`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let reply = try await server.passwordGrant()
            #expect(reply.status == 200, "\(reply.text)")
            expectGolden(
                reply.json,
                [
                    "access_token": "<jwt>", "id_token": "<jwt>", "refresh_token": "<token>", "token_type": "Bearer",
                    "scope": "openid email offline_access", "expires_in": 3600,
                ])
            let identity = try claims(reply.json["id_token"])
            #expect(identity["sub"].text == user && identity["aud"].text == server.key)
            #expect(identity["email"] == "ada@example.org" && identity["amr"] == ["pwd"])
            #expect(identity["iss"] == "http://127.0.0.1:8080/")
            let access = try claims(reply.json["access_token"])
            #expect(access["scope"] == "openid email offline_access" && access["azp"].text == server.key)

            let bare = try await server.passwordGrant(scope: "unknown").json
            #expect(bare["id_token"] == .null && bare["refresh_token"] == .null && bare["scope"] == "")
        }
    }

    @Test
    func `Wrong passwords, unknown addresses and unknown clients look as they should`() async throws {
        try await TestServer.with { server in
            _ = try await server.addUser()
            let wrong = try await server.passwordGrant(password: "wrong")
            let nobody = try await server.passwordGrant("nobody@example.org")
            let noAddress = try await server.passwordGrant("not an address")
            for reply in [wrong, nobody, noAddress] {
                #expect(reply.status == 403)
                #expect(reply.json == ["error": "invalid_grant", "error_description": "Wrong email or password."])
            }
            let stranger = try await server.send(
                .post, "/oauth/token", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array("grant_type=password&client_id=nobody&username=a&password=b".utf8))
            #expect(stranger.status == 401 && stranger.json["error"] == "invalid_client")
            #expect(try await server.oauth(["grant_type": "magic"]).json["error"] == "unsupported_grant_type")
            #expect(try await server.oauth([:]).json["error"] == "invalid_request")
        }
    }

    @Test
    func `A confidential client shows its secret, in the body or by Basic`() async throws {
        try await TestServer.with { server in
            _ = try await server.addUser()
            var registration = ApplicationRegistration()
            registration.setSecret(Secret("s3cret"))
            let context = ClientContext(
                clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)
            _ = try await server.realm.applications.add(
                id: ClientID(rawValue: "site"), registration, by: context)
            func grant(_ form: String, basic: String? = nil) async throws -> Reply {
                var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
                headers[.authorization] = basic.map { "Basic \(Data($0.utf8).base64EncodedString())" }
                return try await server.send(
                    .post, "/oauth/token", headers: headers,
                    body: Array(
                        "grant_type=password&username=ada%40example.org&password=analytical+engine&\(form)".utf8))
            }
            #expect(try await grant("client_id=site&client_secret=s3cret").status == 200)
            #expect(try await grant("", basic: "site:s3cret").status == 200)
            for (form, basic) in [
                ("client_id=site", nil), ("client_id=site&client_secret=wrong", nil), ("", "site:wrong"), ("", "site"),
            ] {
                #expect(try await grant(form, basic: basic).json["error"] == "invalid_client")
            }
        }
    }

    @Test
    func `The MFA API: authenticators, a challenge to a device, polling until it answers`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let mfaToken = try await server.mfaToken()
            let listed = try await server.send(
                .get, "/mfa/authenticators", headers: [.authorization: "Bearer \(mfaToken)"])
            #expect(
                listed.json.elements.compactMap { $0["id"].text?.split(separator: "|").first } == [
                    "push", "totp", "recovery-code",
                ])
            let asked = try await challenge(server, mfaToken, ["authenticator_id": .string("push|\(device.id)")])
            #expect(asked.status == 200 && asked.json["challenge_type"] == "oob", "\(asked.text)")
            let code = try #require(asked.json["oob_code"].text)
            let pending = try await poll(server, mfaToken, code)
            #expect(pending.status == 400 && pending.json["error"] == "authorization_pending")
            #expect(try await poll(server, mfaToken, "another").json["error"] == "invalid_grant")

            #expect(try await device.phone.allow(device.push(on: server), on: server).status == 204)
            let tokens = try await poll(server, mfaToken, code)
            #expect(tokens.status == 200, "\(tokens.text)")
            #expect(try claims(tokens.json["id_token"])["amr"] == ["pwd", "mfa"])
            #expect(try await poll(server, mfaToken, code).json["error"] == "invalid_grant")
        }
    }

    @Test
    func `A rejected sign-in is an invalid grant, and a poll too many is told to slow down`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let mfaToken = try await server.mfaToken()
            let code = try #require(await challenge(server, mfaToken).json["oob_code"].text)
            for _ in 0..<12 {
                #expect(try await poll(server, mfaToken, code).json["error"] == "authorization_pending")
            }
            let slow = try await poll(server, mfaToken, code)
            #expect(slow.json["error"] == "slow_down" && slow.headers[.retryAfter] == "5")
            _ = try await device.phone.reject(device.push(on: server), reason: "not_me", on: server)
            try await server.advance(60)
            #expect(try await poll(server, mfaToken, code).json["error"] == "invalid_grant")
            let again = try await challenge(server, mfaToken)
            #expect(
                again.status == 400 && again.json["error_description"] == "MFA Authorization rejected.", "\(again.text)"
            )
        }
    }

    @Test
    func `Where a number is to be typed, the answer shows it and the device signs it`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let mfaToken = try await server.mfaToken()
            let asked = try await challenge(server, mfaToken, ["binding_method": "prompt"]).json
            #expect(asked["binding_method"] == "prompt")
            let number = try #require(asked["number"].text)
            let push = try await device.push(on: server)
            #expect(push["mfa"]["nl"] == 6)
            expectRefused(try await device.phone.allow(push, on: server), 401, "invalid_challenge")
            #expect(try await device.phone.allow(push, number: number, on: server).status == 204)
        }
    }

    @Test
    func `Codes and recovery codes, by OAuth and in the browser, count once`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let secret = try #require(device.answer["totp"]["secret"].text)
            let totp = try TOTP(secret: Base32.decode(secret))
            func code() -> String { totp.code(at: server.now).stringCode }

            let mfaToken = try await server.mfaToken()
            func otp(_ text: String, _ token: String) async throws -> Reply {
                try await server.oauth([
                    "grant_type": .string(Self.grant + "otp"), "mfa_token": .string(token), "otp": .string(text),
                ])
            }
            #expect(try await otp("000000", mfaToken).json["error_description"] == "Invalid otp_code.")
            let used = code()
            #expect(try await otp(used, mfaToken).status == 200)
            #expect(try await otp(used, server.mfaToken()).status == 403)

            try await server.advance(60)
            let browserToken = try await server.mfaToken()
            let transaction = try #require(
                await server.browser("start-flow", bearer: browserToken).json["transaction_token"].text)
            expectRefused(
                try await server.browser("verify-otp", bearer: transaction, ["type": "manual_input", "code": "1"]), 403,
                "invalid_otp")
            let verified = try await server.browser(
                "verify-otp", bearer: transaction, ["type": "manual_input", "code": .string(code())])
            #expect(verified.status == 204, "\(verified.text)")
            #expect(try await server.browser("transaction-state", bearer: transaction).json["state"] == "accepted")

            let recovery = try #require(device.answer["recovery_code"].text)
            let another = try #require(
                await server.browser("start-flow", bearer: server.mfaToken()).json["transaction_token"].text)
            expectRefused(
                try await server.browser("recover-account", bearer: another, ["recovery_code": "WRONG"]), 403,
                "invalid_recovery_code")
            let recovered = try await server.browser(
                "recover-account", bearer: another, ["recovery_code": .string(recovery)])
            let next = try #require(recovered.json["recovery_code"].text)
            #expect(recovered.status == 200 && next != recovery)
            let last = try await server.oauth([
                "grant_type": .string(Self.grant + "recovery-code"), "mfa_token": .string(try await server.mfaToken()),
                "recovery_code": .string(next),
            ])
            #expect(last.status == 200 && last.json["recovery_code"].text?.count == 24, "\(last.text)")
        }
    }

    @Test
    func `Who must have a second factor and has none gets a QR code, in the browser and by the MFA API`() async throws {
        try await TestServer.with { server in
            _ = try await server.addUser()
            let context = ClientContext(
                clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)
            _ = try await server.realm.applications.change(ClientID(rawValue: server.key), by: context) {
                $0.requiresSecondFactor = true
            }
            let mfaToken = try await server.mfaToken()
            let started = try await server.browser("start-flow", bearer: mfaToken)
            #expect(started.json["device_account"]["status"] == "pending", "\(started.text)")
            let uri = try #require(URLComponents(string: started.json["enrollment_uri"].text ?? ""))
            let ticket = try #require(started.json["enrollment_tx_id"].text)
            #expect(uri.queryItems?.first { $0.name == "enrollment_tx_id" }?.value == ticket)
            #expect(uri.queryItems?.first { $0.name == "base_url" }?.value == "http://127.0.0.1:8080")
            let transaction = try #require(started.json["transaction_token"].text)
            #expect(try await server.browser("transaction-state", bearer: transaction).json["enrollment"] == .null)

            let phone = Phone()
            let reply = try await server.enroll(phone, ticket: ticket)
            #expect(reply.status == 201, "\(reply.text)")
            let device = Enrolled(phone: phone, answer: reply.json)
            let state = try await server.browser("transaction-state", bearer: transaction).json
            #expect(state["enrollment"]["id"].text == device.id && state["state"] == "pending")
            // Enrolling is no proof yet: the device is asked.
            _ = try await server.browser("send-push-notification", bearer: transaction)
            _ = try await phone.allow(device.push(on: server), on: server)
            #expect(try await server.browser("transaction-state", bearer: transaction).json["state"] == "accepted")

            // Now that there is one, a password alone adds no other.
            let next = try await server.mfaToken()
            let body: JSON = ["authenticator_types": ["oob"], "oob_channels": ["auth0"]]
            let association = try await server.send(
                .post, "/mfa/associate",
                headers: [.authorization: "Bearer \(next)", .contentType: "application/json"], body: body.bytes)
            #expect(association.status == 401 || association.status == 403, "\(association.text)")
        }
    }

    @Test
    func `An invitation is opened in the browser and enrols once`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let reply = try await server.management(
                .post, "guardian/enrollments/ticket", ["user_id": .string(user), "send_mail": false])
            let ticket = try #require(reply.json["ticket_id"].text)
            #expect(reply.json["ticket_url"].text == "http://127.0.0.1:8080/guardian/enroll?ticket=\(ticket)")
            let started = try await server.send(
                .post, "/api/start-flow", headers: [.authorization: "Ticket id=\"\(ticket)\""])
            #expect(started.status == 201, "\(started.text)")
            let transaction = try #require(started.json["transaction_token"].text)
            expectRefused(
                try await server.browser("send-push-notification", bearer: transaction), 400, "invalid_state")
            _ = try await server.enroll(Phone(), ticket: #require(started.json["enrollment_tx_id"].text))
            #expect(
                try await server.browser("transaction-state", bearer: transaction).json["enrollment"]["status"]
                    == "confirmed")
            expectRefused(
                try await server.enroll(Phone(), ticket: ticket), 404, "enrollment_transaction_not_found")
        }
    }

    @Test
    func `A refresh token is its application's alone, and is not used up by another's attempt`() async throws {
        try await TestServer.with { server in
            _ = try await server.addUser()
            let context = ClientContext(
                clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)
            _ = try await server.realm.applications.add(
                id: ClientID(rawValue: "other"), ApplicationRegistration(), by: context)
            let token = try await server.passwordGrant().json["refresh_token"]
            func refresh(_ client: String) async throws -> Reply {
                let body: JSON = [
                    "grant_type": "refresh_token", "client_id": .string(client), "refresh_token": token,
                ]
                return try await server.send(
                    .post, "/oauth/token", headers: [.contentType: "application/json"], body: body.bytes)
            }
            #expect(try await refresh("other").json["error"] == "invalid_grant")
            // Nor by one that comes while every user needs a second factor.
            _ = try await server.realm.changeSettings(by: context) { $0.secondFactors.state = .mandatory }
            #expect(try await refresh(server.key).json["error"] == "invalid_grant")
            _ = try await server.realm.changeSettings(by: context) { $0.secondFactors.state = .enabled }
            let refreshed = try await refresh(server.key)
            #expect(refreshed.status == 200 && refreshed.json["scope"] == "openid email offline_access")
        }
    }

    @Test
    func `Five pushes a minute, with the headers that SDKs read`() async throws {
        try await TestServer.with { server in
            _ = try await server.enrolled(of: server.addUser())
            let transaction = try #require(
                await server.browser("start-flow", bearer: server.mfaToken()).json["transaction_token"].text)
            for _ in 0..<5 {
                #expect(try await server.browser("send-push-notification", bearer: transaction).status == 204)
            }
            let sixth = try await server.browser("send-push-notification", bearer: transaction)
            expectRefused(sixth, 429, "too_many_pn")
            #expect(sixth.headers[HTTPField.Name("X-RateLimit-Limit")!] == "5")
            #expect(sixth.headers[HTTPField.Name("X-RateLimit-Remaining")!] == "0")
            let reset = try #require(sixth.headers[HTTPField.Name("X-RateLimit-Reset")!].flatMap { Double($0) })
            #expect((reset - server.now.timeIntervalSince1970 - 60).magnitude <= 1)
        }
    }

    @Test
    func `Pages of other origins may call, and read the limits`() async throws {
        try await TestServer.with { server in
            let preflight = try await server.send(
                .options, "/appliance-mfa/api/start-flow",
                headers: [
                    .origin: "http://localhost:3000", .accessControlRequestMethod: "POST",
                    .accessControlRequestHeaders: "authorization, x-global-tracking-id",
                ])
            #expect(preflight.status == 204)
            #expect(preflight.headers[.accessControlAllowOrigin] == "http://localhost:3000")
            let answer = try await server.send(
                .post, "/api/start-flow", headers: [.origin: "http://localhost:3000", .authorization: "Bearer x"])
            #expect(answer.headers[.accessControlExposeHeaders]?.contains("X-RateLimit-Reset") == true)
            expectRefused(answer, 401, "invalid_token")
        }
    }

    /// Every endpoint, with a token that it might take.
    static let endpoints: [(HTTPRequest.Method, String)] = [
        (.post, "/api/enroll"), (.post, "/api/resolve-transaction"), (.patch, "/api/device-accounts/dev_x"),
        (.delete, "/api/device-accounts/dev_x"), (.get, "/api/device-accounts/dev_x/notifications"),
        (.post, "/api/start-flow"), (.post, "/api/transaction-state"), (.post, "/api/send-push-notification"),
        (.post, "/api/verify-otp"), (.post, "/api/recover-account"), (.post, "/oauth/token"),
        (.get, "/mfa/authenticators"), (.post, "/mfa/associate"), (.post, "/mfa/challenge"),
        (.delete, "/mfa/authenticators/totp%7Cx"), (.post, "/bc-authorize"), (.get, "/rich-consents/cns_x"),
        (.post, "/api/send-sms"), (.post, "/api/device-accounts/dev_x/sms-enroll"),
        (.get, "/api/v2/guardian/policies"), (.put, "/api/v2/guardian/policies"),
        (.get, "/api/v2/users/auth0%7Cx/authentication-methods"),
        (.post, "/api/v2/users/auth0%7Cx/authentication-methods"),
        (.put, "/api/v2/users/auth0%7Cx/authentication-methods"),
        (.delete, "/api/v2/users/auth0%7Cx/authentication-methods"),
        (.get, "/api/v2/users/auth0%7Cx/authentication-methods/totp%7Cx"),
        (.patch, "/api/v2/users/auth0%7Cx/authentication-methods/totp%7Cx"),
        (.delete, "/api/v2/users/auth0%7Cx/authentication-methods/totp%7Cx"),
        (.get, "/api/v2/guardian/factors"), (.put, "/api/v2/guardian/factors/otp"),
        (.post, "/api/v2/guardian/enrollments/ticket"), (.get, "/api/v2/guardian/enrollments/dev_x"),
        (.delete, "/api/v2/guardian/enrollments/dev_x"), (.post, "/api/v2/users"),
        (.get, "/api/v2/users/auth0%7Cx/enrollments"), (.delete, "/api/v2/users/auth0%7Cx/authenticators"),
        (.post, "/api/v2/users/auth0%7Cx/recovery-code-regeneration"), (.get, "/api/v2/logs"),
        (.get, "/api/v2/logs/x"), (.get, "/userinfo"), (.post, "/userinfo"), (.get, "/api/v2/users?q=name:%00*"),
        (.get, "/api/v2/users-by-email?email=%00"), (.get, "/api/v2/users/auth0%7C%00"),
        (.get, "/api/v2/users/auth0%7Cx"), (.patch, "/api/v2/users/auth0%7Cx"), (.delete, "/api/v2/users/auth0%7Cx"),
        (.get, "/api/v2/users/auth0%7Cx/logs?page=1000000000000000000000"),
    ]

    @Test(arguments: endpoints)
    func `Malformed input is a clear error at every door, never a 500`(
        _ endpoint: (method: HTTPRequest.Method, path: String)
    ) async throws {
        let bodies: [String] = [
            "", "{", "[]", "null", "\"text\"", "{\"a\":1,\"a\":2}", "{\"code\":[],\"enabled\":\"yes\"}", "\u{0}",
            String(repeating: "[", count: 10_000), "{\"email\":{},\"user_id\":1,\"identifier\":null}",
            "{\"enabled\":1,\"public_key\":{\"n\":{}}}", String(repeating: "x", count: 70_000),
        ]
        try await TestServer.with { server in
            for authorization in [nil, "Bearer \(server.adminToken)", "Bearer \u{e9}", "Ticket id=\"x\"", "Basic !!"] {
                for body in bodies {
                    for type in ["application/json", "application/x-www-form-urlencoded", "text/plain"] {
                        var headers: HTTPFields = [.contentType: type]
                        headers[.authorization] = authorization
                        let reply = try await server.send(
                            endpoint.method, endpoint.path, headers: headers,
                            body: endpoint.method == .get ? nil : Array(body.utf8))
                        #expect(reply.status < 500, "\(body.prefix(20)) \(type): \(reply.text)")
                        if reply.status >= 400 {
                            #expect(reply.json["error"].text?.isEmpty == false, "\(body.prefix(20)): \(reply.text)")
                        }
                    }
                }
            }
        }
    }
}
