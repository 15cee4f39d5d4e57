import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import TestSupport
import Testing

@Suite("Guardian's backchannel and rich consents")
struct BackchannelTests {
    private static let payment: JSON = [
        "type": "payment_initiation", "instructedAmount": ["currency": "EUR", "amount": 123.5],
    ]

    /// An application with a secret.
    private func addSite(_ server: TestServer) async throws {
        var registration = ApplicationRegistration(audiences: ["https://api"])
        registration.setSecret(Secret("s3cret"))
        let context = ClientContext(
            clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)
        for id in ["site", "elsewhere"] {
            _ = try await server.realm.applications.add(id: ClientID(rawValue: id), registration, by: context)
        }
    }

    private func form(_ server: TestServer, _ path: String, _ members: [String: String?]) async throws -> Reply {
        var components = URLComponents()
        components.queryItems = members.compactMap { name, value in
            value.map { URLQueryItem(name: name, value: $0) }
        }
        let body = (components.percentEncodedQuery ?? "").replacingOccurrences(of: "+", with: "%2B")
        return try await server.send(
            .post, path, headers: [.contentType: "application/x-www-form-urlencoded"], body: Array(body.utf8))
    }

    private func begin(
        _ server: TestServer, _ user: String, _ changes: [String: String?] = [:]
    ) async throws -> Reply {
        let hint: JSON = ["format": "iss_sub", "iss": "http://127.0.0.1:8080/", "sub": .string(user)]
        let members: [String: String?] = [
            "client_id": "site", "client_secret": "s3cret", "scope": "openid email",
            "login_hint": String(decoding: hint.bytes, as: UTF8.self), "binding_message": "21-49-38",
            "audience": "https://api",
            "authorization_details": String(decoding: JSON.array([Self.payment]).bytes, as: UTF8.self),
        ]
        return try await form(server, "/bc-authorize", members.merging(changes) { $1 })
    }

    private func poll(_ server: TestServer, _ id: String, client: String = "site") async throws -> Reply {
        try await form(
            server, "/oauth/token",
            [
                "client_id": client, "client_secret": "s3cret", "auth_req_id": id,
                "grant_type": "urn:openid:params:grant-type:ciba",
            ])
    }

