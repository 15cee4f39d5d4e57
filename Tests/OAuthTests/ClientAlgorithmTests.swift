import CountersignCore
import Crypto
import CryptoExtras
import DialectTestSupport
import Foundation
import HTTPTypes
import JSON
import SignedTokens
import Testing

/// What applications may sign with (section 2 of the metadata: `…_signing_alg_values_supported`), by every kind of key.
@Suite("Algorithms of applications")
struct ClientAlgorithmTests {
    /// A key of an application, with one algorithm.
    private struct Signer: Sendable {
        let algorithm: String
        let jwk: JSON
        let sign: @Sendable (Data) throws -> Data

        func token(_ header: [String: JSON], _ claims: JSON) throws -> String {
            let header = JSON.object(["alg": .string(algorithm)].merging(header) { $1 })
            let input = "\(header.bytes.base64URL).\(claims.bytes.base64URL)"
            return "\(input).\(Array(try sign(Data(input.utf8))).base64URL)"
        }

        static let elliptic: Signer = {
            let key = P256.Signing.PrivateKey()
            let point = Array(key.publicKey.rawRepresentation)
            return Signer(
                algorithm: "ES256",
                jwk: [
                    "kty": "EC", "crv": "P-256", "x": .string(point[..<32].base64URL),
                    "y": .string(point[32...].base64URL),
                ]
            ) { try key.signature(for: $0).rawRepresentation }
        }()

        static let edwards: Signer = {
            let key = Curve25519.Signing.PrivateKey()
            let x = Array(key.publicKey.rawRepresentation).base64URL
            return Signer(algorithm: "EdDSA", jwk: ["kty": "OKP", "crv": "Ed25519", "x": .string(x)]) {
                try key.signature(for: $0)
            }
        }()

        static func rsa(_ algorithm: String, _ padding: _RSA.Signing.Padding) throws -> Signer {
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            let numbers = try key.publicKey.getKeyPrimitives()
            let jwk: JSON = [
                "kty": "RSA", "n": .string(Array(numbers.modulus).base64URL),
                "e": .string(Array(numbers.publicExponent).base64URL),
            ]
            return Signer(algorithm: algorithm, jwk: jwk) {
                try key.signature(for: SHA256.hash(data: $0), padding: padding).rawRepresentation
            }
        }

        static func all() throws -> [Signer] {
            [elliptic, edwards, try rsa("RS256", .insecurePKCS1v1_5), try rsa("PS256", .PSS)]
        }
    }

    private func assertion(
        _ signer: Signer, of client: String, in algorithm: String? = nil, at now: Date
    ) throws -> String {
        let seconds = Int(now.timeIntervalSince1970)
        return try signer.token(
            algorithm.map { ["alg": .string($0)] } ?? [:],
            [
                "iss": .string(client), "sub": .string(client), "aud": "http://127.0.0.1:8080",
                "exp": .integer(seconds + 120), "iat": .integer(seconds), "jti": .string(UUID().uuidString),
            ])
    }

    private func registration(_ jwk: JSON) throws -> ApplicationRegistration {
        let keys = try AssertionKey.keys(ofJWKS: JSONParser.parse(JSON.object(["keys": .array([jwk])]).bytes))
        var registration = ApplicationRegistration(scopes: ["api"])
        registration.assertionKeys = keys
        registration.oauth.kind = .service
        registration.oauth.authMethod = .privateKeyJWT
        return registration
    }

    private func authenticate(_ server: TestServer, _ client: String, _ assertion: String) async throws -> Reply {
        try await server.form(
            "/oauth/token",
            [
                "grant_type": "client_credentials", "client_assertion": assertion,
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ])
    }

    @Test
    func `An application authenticates by a key of each algorithm, and by no other algorithm of its key`() async throws
    {
        try await TestServer.with(.development) { server in
            let signers = try Signer.all()
            for signer in signers {
                let client = "signs-\(signer.algorithm)"
                try await server.add(client, registration(signer.jwk))
                let good = try assertion(signer, of: client, at: server.now)
                let reply = try await authenticate(server, client, good)
                #expect(reply.status == 200, "\(signer.algorithm): \(reply.text)")
                for other in signers where other.algorithm != signer.algorithm {
                    // Said to be of another algorithm, and signed by another key.
                    for wrong in [
                        try assertion(signer, of: client, in: other.algorithm, at: server.now),
                        try assertion(other, of: client, at: server.now),
                    ] {
                        let refused = try await authenticate(server, client, wrong)
                        #expect(refused.status == 401 && refused.json["error"] == "invalid_client", "\(refused.text)")
                    }
                }
            }
        }
    }

    @Test
    func `An RSA key that names its algorithm signs in that one alone`() async throws {
        try await TestServer.with(.development) { server in
            let signer = try Signer.rsa("RS256", .insecurePKCS1v1_5)
            try await server.add("named", registration(signer.jwk.with(["alg": "PS256"])))
            let refused = try await authenticate(
                server, "named", try assertion(signer, of: "named", at: server.now))
            #expect(refused.status == 401)
            #expect(throws: AssertionKey.Fault.self) { try registration(signer.jwk.with(["alg": "RS512"])) }
            #expect(throws: AssertionKey.Fault.self) { try registration(Signer.edwards.jwk.with(["crv": "Ed448"])) }
            #expect(throws: AssertionKey.Fault.self) { try registration(Signer.edwards.jwk.with(["x": "AAAA"])) }
        }
    }

