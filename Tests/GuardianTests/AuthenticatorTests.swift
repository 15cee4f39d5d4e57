import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import OneTimePassword
import Testing

@Suite("Guardian's policies, associations and authentication methods")
struct AuthenticatorTests {
    private func associate(_ server: TestServer, _ bearer: String, _ kind: String = "otp") async throws -> Reply {
        let body: JSON =
            kind == "otp"
            ? ["authenticator_types": ["otp"]] : ["authenticator_types": ["oob"], "oob_channels": ["auth0"]]
        return try await server.send(
            .post, "/mfa/associate",
            headers: [.authorization: "Bearer \(bearer)", .contentType: "application/json"], body: body.bytes)
    }

    private func authenticators(_ server: TestServer, _ bearer: String) async throws -> [String] {
        let reply = try await server.send(
            .get, "/mfa/authenticators", headers: [.authorization: "Bearer \(bearer)"])
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json.elements.compactMap { $0["id"].text }
    }

    private func grant(_ server: TestServer, _ kind: String, _ members: [String: JSON?]) async throws -> Reply {
        try await server.oauth(
            JSON.object(["grant_type": .string("http://auth0.com/oauth/grant-type/mfa-\(kind)")]).with(members))
    }

    private func code(_ secret: JSON, _ server: TestServer) throws -> JSON {
        .string(try TOTP(secret: Base32.decode(#require(secret.text))).code(at: server.now).stringCode)
    }

    private func path(_ user: String, _ rest: String) -> String {
        "users/\(user.replacingOccurrences(of: "|", with: "%7C"))/\(rest)"
    }

    // MARK: Policies

    @Test
    func `all-applications requires a second factor of every user; [] only of those who enrolled`() async throws {
        try await TestServer.with { server in
            _ = try await server.addUser()
            func get() async throws -> JSON { try await server.management(.get, "guardian/policies").json }
            #expect(try await get() == [])
            #expect(try await server.passwordGrant().status == 200)
            let set = try await server.management(.put, "guardian/policies", ["all-applications"])
            #expect(set.status == 200 && set.json == ["all-applications"])
            #expect(try await get() == ["all-applications"])
            let token = try await server.mfaToken()
            #expect(try await authenticators(server, token).isEmpty)
            #expect(
                try await grant(server, "otp", ["mfa_token": .string(token), "otp": "000000"]).json["error"]
                    == "invalid_grant")
            let challenge: JSON = ["client_id": .string(server.key), "mfa_token": .string(token)]
            let asked = try await server.send(
                .post, "/mfa/challenge", headers: [.contentType: "application/json"],
                body: challenge.with(["challenge_type": "oob"]).bytes)
            #expect(asked.status == 403 && asked.json["error"] == "unsupported_challenge_type", "\(asked.text)")
            for wrong: JSON in [["sometimes"], "all-applications", [:], [1], ["all-applications", "x"]] {
                expectRefused(try await server.management(.put, "guardian/policies", wrong), 400, "invalid_body")
            }
            expectRefused(
                try await server.management(.put, "guardian/policies", ["confidence-score"]), 400, "feature_disabled")
            #expect(try await server.management(.put, "guardian/policies", []).json == [])
            #expect(try await server.passwordGrant().status == 200)
            let log = try await server.management(.get, "logs?q=type:gd_tenant_update").json
            #expect(log.elements.count == 2)
        }
    }

    // MARK: In the middle of a sign-in

    @Test
    func `An app is associated and confirmed by its first code, which completes the sign-in`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            _ = try await server.management(.put, "guardian/policies", ["all-applications"])
            let token = try await server.mfaToken()
            let associated = try await associate(server, token)
            #expect(associated.status == 200, "\(associated.text)")
            let secret = associated.json["secret"]
            expectGolden(
                associated.json,
                [
                    "authenticator_type": "otp", "secret": "<base32>",
                    "recovery_codes": associated.json["recovery_codes"],
                    "barcode_uri": .string(
                        "otpauth://totp/countersign:ada%40example.org?secret=\(secret.text ?? "")&issuer=countersign"
                            + "&algorithm=SHA1&digits=6&period=30"),
                ])
            let recovery = try #require(associated.json["recovery_codes"][0].text)
            #expect(recovery.wholeMatch(of: /[A-Z0-9]{24}/) != nil)
            #expect(
                try await grant(server, "otp", ["mfa_token": .string(token), "otp": "000000"]).json["error"]
                    == "invalid_grant")
            let tokens = try await grant(
                server, "otp", ["mfa_token": .string(token), "otp": code(secret, server)])
            #expect(tokens.status == 200, "\(tokens.text)")

            // From now on it is an authenticator like others, and a password adds no second.
            let next = try await server.mfaToken()
            let listed = try await authenticators(server, next)
            #expect(listed.count == 2 && listed[0].hasPrefix("totp|dev_") && listed[1].hasPrefix("recovery-code|"))
            for kind in ["otp", "oob"] {
                let second = try await associate(server, next, kind)
                #expect(second.status == 403 && second.json["error"] == "access_denied", "\(second.text)")
            }
            #expect(
                try await grant(
                    server, "recovery-code", ["mfa_token": .string(next), "recovery_code": .string(recovery)]
                ).status == 200)
            let log = try await server.management(.get, "logs?q=type:gd_recovery_succeed").json
            #expect(log.elements.count == 1 && log[0]["user_id"].text == user)
            #expect(
                try await server.management(.get, "logs?q=type:gd_enrollment_complete").json.elements.count == 1)
        }
    }

    @Test
    func `A device is associated, asked by itself once it has enrolled, and its yes is fetched with the same oob_code`()
        async throws
    {
        try await TestServer.with { server in
            _ = try await server.addUser()
            _ = try await server.management(.put, "guardian/policies", ["all-applications"])
            let token = try await server.mfaToken()
            let associated = try await associate(server, token, "oob").json
            let uri = try #require(URLComponents(string: associated["barcode_uri"].text ?? ""))
            let ticket = try #require(uri.queryItems?.first { $0.name == "enrollment_tx_id" }?.value)
            let oobCode = associated["oob_code"]
            func poll() async throws -> Reply {
                try await grant(server, "oob", ["mfa_token": .string(token), "oob_code": oobCode])
            }
            #expect(try await poll().json["error"] == "authorization_pending")
            let phone = Phone()
            let enrolled = try await server.enroll(phone, ticket: ticket)
            #expect(enrolled.status == 201, "\(enrolled.text)")
            #expect(enrolled.json["recovery_code"] == associated["recovery_codes"][0])
            let device = Enrolled(phone: phone, answer: enrolled.json)
            #expect(try await device.pushes(on: server).isEmpty)
            #expect(try await poll().json["error"] == "authorization_pending")
            #expect(try await poll().json["error"] == "authorization_pending")
            #expect(try await device.pushes(on: server).count == 1)
            _ = try await phone.allow(device.push(on: server), on: server)
            #expect(try await poll().status == 200)
        }
    }

    @Test
    func `In the browser an app is enrolled by its first code, and the application fetches with the signature`()
        async throws
    {
        try await TestServer.with { server in
            _ = try await server.addUser()
            _ = try await server.management(.put, "guardian/policies", ["all-applications"])
            let token = try await server.mfaToken()
            let started = try await server.browser("start-flow", bearer: token).json
            #expect(started["available_enrollment_methods"] == ["push", "otp"])
            #expect(started["device_account"]["recovery_code"].text?.count == 24)
            let transaction = try #require(started["transaction_token"].text)
            let secret = started["device_account"]["otp_secret"]
            expectRefused(
                try await server.browser(
                    "verify-otp", bearer: transaction, ["type": "manual_input", "code": "000000"]), 403, "invalid_otp")
            let verified = try await server.browser(
                "verify-otp", bearer: transaction, ["type": "manual_input", "code": code(secret, server)])
            #expect(verified.status == 204, "\(verified.text)")
            let state = try await server.browser("transaction-state", bearer: transaction).json
            #expect(state["state"] == "accepted" && state["enrollment"]["methods"] == ["otp"])
            let signature = state["token"]
            // The signature is of this sign-in alone.
            let other = try await server.mfaToken()
            #expect(
                try await grant(server, "oob", ["mfa_token": .string(other), "oob_code": signature]).json["error"]
                    == "invalid_grant")
            let tokens = try await grant(server, "oob", ["mfa_token": .string(token), "oob_code": signature])
            #expect(tokens.status == 200, "\(tokens.text)")
        }
    }

    @Test
    func `An mfa_token is its application's alone`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let context = ClientContext(
                clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)
            _ = try await server.realm.applications.add(
                id: ClientID(rawValue: "other"), ApplicationRegistration(), by: context)
            let token = try await server.mfaToken()
            let code = try code(device.answer["totp"]["secret"], server)
            func redeem(_ client: String) async throws -> Reply {
                let body: JSON = [
                    "grant_type": "http://auth0.com/oauth/grant-type/mfa-otp", "client_id": .string(client),
                    "mfa_token": .string(token), "otp": code,
                ]
                return try await server.send(
                    .post, "/oauth/token", headers: [.contentType: "application/json"], body: body.bytes)
            }
            #expect(try await redeem("other").json["error"] == "invalid_grant")
            #expect(try await redeem(server.key).status == 200)
        }
    }

    // MARK: Signed in

    @Test
    func `Who is signed in with the scopes adds, lists and removes authenticators; a password alone removes none`()
        async throws
    {
        try await TestServer.with { server in
            _ = try await server.addUser()
            let mfa = "http://127.0.0.1:8080/mfa/"
            func signIn(_ scope: String, _ audience: String? = mfa) async throws -> JSON {
                var body: JSON = [
                    "grant_type": "password", "username": "ada@example.org", "password": .string(TestServer.password),
                    "scope": .string(scope),
                ]
                if let audience { body = body.with(["audience": .string(audience)]) }
                return try await server.oauth(body).json
            }
            func delete(_ id: String, _ bearer: String) async throws -> Reply {
                try await server.send(
                    .delete, "/mfa/authenticators/\(id.replacingOccurrences(of: "|", with: "%7C"))",
                    headers: [.authorization: "Bearer \(bearer)"])
            }
            let access = try #require(await signIn("enroll read:authenticators")["access_token"].text)
            #expect(try await authenticators(server, access).isEmpty)
            let associated = try await associate(server, access)
            #expect(associated.status == 200, "\(associated.text)")
            let confirmed = try await grant(
                server, "otp",
                ["mfa_token": associated.json["mfa_token"], "otp": code(associated.json["secret"], server)])
            #expect(confirmed.status == 200, "\(confirmed.text)")
            #expect(try await authenticators(server, access).count == 2)
            let refused = try await delete("totp|dev_x", access)
            #expect(refused.status == 403 && refused.json["error"] == "insufficient_scope")
            // That session was proven with a password, which is not enough any more.
            let second = try await associate(server, access, "oob")
            #expect(second.status == 401, "\(second.text)")

            try await server.advance(60)
            let pending = try await signIn("enroll read:authenticators remove:authenticators")["mfa_token"]
            let tokens = try await grant(
                server, "otp", ["mfa_token": pending, "otp": code(associated.json["secret"], server)])
            let full = try #require(tokens.json["access_token"].text)
            let device = try await associate(server, full, "oob")
            #expect(device.status == 200 && device.json["recovery_codes"] == .null, "\(device.text)")
            let uri = try #require(URLComponents(string: device.json["barcode_uri"].text ?? ""))
            let ticket = try #require(uri.queryItems?.first { $0.name == "enrollment_tx_id" }?.value)
            #expect(try await server.enroll(Phone(), ticket: ticket).status == 201)

            let mfaToken = try await server.mfaToken()
            let listed = try await authenticators(server, full)
            #expect(listed.map { $0.prefix { $0 != "|" } } == ["totp", "push", "totp", "recovery-code"])
            #expect(try await delete(listed[0], mfaToken).status == 403)
            #expect(try await delete(listed[3], full).status == 400)
            #expect(try await delete("push|\(listed[0].dropFirst(5))", full).status == 404)
            #expect(try await delete("nonsense", full).status == 404)
            #expect(try await delete(listed[2], full).status == 204)
            #expect(try await authenticators(server, full).count == 3)
            #expect(try await delete(listed[1], full).status == 204)
            #expect(try await delete(listed[0], full).status == 204)
            // With the last one the sessions ended.
            let ended = try await server.send(
                .get, "/mfa/authenticators", headers: [.authorization: "Bearer \(full)"])
            #expect(ended.status == 401 && ended.json["error"] == "invalid_token")
        }
    }

    @Test
    func `An access token for something else, or of an ended session, opens nothing here`() async throws {
        try await TestServer.with { server in
            _ = try await server.addUser()
            let tokens = try await server.passwordGrant(scope: "openid enroll read:authenticators").json
            for token in [tokens["access_token"], tokens["id_token"]] {
                let reply = try await server.send(
                    .get, "/mfa/authenticators", headers: [.authorization: "Bearer \(token.text ?? "")"])
                #expect(reply.status == 401 && reply.json["error"] == "invalid_token", "\(reply.text)")
            }
            #expect(tokens["scope"] == "openid")
        }
    }

    // MARK: The Management API

    @Test
    func `Authentication methods are listed, added, named, replaced and removed`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let all = path(user, "authentication-methods")
            let device = try await server.enrolled(of: user)
            let listed = try await server.management(.get, all).json
            expectGolden(
                listed,
                [
                    [
                        "id": .string("guardian|\(device.id)"), "type": "guardian", "name": "Ada's iPhone",
                        "confirmed": true, "created_at": "2026-09-24T10:11:12.123Z",
                        "authentication_methods": [
                            ["type": "push", "id": .string("push|\(device.id)")],
                            ["type": "totp", "id": .string("totp|\(device.id)")],
                        ],
                    ],
                    [
                        "id": listed[1]["id"], "type": "recovery-code", "confirmed": true,
                        "created_at": "2026-09-24T10:11:12.123Z",
                    ],
                ])
            let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
            let added = try await server.management(
                .post, all, ["type": "totp", "name": "desk", "totp_secret": .string(secret)])
            #expect(added.status == 201, "\(added.text)")
            #expect(added.json["totp_secret"].text == secret && added.json["name"] == "desk")
            let id = try #require(added.json["id"].text)
            #expect(id.hasPrefix("totp|"))
            let mfaToken = try await server.mfaToken()
            let signedIn = try await grant(
                server, "otp", ["mfa_token": .string(mfaToken), "otp": code(.string(secret), server)])
            #expect(signedIn.status == 200, "\(signedIn.text)")
            expectRefused(
                try await server.management(.post, all, ["type": "totp", "totp_secret": .string(secret)]), 409,
                "enrollment_conflict")
            for wrong: JSON in [
                [:], ["type": "totp"], ["type": "totp", "totp_secret": "1"], ["type": "totp", "totp_secret": ""],
                ["type": "totp", "totp_secret": .string(String(repeating: "A", count: 300))],
            ] {
                expectRefused(try await server.management(.post, all, wrong), 400, "invalid_body")
            }
            expectRefused(
                try await server.management(.post, all, ["type": "phone", "phone_number": "+1"]), 400,
                "feature_disabled")

            func one(_ id: String) -> String { "\(all)/\(id.replacingOccurrences(of: "|", with: "%7C"))" }
            #expect(try await server.management(.get, one("push|\(device.id)")).json == listed[0])
            let shown = try await server.management(.get, one(id)).json
            #expect(shown["name"] == "desk" && shown["totp_secret"] == .null)
            #expect(shown["last_auth_at"] == "2026-09-24T10:11:12.123Z")
            #expect(try await server.management(.patch, one(id), ["name": "new"]).json["name"] == "new")
            for wrong: JSON in [[:], ["name": ""], ["preferred_authentication_method": "sms", "name": "x"]] {
                expectRefused(try await server.management(.patch, one(id), wrong), 400, "invalid_body")
            }
            for unknown in ["totp|x", "x", "push|\(id.dropFirst(5))", "password|x"] {
                expectRefused(
                    try await server.management(.get, one(unknown)), 404, "authentication_method_not_found")
                expectRefused(
                    try await server.management(.delete, one(unknown)), 404, "authentication_method_not_found")
            }
            #expect(try await server.management(.delete, one("totp|\(device.id)")).status == 204)
            #expect(
                try await server.management(.get, one("guardian|\(device.id)")).json["authentication_methods"].elements
                    .count == 1)
            #expect(try await server.management(.delete, one("guardian|\(device.id)")).status == 204)

            let replaced = try await server.management(
                .put, all, [["type": "totp", "totp_secret": .string(secret)]])
            #expect(replaced.status == 200 && replaced.json.elements.count == 1, "\(replaced.text)")
            #expect(try await server.management(.get, all).json.elements.count == 1)
            for wrong: JSON in [[:], [1], [["type": "totp"]]] {
                expectRefused(try await server.management(.put, all, wrong), 400, "invalid_body")
            }
            #expect(try await server.management(.get, all).json.elements.count == 1)
            #expect(try await server.management(.put, all, []).json == [])
            #expect(try await server.passwordGrant().status == 200)
            expectRefused(
                try await server.management(.get, path("auth0|nobody", "authentication-methods")), 404,
                "inexistent_user")
        }
    }

    @Test
    func `Apps that make codes are enrolments too`() async throws {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let secret: JSON = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
            let added = try await server.management(
                .post, path(user, "authentication-methods"), ["type": "totp", "totp_secret": secret])
            let id = try #require(added.json["id"].text).dropFirst("totp|".count)
            let shown = try await server.management(.get, "guardian/enrollments/\(id)").json
            #expect(shown["auth_method"] == "authenticator" && shown["status"] == "confirmed")
            #expect(try await server.management(.delete, "guardian/enrollments/\(id)").status == 204)
            expectRefused(
                try await server.management(.delete, "guardian/enrollments/\(id)"), 404, "enrollment_not_found")
        }
    }
}
