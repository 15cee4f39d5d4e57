import ClientHTTP
import Foundation
import JSON
import KeychainServices
import SecurityChecksWire
import Testing

@testable import IBMMobileFirstPlatformFoundation

/// How a client becomes known to a server and stays so. Source: MobileFirst's web SDK.
@Suite struct RegistrationTests {
    private func part<Value: Decodable>(_ part: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: try #require(JWSParts.bytes(of: part)))
    }

    private func registration(_ request: HTTPClientRequest) throws -> (JWSParts, RegistrationRequest<JSONValue>) {
        let body = try JSONDecoder().decode(RegistrationRequest<JSONValue>.self, from: request.body ?? Data())
        return (try #require(body.signedRegistrationData), body)
    }

    @Test func `A registration says what the app is, signed with a key of its own`() async throws {
        let app = App()
        _ = try await app.manager.obtainAccessToken(forScope: nil)
        let request = try #require(app.server.requests(to: Endpoint.registration).first)
        let (parts, body) = try registration(request)
        let header: ClientSignatureHeader = try part(parts.header)
        #expect(header == ClientSignatureHeader(alg: .rs256, jwk: ClientKey(n: "AMU", e: "Aw")))
        let data: RegistrationData<JSONValue> = try part(parts.payload)
        #expect(
            data.application == ApplicationData(id: "com.countersign.dev", clientPlatform: "ios", version: "1.0.0"))
        #expect(data.device?.id?.isEmpty == false)
        #expect(body.challengeResponse == nil)

        let token = try #require(app.server.requests(to: Endpoint.token).first)
        let assertion = try #require(JWSParts(compact: token.field("client_assertion") ?? ""))
        let claims: ClientAssertion = try part(assertion.payload)
        let now = Int64(app.clock.now.timeIntervalSince1970) * 1000
        #expect(
            claims
                == ClientAssertion(
                    iss: "com.countersign.dev$ios$1.0.0", sub: "client-1", aud: "az/v1/token", jti: token.field("code"),
                    iat: now, exp: now + 60_000))
        #expect(try part(assertion.header, as: ClientSignatureHeader.self).jwk?.kid == "client-1")
        #expect(token.field("redirect_uri") == "http://mfpredirecturi")
        #expect(token.field("client_assertion_type") == ClientAssertion.type)
    }

    @Test func `Times are the server's, which its checks tell`() async throws {
        let app = App()
        let ahead = Int64(app.clock.now.timeIntervalSince1970) * 1000 + 7_200_000
        app.server.on(
            Endpoint.preauthorize, { _ in StandIn.granted(#""clockSynchronization":{"serverTimeStamp":\#(ahead)}"#) })
        _ = try await app.manager.obtainAccessToken(forScope: nil)
        let token = try #require(app.server.requests(to: Endpoint.token).first)
        let parts = try #require(JWSParts(compact: token.field("client_assertion") ?? ""))
        #expect(try part(parts.payload, as: ClientAssertion.self).iat == ahead)
    }

    @Test func `A registration outlives the program, and a new version is told`() async throws {
        let storage = TestStorage()
        let (server, keys) = (StandIn(), TestKeys())
        _ = try await App(server, storage: storage, keys: keys).manager.obtainAccessToken(forScope: nil)
        _ = try await App(server, storage: storage, keys: keys).manager.obtainAccessToken(forScope: nil)
        #expect(server.count(Endpoint.registration) == 1)
        let newer = App(server, storage: storage, keys: keys, version: "2.0.0")
        _ = try await newer.manager.obtainAccessToken(forScope: nil)
        let update = try #require(server.requests.first { $0.method == "PUT" })
        #expect(update.url.path.hasSuffix("/registration/v1/self/client-1"))
        #expect(
            try part(try registration(update).0.payload, as: RegistrationData<JSONValue>.self).application?.version
                == "2.0.0")
        #expect(keys.tags.current.count == 1)
        // The same device, whatever it is registered as.
        _ = try await newer.manager.obtainAccessToken(forScope: "x")
        #expect(server.requests.filter { $0.method == "PUT" }.count == 1)
    }

    @Test(arguments: [
        (404, "{}"), (400, #"{"errorCode":"INVALID_CLIENT_ID"}"#),
    ])
    func `Where the server has forgotten the client at an update, it registers anew`(
        status: Int, body: String
    ) async throws {
        let (storage, server) = (TestStorage(), StandIn())
        _ = try await App(server, storage: storage).manager.obtainAccessToken(forScope: nil)
        server.on("client-1") { _ in StandIn.json(body, status: status) }
        _ = try await App(server, storage: storage, version: "2").manager.obtainAccessToken(forScope: nil)
        #expect(server.trace.filter { $0 == "POST self" }.count == 2)
    }

    @Test(arguments: [Endpoint.preauthorize, Endpoint.authorization, Endpoint.token])
    func `A client that is unknown registers once more and goes on`(endpoint: String) async throws {
        let app = App()
        let server = app.server
        server.on(endpoint, { _ in StandIn.unknownClient }, { server.usual($0) })
        #expect(try await app.get("balance", scope: "accessRestricted") == "19938.80")
        #expect(server.count(Endpoint.registration) == 2)
        #expect(
            server.requests(to: Endpoint.preauthorize).last?.body.map { String(decoding: $0, as: UTF8.self) }?
                .contains("client-2") == true)
    }

    @Test func `A client that stays unknown fails, and does not try for ever`() async throws {
        let app = App()
        app.server.on(Endpoint.preauthorize, { _ in StandIn.unknownClient })
        #expect(await code { try await app.get("balance", scope: "accessRestricted") } == .authorizationFailure)
        #expect(app.server.count(Endpoint.registration) == 2)
        #expect(app.server.count(Endpoint.preauthorize) == 2)
    }

    @Test func `A client whose key is gone registers anew`() async throws {
        let keys = TestKeys()
        let app = App(keys: keys)
        _ = try await app.manager.obtainAccessToken(forScope: nil)
        keys.tags.withLock { $0 = [] }
        _ = try await app.manager.obtainAccessToken(forScope: "other")
        #expect(app.server.count(Endpoint.registration) == 2)
    }

    @Test func `A registration that is challenged answers with its own id, and asks the app's handler`() async throws {
        let app = App()
        let server = app.server
        server.on(
            Endpoint.registration,
            { _ in
                StandIn.challenge(
                    #""registration-client-id":{"clientID":"c-9"},"appAuthenticity":{"challenge":"a+b"}"#)
            }, { server.usual($0) })
        let attest = app.handle("appAuthenticity", .answer(["appAuthenticityResponse": "r"]))
        _ = try await app.manager.obtainAccessToken(forScope: nil)
        let bodies = server.requests(to: Endpoint.registration)
        let (first, _) = try registration(bodies[0])
        let (second, answer) = try registration(bodies[1])
        #expect(first == second)
        #expect(
            answer.challengeResponse == [
                "registration-client-id": .object(["response": .string("c-9")]),
                "appAuthenticity": .object(["appAuthenticityResponse": .string("r")]),
            ])
        #expect(attest.all == ["challenge challenge=a+b"])
    }

    @Test func `The device's name reaches the server`() async throws {
        let app = App()
        _ = try await app.manager.obtainAccessToken(forScope: nil)
        try await app.client.setDeviceDisplayName("Ada's laptop")
        let update = try #require(app.server.requests.first { $0.method == "PUT" })
        #expect(
            try part(try registration(update).0.payload, as: RegistrationData<JSONValue>.self).device?
                .deviceDisplayName == "Ada's laptop")
        #expect(try await app.client.deviceDisplayName() == "Ada's laptop")
    }

    @Test(
        arguments: [
            ("", nil), ("not-a-number.0.0", .minimumServer), ("8.0.2016051608", .minimumServer),
            ("8.0.2017020513", nil),
            ("8.0.2020032408", nil), ("9.0.0", nil), ("8", .minimumServer),
        ] as [(String, WLErrorCode?)])
    func `A server that names too old a version is refused`(version: String, code expected: WLErrorCode?) async {
        let app = App()
        app.server.on(Endpoint.registration) { _ in
            StandIn.json(
                version.isEmpty ? "{}" : #"{"server_version":"\#(version)"}"#, status: 201,
                headers: ["Location": "/mfp/api/registration/clients/c"])
        }
        #expect(await code { _ = try await app.manager.obtainAccessToken(forScope: nil) } == expected)
    }

    @Test func `Real keys sign what their public half verifies`() async throws {
        let keys = InMemoryClientKeys()
        let tag = "mobilefirst-test-\(UUID().uuidString)"
        let publicKey = try await keys.makeKey(tag: tag)
        let message = Data("message".utf8)
        let signed = try await keys.sign(message, tag: tag)
        let signature = try #require(signed)
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
        ]
        let key = try #require(SecKeyCreateWithData(publicKey as CFData, attributes as CFDictionary, nil))
        #expect(
            SecKeyVerifySignature(key, .rsaSignatureMessagePKCS1v15SHA256, message as CFData, signature as CFData, nil))
        let numbers = try #require(RSAPublicNumbers(pkcs1: publicKey))
        #expect(numbers.modulus.count == 257 && Array(numbers.exponent) == [1, 0, 1])
        keys.removeKey(tag: tag)
        #expect(try await keys.sign(message, tag: tag) == nil)
    }

    @Test(
        arguments: [[], [0x30], [0x30, 0x03, 0x02, 0x01], [0x30, 0x84, 1, 1, 1, 1], [0x02, 0x01, 0x01]] as [[UInt8]])
    func `Public keys that are none are refused`(bytes: [UInt8]) {
        #expect(RSAPublicNumbers(pkcs1: Data(bytes)) == nil)
    }
}
