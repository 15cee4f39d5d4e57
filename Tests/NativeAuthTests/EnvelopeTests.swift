import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import NativeAuthWire
import ServerHTTP
import Testing

@Suite("The envelope of native authentication")
struct EnvelopeTests {
    static let id = HTTPField.Name.known(HeaderName.clientRequestID)
    static let own = HTTPField.Name.known(HeaderName.requestID)

    @Test(
        arguments: [
            "", "/contoso.onmicrosoft.com", "/0a0a0a0a-1111-4bbb-8222-3c3c3c3c3c3c", "/testTenant", "/a/b/c",
            "/with%20space", "/oauth2/v2.0/token",
        ])
    func `Any path may stand in front of an endpoint, and is in the issuer`(tenant: String) async throws {
        try await TestServer.with { server in
            var client = try await server.application()
            client.tenant = tenant
            try await server.account()
            let begun = try await client.initiate()
            #expect(begun.status == 200, "\(begun.text)")
            let tokens = try await client.token(
                .password, ["continuation_token": begun.token, "password": NativeClient.password])
            #expect(tokens.status == 200, "\(tokens.text)")
            let issuer = "http://127.0.0.1:8080\(tenant)/v2.0"
            let claims = try Tokens.claims(tokens.json["id_token"])
            #expect(claims["iss"].text == issuer)
            let metadata = try await server.send(.get, "\(tenant)/v2.0/.well-known/openid-configuration")
            #expect(metadata.json["issuer"].text == issuer, "\(metadata.text)")
            #expect(metadata.json["token_endpoint"].text == "http://127.0.0.1:8080\(tenant)/oauth2/v2.0/token")
            let keys = try await server.send(.get, "\(tenant)/discovery/v2.0/keys")
            let kid = try Tokens.header(tokens.json["id_token"])["kid"]
            #expect(keys.json["keys"].elements.contains { $0["kid"] == kid })
            // One realm: the tenant's id is the same under every path.
            #expect(claims["tid"].text == (try await server.realm.tenant().id))
        }
    }

    @Test
    func `The spelling of the documents that lacks a 2 works too; the query is passed over`() async throws {
        try await TestServer.with { server in
            let client = try await server.application()
            try await server.account()
            let reply = try await client.post(
                "/oauth/v2.0/initiate?client-request-id=x&dc=slice",
                [
                    "username": NativeClient.email, "challenge_type": "password oob redirect", "unknown": "x",
                    "x-client-SKU": "MSAL.JS",
                ])
            #expect(reply.status == 200 && reply.token != nil, "\(reply.text)")
        }
    }

    @Test
    func `Every answer names the request: as the client does, where that is a UUID`() async throws {
        try await TestServer.with { server in
            var client = try await server.application()
            try await server.account()
            for given in ["0A0A0A0A-1111-4BBB-8222-3C3C3C3C3C3C", "0a0a0a0a-1111-4bbb-8222-3c3c3c3c3c3c"] {
                client.requestID = given
                for reply in [try await client.initiate(), try await client.initiate(types: "x")] {
                    #expect(reply.headers[Self.id] == given.lowercased())
                    #expect(reply.headers[Self.own]?.count == 36)
                    if reply.status == 400 { #expect(reply.json["correlation_id"].text == given.lowercased()) }
                    // A body that has it has to have a UUID, so that none of success has it.
                    if reply.status == 200 { #expect(reply.json["correlation_id"] == .null) }
                }
            }
            for wrong in ["x", "<script>", nil] {
                client.requestID = wrong
                let reply = try await client.initiate(types: "x")
                #expect(UUID(uuidString: reply.headers[Self.id] ?? "") != nil)
                #expect(reply.json["correlation_id"].text == reply.headers[Self.id])
            }
            let lost = try await server.send(.get, "/contoso/oauth2/v2.0/token")
            #expect(lost.headers[Self.id] != nil && lost.status != 500)
            for reply in [lost, try await client.initiate()] {
                #expect(reply.headers[.wwwAuthenticate] == nil)
            }
        }
    }

    @Test
    func `A refusal is in the documented form`() async throws {
        try await TestServer.with { server in
            let client = try await server.application(reveals: true)
            let reply = try await client.initiate("nobody@example.org")
            expectRefused(reply, "user_not_found", number: 50034)
            let words = try #require(reply.json["error_description"].text)
            #expect(words.hasPrefix("AADSTS50034: "))
            #expect(words.contains("\r\nTrace ID: \(reply.json["trace_id"].text ?? "?")\r\nCorrelation ID: "))
            #expect(reply.json["timestamp"].text?.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/) != nil)
        }
    }

    @Test
    func `Pages of other origins may read the answers`() async throws {
        try await TestServer.with { server in
            let reply = try await server.send(
                .options, "/contoso/oauth2/v2.0/token",
                headers: [.origin: "https://app.example", .accessControlRequestMethod: "POST"])
            #expect(reply.status == 204 && reply.headers[.accessControlAllowOrigin] == "https://app.example")
        }
    }

    @Test
    func `Which applications may ask`() async throws {
        try await TestServer.with { server in
            let known = try await server.application()
            let stranger = NativeClient(server: server, id: "nobody")
            expectRefused(try await stranger.initiate(), "unauthorized_client", number: 700_016)
            // The first application of a server has no challenge types.
            let off = NativeClient(server: server, id: server.key)
            expectRefused(try await off.initiate(), "invalid_client", "nativeauthapi_disabled")
            _ = try await server.realm.applications.change(
                ClientID(rawValue: known.id), by: .testAdministrator
            ) { $0.setSecret(Secret("a secret of the application")) }
            expectRefused(try await known.initiate(), "invalid_client", number: 550_022)
        }
    }

    @Test
    func `dev-app is there under --dev`() async throws {
        try await TestServer.with(.development) { server in
            let client = NativeClient(server: server, id: "dev-app")
            try await server.account()
            let begun = try await client.initiate()
            let tokens = try await client.token(
                .password,
                [
                    "continuation_token": begun.token, "password": NativeClient.password,
                    "scope": "api openid profile offline_access",
                ])
            #expect(tokens.status == 200, "\(tokens.text)")
            #expect(tokens.json["scope"] == "api openid profile offline_access")
        }
    }
}
