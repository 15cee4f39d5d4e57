import CountersignCore
import Crypto
import DialectTestSupport
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("How applications show who they are at the token endpoint")
struct ClientAuthenticationTests {
    private static let administrator = ClientContext(
        clientID: ClientID(rawValue: "test"), dialect: .admin, limitedSource: nil, source: nil)

    /// Registers an application that signs with the key.
    private func addSigner(_ server: TestServer, _ key: P256.Signing.PrivateKey) async throws {
        let point = Array(key.publicKey.rawRepresentation)
        let keys = try AssertionKey.keys(
            ofJWKS: .object([
                "keys": .array([
                    .object([
                        "kty": .string("EC"), "crv": .string("P-256"), "kid": .string("k"),
                        "x": .string(point[..<32].base64URL), "y": .string(point[32...].base64URL),
                    ])
                ])
            ]))
        _ = try await server.realm.applications.add(
            id: ClientID(rawValue: "signer"), ApplicationRegistration(assertionKeys: keys), by: Self.administrator)
    }

    private func assertion(
        _ server: TestServer, _ key: P256.Signing.PrivateKey, for audience: String, id: String
    ) throws -> String {
        let header: JSON = ["alg": "ES256", "kid": "k", "typ": "client-authentication+jwt"]
        let claims: JSON = [
            "iss": "signer", "sub": "signer", "aud": .string(audience), "jti": .string(id),
            "exp": .integer(Int(server.now.seconds) + 60),
        ]
        let input = "\(header.bytes.base64URL).\(claims.bytes.base64URL)"
        return "\(input).\(try key.signature(for: Data(input.utf8)).rawRepresentation.base64URL)"
    }

    private func grant(_ server: TestServer, _ members: JSON) async throws -> Reply {
        let body: JSON = [
            "grant_type": "password", "username": "ada@example.org", "password": .string(TestServer.password),
        ]
        var all = body
        if case .object(let more) = members { all = body.with(more.mapValues { .some($0) }) }
        return try await server.send(
            .post, "/oauth/token", headers: [.contentType: "application/json"], body: all.bytes)
    }

    @Test
    func `An assertion for the issuer, as discovery or the tokens spell it, is good once`() async throws {
        try await TestServer.with { server in
            _ = try await server.addUser()
            let key = P256.Signing.PrivateKey()
            try await addSigner(server, key)
            let issuer = try #require(
                await server.send(.get, "/.well-known/openid-configuration").json["issuer"].text)
            func ask(_ audience: String, _ id: String, by key: P256.Signing.PrivateKey) async throws -> Reply {
                try await grant(
                    server,
                    [
                        "client_assertion": .string(try assertion(server, key, for: audience, id: id)),
                        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    ])
            }
            let first = try await ask(issuer, "1", by: key)
            #expect(first.status == 200, "\(first.text)")
            #expect(try await ask(issuer + "/", "2", by: key).status == 200)
            for (audience, id, signer) in [
                (issuer, "1", key), (issuer + "/oauth/token", "3", key), ("https://elsewhere.example", "4", key),
                (issuer, "5", P256.Signing.PrivateKey()),
            ] {
                let reply = try await ask(audience, id, by: signer)
                #expect(reply.status == 401 && reply.json["error"] == "invalid_client", "\(audience) \(id)")
            }
            // Its name alone is not enough.
            #expect(try await grant(server, ["client_id": "signer"]).json["error"] == "invalid_client")
        }
    }

    @Test
    func `A hundred wrong secrets in ten minutes are looked at, and no more, whatever application is named`()
        async throws
    {
        try await TestServer.with { server in
            _ = try await server.addUser()
            var registration = ApplicationRegistration()
            registration.setSecret(Secret("s3cret"))
            _ = try await server.realm.applications.add(
                id: ClientID(rawValue: "site"), registration, by: Self.administrator)
            let right: JSON = ["client_id": "site", "client_secret": "s3cret"]
            for index in 0..<100 {
                let id: JSON = index.isMultiple(of: 2) ? "site" : "nobody"
                let reply = try await grant(server, ["client_id": id, "client_secret": "wrong"])
                #expect(reply.status == 401 && reply.json["error"] == "invalid_client")
            }
            for members in [right, ["client_id": "nobody", "client_secret": "wrong"]] {
                let reply = try await grant(server, members)
                #expect(reply.status == 429, "\(reply.text)")
            }
            try await server.advance(600)
            #expect(try await grant(server, right).status == 200)
        }
    }

    @Test
    func `Two methods in one request are none`() async throws {
        try await TestServer.with { server in
            _ = try await server.addUser()
            var registration = ApplicationRegistration()
            registration.setSecret(Secret("s3cret"))
            _ = try await server.realm.applications.add(
                id: ClientID(rawValue: "site"), registration, by: Self.administrator)
            let basic = Data("site:s3cret".utf8).base64EncodedString()
            for (form, isGood) in [("", true), ("&client_id=site", true), ("&client_secret=s3cret", false)] {
                let reply = try await server.send(
                    .post, "/oauth/token",
                    headers: [
                        .contentType: "application/x-www-form-urlencoded", .authorization: "Basic \(basic)",
                    ],
                    body: Array(
                        "grant_type=password&username=ada%40example.org&password=analytical+engine\(form)".utf8))
                #expect((reply.status == 200) == isGood, "\(form): \(reply.text)")
            }
        }
    }
}