    private func claims(_ token: JSON) throws -> JSON {
        let part = try #require(token.text).split(separator: ".")[1]
        return try JSON(parsing: #require([UInt8](base64URL: part)))
    }

    /// As the vendor's SDK fetches a consent.
    private func consent(
        _ server: TestServer, _ phone: Phone, _ push: JSON, header: [String: JSON?] = [:],
        claims: [String: JSON?] = [:], proof: String? = nil, path: String? = nil
    ) async throws -> Reply {
        let token = push["mfa"]["txtkn"].text ?? ""
        let path = path ?? "/rich-consents/\(push["mfa"]["txlnkid"].text ?? "")"
        let head: JSON = ["alg": .string(phone.key.algorithm), "typ": "dpop+jwt", "jwk": try phone.jwk]
        let body: JSON = [
            "htu": .string(phone.base + path), "htm": "GET", "jti": .string(UUID().uuidString),
            "ath": .string(Array(SHA256.hash(data: Data(token.utf8))).base64URL),
            "iat": .number(server.now.timeIntervalSince1970 + 0.4),
        ]
        let signed = try proof ?? phone.token(body.with(claims), header: head.with(header))
        return try await server.send(
            .get, path, headers: [.authorization: "MFA-DPoP \(token)", .known("MFA-DPoP"): signed])
    }

    @Test(
        arguments: [false, true])
    func `An application asks, the device reads what it is about and allows it, tokens are fetched once`(withRSA: Bool)
        async throws
    {
        try await TestServer.with { server in
            try await addSite(server)
            let user = try await server.addUser()
            let device = try await server.enrolled(withRSA ? .rsa() : Phone(), of: user)
            let begun = try await begin(server, user)
            #expect(begun.status == 200, "\(begun.text)")
            #expect(begun.json["expires_in"] == 300 && begun.json["interval"] == 5)
            #expect(begun.headers[HTTPField.Name("X-RateLimit-Remaining")!] == "4")
            let id = try #require(begun.json["auth_req_id"].text)
            let pending = try await poll(server, id)
            #expect(pending.status == 400 && pending.json["error"] == "authorization_pending")
            #expect(try await poll(server, id, client: "elsewhere").json["error"] == "invalid_grant")

            let push = try await device.push(on: server)
            let linking = try #require(push["mfa"]["txlnkid"].text)
            #expect(linking.hasPrefix("cns_"))
            let consent = try await consent(server, device.phone, push)
            #expect(consent.status == 200, "\(consent.text)")
            expectGolden(
                consent.json,
                [
                    "id": .string(linking), "created_at": "2026-09-24T10:11:12.123Z",
                    "expires_at": "2026-09-24T10:16:12.123Z",
                    "requested_details": [
                        "audience": "https://api", "scope": ["openid", "email"], "binding_message": "21-49-38",
                        "authorization_details": [Self.payment],
                    ],
                ])
            #expect(try await device.phone.allow(push, on: server).status == 204)
            let tokens = try await poll(server, id)
            #expect(tokens.status == 200, "\(tokens.text)")
            let identity = try claims(tokens.json["id_token"])
            #expect(identity["sub"].text == user && identity["aud"] == "site" && identity["amr"] == ["pop"])
            // What exactly was allowed, for the application and for the API (RFC 9396, sections 7 and 9.1).
            #expect(tokens.json["authorization_details"] == [Self.payment])
            let access = try claims(tokens.json["access_token"])
            #expect(access["aud"] == "https://api" && access["authorization_details"] == [Self.payment])
            #expect(identity["authorization_details"] == .null)
            #expect(try await poll(server, id).json["error"] == "invalid_grant")
            // A request that is over shows nothing.
            expectRefused(try await self.consent(server, device.phone, push), 401, "invalid_token")
        }
    }

    @Test
    func `A no, a time that is over, too many polls, and what else an auth_req_id is not good for`() async throws {
        try await TestServer.with { server in
            try await addSite(server)
            let user = try await server.addUser()
            let device = try await server.enrolled(of: user)
            let id = try #require(await begin(server, user).json["auth_req_id"].text)
            for _ in 0..<12 {
                #expect(try await poll(server, id).json["error"] == "authorization_pending")
            }
            let slow = try await poll(server, id)
            #expect(slow.json["error"] == "slow_down" && slow.headers[.retryAfter] == "5")
            _ = try await device.phone.reject(device.push(on: server), reason: "hacked", on: server)
            try await server.advance(60)
            #expect(try await poll(server, id).json["error"] == "access_denied")

            let short = try #require(await begin(server, user, ["requested_expiry": "10"]).json["auth_req_id"].text)
            // The secret of a sign-in with a password it is not.
            #expect(
                try await server.send(.get, "/mfa/authenticators", headers: [.authorization: "Bearer \(short)"]).status
                    == 401)
            expectRefused(try await server.browser("start-flow", bearer: short), 401, "invalid_token")
            for (kind, name) in [("otp", "otp"), ("oob", "oob_code"), ("recovery-code", "recovery_code")] {
                let reply = try await form(
                    server, "/oauth/token",
                    [
                        "client_id": "site", "client_secret": "s3cret", "mfa_token": short, name: "x",
                        "grant_type": "http://auth0.com/oauth/grant-type/mfa-\(kind)",
                    ])
                #expect(reply.json["error"] == "invalid_grant", "\(reply.text)")
            }
            try await server.advance(10)
            #expect(try await poll(server, short).json["error"] == "expired_token")
            #expect(try await poll(server, "unknown").json["error"] == "invalid_grant")
        }
    }

