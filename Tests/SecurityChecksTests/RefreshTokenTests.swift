import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import SecurityChecks
import TestSupport
import Testing

/// Refresh tokens, which an application has to switch on.
@Suite("Refresh tokens")
struct RefreshTokenTests {
    private static let scope = "RegisteredClient accessRestricted"
    private static let pin: JSON = ["PinCodeAttempts": ["pin": "1234"]]

    private static func withClient(
        refreshTokens: Bool = true, _ body: @Sendable (TestServer, MobileClient) async throws -> Void
    ) async throws {
        try await TestServer.with(.development) { server in
            try await server.setVersions([
                ApplicationVersion(
                    scopeElementMapping: ["accessRestricted": "PinCodeAttempts"], refreshTokens: refreshTokens)
            ])
            let client = try await MobileClient.registered(on: server)
            expectGranted(try await client.preauthorize(scope, pin))
            try await body(server, client)
        }
    }

    private static func redeem(_ client: MobileClient, asking: String?) async throws -> JSON {
        let code = try await client.code(scope)
        let reply = try await client.form(
            "/az/v1/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "http://mfpredirecturi"),
                ("client_assertion", try client.assertion(code)), ("client_id", client.id),
            ] + (asking.map { [("get_refresh_token", $0)] } ?? []))
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json
    }

    private static func refresh(
        _ client: MobileClient, _ token: String, assertion: String? = nil
    ) async throws -> Reply {
        try await client.form(
            "/az/v1/token",
            [
                ("grant_type", "refresh_token"), ("refresh_token", token), ("redirect_uri", "http://mfpredirecturi"),
                ("client_assertion", try assertion ?? client.assertion("get_refresh_token")), ("client_id", client.id),
            ])
    }

    @Test
    func `A client that asks gets one where the application has them, and goes on when the check is over`() async throws
    {
        try await Self.withClient { server, client in
            #expect(try await Self.redeem(client, asking: nil)["refresh_token"] == .null)
            #expect(try await Self.redeem(client, asking: "FALSE")["refresh_token"] == .null)
            let first = try #require(try await Self.redeem(client, asking: "TRUE")["refresh_token"].text)
            let application = ClientID(rawValue: "com.countersign.dev")
            let uses = try await server.realm.applicationUses.list(of: [application])
            #expect(uses[application]?.map(\.dialect) == [.securityChecks])
            try await server.advance(61)
            #expect(try await client.preauthorize(Self.scope).status == 401)
            let reply = try await Self.refresh(client, first)
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.headers[.cacheControl] == "no-store")
            #expect(reply.json["expires_in"] == 3600 && reply.json["token_type"] == "Bearer")
            #expect(
                Set(reply.json["scope"].text?.split(separator: " ") ?? []) == ["accessRestricted", "RegisteredClient"])
            let token = try #require(reply.json["access_token"].text)
            let second = try #require(reply.json["refresh_token"].text)
            #expect(second != first)
            #expect(try await client.resource(.get, "ResourceAdapter/balance", token: token).status == 200)
            #expect(try await server.introspect(token)["active"] == true)

            try await server.advance(61)
            for _ in 0..<2 {
                // The first again has been stolen, or the second has: both are over.
                let reused = try await Self.refresh(client, first)
                #expect(reused.status == 400 && reused.json["error"] == "invalid_grant", "\(reused.text)")
            }
            #expect(try await Self.refresh(client, second).json["error"] == "invalid_grant")
            #expect(try await server.introspect(token) == ["active": false])
            #expect(try await client.resource(.get, "ResourceAdapter/balance", token: token).status == 401)
        }
    }

    @Test
    func `There are none where the application does not say so`() async throws {
        try await Self.withClient(refreshTokens: false) { _, client in
            let redeemed = try await Self.redeem(client, asking: "TRUE")
            #expect(redeemed["refresh_token"] == .null)
            let refused = try await Self.refresh(client, "0123456789abcdef.0123456789abcdef")
            #expect(refused.status == 400 && refused.json["error"] == "invalid_grant")
        }
    }

    @Test
    func `The token alone is useless`() async throws {
        try await Self.withClient { server, client in
            let token = try #require(try await Self.redeem(client, asking: "true")["refresh_token"].text)
            let other = try await MobileClient.registered(on: server)
            #expect(try await Self.refresh(other, token).json["error"] == "invalid_grant")
            var thief = try MobileClient(on: server, key: .freshRSA())
            thief.id = client.id
            let foreign = try await Self.refresh(thief, token)
            #expect(foreign.status == 400 && foreign.json["error"] == "invalid_client")
            for assertion in [try client.assertion(), try client.assertion(token)] {
                #expect(try await Self.refresh(client, token, assertion: assertion).json["error"] == "invalid_client")
            }
            let missing = try await client.form(
                "/az/v1/token", [("grant_type", "refresh_token"), ("client_assertion", try client.assertion())])
            #expect(missing.status == 400 && missing.json["error"] == "invalid_request")
            #expect(try await Self.refresh(client, token).status == 200)
        }
    }

    @Test
    func `Logging out ends it`() async throws {
        try await Self.withClient { server, client in
            let token = try #require(try await Self.redeem(client, asking: "TRUE")["refresh_token"].text)
            let refreshed = try await Self.refresh(client, token).json
            try await server.advance(61)
            #expect(try await client.logout("PinCodeAttempts").status == 200)
            #expect(try await server.introspect(refreshed["access_token"].text ?? "") == ["active": false])
            let reply = try await Self.refresh(client, refreshed["refresh_token"].text ?? "")
            #expect(reply.status == 400 && reply.json["error"] == "invalid_grant")
        }
    }
}
