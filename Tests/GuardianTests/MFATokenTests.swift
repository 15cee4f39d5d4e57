import DialectTestSupport
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import CountersignCore

@Suite("The token of a sign-in that is not complete")
struct MFATokenTests {
    private func claims(_ token: String?) throws -> JSON {
        let parts = try #require(token).split(separator: ".")
        try #require(parts.count == 3)
        return try JSON(parsing: #require([UInt8](base64URL: parts[1])))
    }

    private func authenticators(_ server: TestServer, _ bearer: String) async throws -> Reply {
        try await server.send(.get, "/mfa/authenticators", headers: [.authorization: "Bearer \(bearer)"])
    }

    private func challenge(_ server: TestServer, _ token: String, _ type: String = "oob otp") async throws -> Reply {
        let body: JSON = [
            "client_id": .string(server.key), "challenge_type": .string(type), "mfa_token": .string(token),
        ]
        return try await server.send(
            .post, "/mfa/challenge", headers: [.contentType: "application/json"], body: body.bytes)
    }

    private func grant(_ server: TestServer, _ kind: String, _ members: [String: JSON?]) async throws -> Reply {
        try await server.oauth(
            JSON.object(["grant_type": .string("http://auth0.com/oauth/grant-type/mfa-\(kind)")]).with(members))
    }

    private func poll(_ server: TestServer, _ token: String, _ code: String) async throws -> String? {
        try await grant(server, "oob", ["mfa_token": .string(token), "oob_code": .string(code)]).json["error"].text
    }

    private func set(_ server: TestServer, _ change: @escaping @Sendable (inout SecondFactorSettings) -> Void)
        async throws
    {
        let administrator = ClientContext(
            clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)
        try await server.realm.changeSettings(by: administrator, details: [:]) { change(&$0.secondFactors) }
    }

    // MARK: What it is

    @Test
    func `mfa_token is a JWT that ends with the sign-in, as the vendor's page decodes it before it sends it`()
        async throws
    {
        try await TestServer.with { server in
            _ = try await server.enrolled(of: server.addUser())
            let token = try await server.mfaToken()
            let claims = try claims(token)
            let now = Int(server.now.timeIntervalSince1970)
            #expect(claims["exp"].int == now + 600 && claims["iat"].int == now)
            #expect(claims["txid"].text?.hasPrefix("tx_") == true)
            #expect(try await server.browser("start-flow", bearer: token).status == 201)
            try await server.advance(600)
            let expired = try await authenticators(server, token)
            #expect(expired.status == 401 && expired.json["error"] == "expired_token", "\(expired.text)")
            #expect(try await challenge(server, token).json["error"] == "expired_token")
            expectRefused(try await server.browser("start-flow", bearer: token), 401, "transaction_expired")
        }
    }

    @Test
    func `Neither the handle in it, nor another token of ours, nor one that another issuer made stands for it`()
        async throws
    {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let token = try await server.mfaToken()
            let transaction = try #require(
                try await server.browser("start-flow", bearer: token).json["transaction_token"].text)
            let stranger = Phone()
            let forged = try stranger.token(claims(token))
            let unsigned = ["alg": "none"] as JSON
            for other in [
                try #require(claims(token)["flow"].text), transaction, forged, device.token,
                "\(unsigned.bytes.base64URL).\(try claims(token).bytes.base64URL).", "", "x",
            ] {
                let listed = try await authenticators(server, other)
                #expect(listed.status == 401, "\(other): \(listed.text)")
                let asked = try await challenge(server, other)
                #expect(asked.status >= 400 && asked.status < 500, "\(other): \(asked.text)")
                let redeemed = try await grant(server, "otp", ["mfa_token": .string(other), "otp": "123456"])
                #expect(redeemed.status >= 400 && redeemed.status < 500, "\(other): \(redeemed.text)")
                #expect(try await server.browser("start-flow", bearer: other).status == 401)
            }
            #expect(try await device.pushes(on: server).isEmpty)
            #expect(try await authenticators(server, token).status == 200)
            // And it is none of theirs.
            #expect(try await server.browser("transaction-state", bearer: token).status == 401)
        }
    }

    // MARK: What completes the sign-in

    @Test
    func `mfa_required says what can complete the sign-in, and the list of authenticators says the same words`()
        async throws
    {
        try await TestServer.with { server in
            let user = try await server.addUser()
            try await set(server) { $0.state = .mandatory }
            func requirements() async throws -> JSON { try await server.passwordGrant().json["mfa_requirements"] }
            #expect(try await requirements() == ["enroll": [["type": "push-notification"], ["type": "otp"]]])
            try await set(server) { $0.totp?.state = .disabled }
            #expect(try await requirements() == ["enroll": [["type": "push-notification"]]])
            try await set(server) { $0.totp?.state = .enabled }
            _ = try await server.enrolled(of: user)
            #expect(
                try await requirements() == [
                    "challenge": [["type": "push-notification"], ["type": "otp"], ["type": "recovery-code"]]
                ])
            let listed = try await authenticators(server, server.mfaToken()).json
            #expect(listed.elements.map { $0["type"] } == ["push-notification", "otp", "recovery-code"])
            #expect(listed[0]["oob_channel"] == "auth0" && listed[0]["oob_channels"] == ["auth0"])
            #expect(listed.elements.allSatisfy { $0["active"] == true })
            try await set(server) { $0.offersPush = false }
            #expect(try await requirements() == ["challenge": [["type": "otp"], ["type": "recovery-code"]]])
            // A wrong password tells nothing of that.
            #expect(
                try await server.passwordGrant(password: "wrong").json.names == ["error", "error_description"])
        }
    }

    @Test
    func `After a no every factor of that sign-in is refused, also when it is only asked for`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let token = try await server.mfaToken()
            let code = try #require(await challenge(server, token, "oob").json["oob_code"].text)
            _ = try await device.phone.reject(device.push(on: server), reason: nil, on: server)
            let refusal: JSON = ["error": "invalid_grant", "error_description": "MFA Authorization rejected."]
            for type in ["otp", "oob", "oob otp"] {
                let reply = try await challenge(server, token, type)
                #expect(reply.status == 400 && reply.json == refusal, "\(reply.text)")
            }
            for (kind, member) in [("oob", "oob_code"), ("otp", "otp"), ("recovery-code", "recovery_code")] {
                let value: JSON =
                    switch kind {
                    case "oob": .string(code)
                    case "otp": "123456"
                    default: device.answer["recovery_code"]
                    }
                let reply = try await grant(server, kind, ["mfa_token": .string(token), member: value])
                #expect(reply.status == 400 && reply.json == refusal, "\(reply.text)")
            }
            // The next sign-in is another one.
            #expect(try await challenge(server, server.mfaToken(), "otp").status == 200)
        }
    }

    // MARK: What ends

    @Test
    func `Who waits for a device that was removed, or for a request that another took the place of, is told at once`()
        async throws
    {
        try await TestServer.with { server in
            let user = try await server.addUser()
            let first = try await server.enrolled(of: user)
            var other = Phone()
            other.identifier = "another"
            let second = try await server.enrolled(other, of: user)
            let token = try await server.mfaToken()
            let code = try #require(await challenge(server, token, "oob").json["oob_code"].text)
            let transaction = try #require(
                try await server.browser("start-flow", bearer: token).json["transaction_token"].text)
            #expect(try await server.management(.delete, "guardian/enrollments/\(first.id)").status == 204)
            #expect(
                try await poll(server, token, code) == "authorization_pending", "The second device can still answer.")
            // A newer request, of another sign-in of the same user and application.
            try await server.advance(60)
            let newer = try await server.mfaToken()
            let newCode = try #require(await challenge(server, newer, "oob").json["oob_code"].text)
            #expect(try await poll(server, token, code) == "expired_token")
            #expect(try await poll(server, newer, newCode) == "authorization_pending")
            #expect(try await server.management(.delete, "guardian/enrollments/\(second.id)").status == 204)
            #expect(try await poll(server, newer, newCode) != "authorization_pending")
            let state = try await server.browser("transaction-state", bearer: transaction)
            #expect(state.json["state"] != "accepted", "\(state.text)")
        }
    }

    @Test
    func `Who waits for a device to enrol is told at once that it was removed, before it was asked and afterwards`()
        async throws
    {
        try await TestServer.with { server in
            _ = try await server.addUser()
            try await set(server) { $0.state = .mandatory }
            for isAsked in [false, true] {
                let token = try await server.mfaToken()
                let associated = try await server.send(
                    .post, "/mfa/associate",
                    headers: [.authorization: "Bearer \(token)", .contentType: "application/json"],
                    body: (["authenticator_types": ["oob"], "oob_channels": ["auth0"]] as JSON).bytes)
                let code = try #require(associated.json["oob_code"].text, "\(associated.text)")
                #expect(try await poll(server, token, code) == "authorization_pending")
                let uri = try #require(URLComponents(string: associated.json["barcode_uri"].text ?? ""))
                let ticket = try #require(uri.queryItems?.first { $0.name == "enrollment_tx_id" }?.value)
                #expect(try await server.enroll(Phone(), ticket: ticket).status == 201)
                if isAsked { #expect(try await poll(server, token, code) == "authorization_pending") }
                #expect(try await server.management(.delete, "guardian/enrollments/\(code)").status == 204)
                #expect(try await poll(server, token, code) == "expired_token")
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `A device that is removed while it waits for requests is told at once`() async throws {
        try await TestServer.with { server in
            let device = try await server.enrolled(of: server.addUser())
            let path = "/appliance-mfa/api/device-accounts/\(device.id)"
            let headers: HTTPFields = [.authorization: "Bearer \(device.token)"]
            async let waiting = server.send(.get, "\(path)/notifications?wait=55", headers: headers)
            while server.realm.notifier.listenerCount == 0 { await Task.yield() }
            #expect(try await server.send(.delete, path, headers: headers).status == 204)
            expectRefused(try await waiting, 404, "enrollment_not_found")
        }
    }
}