    static let refusals: [(changes: [String: String?], status: Int, error: String)] = [
        (["client_secret": "wrong"], 401, "invalid_client"), (["client_id": nil], 401, "invalid_client"),
        (["scope": "email"], 400, "invalid_scope"), (["scope": nil], 400, "invalid_scope"),
        (["login_hint": nil], 400, "invalid_request"), (["login_hint": "auth0|x"], 400, "invalid_request"),
        (["login_hint": "[]"], 400, "invalid_request"), (["login_hint": "{\"sub\":{}}"], 400, "invalid_request"),
        (["login_hint": "{\"format\":\"email\",\"email\":\"a@b.c\"}"], 400, "invalid_request"),
        (
            ["login_hint": "{\"format\":\"iss_sub\",\"iss\":\"https://evil.example/\",\"sub\":\"auth0|x\"}"], 400,
            "invalid_request"
        ),
        (
            ["login_hint": "{\"format\":\"iss_sub\",\"iss\":\"http://127.0.0.1:8080/\",\"sub\":\"auth0|x\"}"], 400,
            "unknown_user_id"
        ),
        (["binding_message": String(repeating: "a", count: 65)], 400, "invalid_binding_message"),
        (["binding_message": "pay <b>"], 400, "invalid_binding_message"),
        (["requested_expiry": "0"], 400, "invalid_request"), (["requested_expiry": "301"], 400, "invalid_request"),
        (["requested_expiry": "soon"], 400, "invalid_request"),
        (["authorization_details": "{}"], 400, "invalid_authorization_details"),
        (["authorization_details": "[1]"], 400, "invalid_authorization_details"),
        (["authorization_details": "[{}]"], 400, "invalid_authorization_details"),
        (["authorization_details": "["], 400, "invalid_authorization_details"),
        (
            ["authorization_details": "[{\"type\":\"t\",\"x\":\"\(String(repeating: "y", count: 9000))\"}]"], 400,
            "invalid_authorization_details"
        ),
        (
            ["authorization_details": "[\(Array(repeating: "{\"type\":\"t\"}", count: 11).joined(separator: ","))]"],
            400, "invalid_authorization_details"
        ),
        (["audience": String(repeating: "a", count: 600)], 400, "invalid_request"),
    ]

    @Test
    func `What an application asks wrongly reaches no user's phone`() async throws {
        try await TestServer.with { server in
            try await addSite(server)
            let user = try await server.addUser()
            let device = try await server.enrolled(of: user)
            for (changes, status, error) in Self.refusals {
                let reply = try await begin(server, user, changes)
                #expect(reply.status == status && reply.json["error"].text == error, "\(changes): \(reply.text)")
            }
            let open = try await begin(server, user, ["client_id": server.key, "client_secret": nil])
            #expect(open.status == 403 && open.json["error"] == "unauthorized_client", "\(open.text)")
            #expect(try await device.pushes(on: server).isEmpty)
            let without = try await server.addUser("bob@example.org")
            #expect(try await begin(server, without).json["error"] == "invalid_grant")
            #expect(
                try await begin(server, user, ["binding_message": nil, "authorization_details": nil]).status == 200)
            let plain = try await consent(server, device.phone, device.push(on: server)).json
            #expect(plain["requested_details"].names == ["audience", "scope"])
        }
    }

    @Test
    func `A proof that is not the device's, not about this, or used before opens no consent`() async throws {
        try await TestServer.with { server in
            try await addSite(server)
            let user = try await server.addUser()
            let device = try await server.enrolled(of: user)
            let phone = device.phone
            _ = try await begin(server, user)
            let push = try await device.push(on: server)
            let bad: [(header: [String: JSON?], claims: [String: JSON?])] = [
                (["alg": "none"], [:]), (["typ": "JWT"], [:]), (["jwk": nil], [:]), (["jwk": ["kty": "RSA"]], [:]),
                ([:], ["htm": "POST"]), ([:], ["htu": "https://elsewhere.example/rich-consents/x"]),
                ([:], ["ath": "x"]), ([:], ["iat": 1]), ([:], ["jti": nil]),
            ]
            for (header, claims) in bad {
                expectRefused(
                    try await consent(server, phone, push, header: header, claims: claims), 403,
                    "invalid_dpop_assertion")
            }
            for proof in ["x", "a.b.c", String(repeating: "a", count: 20_000)] {
                expectRefused(
                    try await consent(server, phone, push, proof: proof), 403, "invalid_dpop_assertion")
            }
            expectRefused(try await consent(server, Phone(), push), 403, "invalid_dpop_assertion")
            expectRefused(
                try await consent(server, phone, push, path: "/rich-consents/cns_other"), 404, "consent_not_found")
            for headers: HTTPFields in [
                [:], [.authorization: "MFA-DPoP x"], [.authorization: "Bearer x", .known("MFA-DPoP"): "x"],
            ] {
                expectRefused(
                    try await server.send(.get, "/rich-consents/cns_1", headers: headers), 401, "invalid_token")
            }
            expectRefused(
                try await server.send(
                    .get, "/rich-consents/cns_1",
                    headers: [.authorization: "MFA-DPoP unknown", .known("MFA-DPoP"): "x"]), 401,
                "invalid_token")
            #expect(try await consent(server, phone, push).status == 200)
            // A request to sign in is about no consent.
            server.clock.advance(1)
            let token = try await server.mfaToken()
            _ = try await server.browser(
                "send-push-notification",
                bearer: #require(await server.browser("start-flow", bearer: token).json["transaction_token"].text))
            let plain = try await device.push(on: server)
            #expect(plain["mfa"].names.contains("txlnkid") == false)
            expectRefused(
                try await consent(server, phone, plain, path: "/rich-consents/cns_1"), 404, "consent_not_found")
        }
    }
}