    @Test
    func `Metadata name the algorithms that are taken, and a proof of each binds a token`() async throws {
        try await TestServer.with(.development) { server in
            let metadata = try await server.send(.get, "/.well-known/openid-configuration").json
            let expected = Set(["ES256", "RS256", "PS256", "EdDSA", "Ed25519"])
            for name in ["dpop_signing_alg_values_supported", "token_endpoint_auth_signing_alg_values_supported"] {
                #expect(Set(metadata[name].elements.compactMap(\.text)) == expected)
            }
            for signer in try Signer.all() {
                let now = Int(server.now.timeIntervalSince1970)
                let proof = try signer.token(
                    ["typ": "dpop+jwt", "jwk": signer.jwk],
                    [
                        "jti": .string(UUID().uuidString), "htm": "POST",
                        "htu": "http://127.0.0.1:8080/oauth/token", "iat": .integer(now),
                    ])
                let reply = try await server.form(
                    "/oauth/token", ["grant_type": "client_credentials", "scope": "api"],
                    headers: [.authorization: TestServer.devWeb[.authorization] ?? "", .dpop: proof])
                #expect(reply.status == 200 && reply.json["token_type"] == "DPoP", "\(signer.algorithm): \(reply.text)")
                let header = try signer.token(
                    ["typ": "dpop+jwt", "jwk": signer.jwk, "alg": "HS256"],
                    ["jti": "x", "htm": "POST", "htu": "http://127.0.0.1:8080/oauth/token", "iat": .integer(now)])
                let refused = try await server.form(
                    "/oauth/token", ["grant_type": "client_credentials", "scope": "api"],
                    headers: [.authorization: TestServer.devWeb[.authorization] ?? "", .dpop: header])
                #expect(refused.json["error"] == "invalid_dpop_proof")
            }
        }
    }

    @Test
    func `Ed25519 is taken by the name of RFC 9864, by applications, in request objects and in proofs`() async throws {
        try await TestServer.with(.development) { server in
            let signer = Signer.edwards
            for (client, named) in [("old-name", "EdDSA"), ("new-name", "Ed25519")] {
                try await server.add(client, registration(signer.jwk.with(["alg": .string(named)])))
                for algorithm in ["EdDSA", "Ed25519"] {
                    let reply = try await authenticate(
                        server, client, try assertion(signer, of: client, in: algorithm, at: server.now))
                    #expect(reply.status == 200, "\(named), \(algorithm): \(reply.text)")
                }
                // Another curve of EdDSA.
                let other = try await authenticate(
                    server, client, try assertion(signer, of: client, in: "Ed448", at: server.now))
                #expect(other.status == 401)
            }
            let now = Int(server.now.timeIntervalSince1970)
            let proof = try signer.token(
                ["typ": "dpop+jwt", "jwk": signer.jwk, "alg": "Ed25519"],
                [
                    "jti": .string(UUID().uuidString), "htm": "POST", "htu": "http://127.0.0.1:8080/oauth/token",
                    "iat": .integer(now),
                ])
            let reply = try await server.form(
                "/oauth/token", ["grant_type": "client_credentials", "scope": "api"],
                headers: [.authorization: TestServer.devWeb[.authorization] ?? "", .dpop: proof])
            #expect(reply.status == 200 && reply.json["token_type"] == "DPoP", "\(reply.text)")
            var web = try registration(signer.jwk)
            web.redirectURIs = ["https://app.example/cb"]
            web.oauth.kind = .web
            try await server.add("web", web)
            let object = try signer.token(
                ["typ": "oauth-authz-req+jwt", "alg": "Ed25519"],
                [
                    "iss": "web", "client_id": "web", "aud": "http://127.0.0.1:8080", "exp": .integer(now + 60),
                    "iat": .integer(now), "scope": "api", "response_type": "code",
                    "redirect_uri": "https://app.example/cb", "code_challenge_method": "S256",
                    "code_challenge": .string(Browser.proofKey.challenge),
                ])
            let pushed = try await server.form(
                "/oauth/par",
                [
                    "client_id": "web", "request": object,
                    "client_assertion": try assertion(signer, of: "web", in: "Ed25519", at: server.now),
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                ])
            #expect(pushed.status == 201, "\(pushed.text)")
        }
    }

    /// RFC 8037, appendix A.4.
    @Test
    func `The signature of RFC 8037 is good, and with one bit changed it is not`() throws {
        let key = try SignatureKey(
            jwk: .object([
                "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
            ]), for: [.edDSA])
        let message = Data("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
        let text = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        var signature = Data(try #require([UInt8](base64URL: text)))
        #expect(key.isSignature(signature, of: message))
        signature[0] ^= 1
        #expect(!key.isSignature(signature, of: message))
        #expect(key.thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k", "RFC 8037, appendix A.3")
    }
}
