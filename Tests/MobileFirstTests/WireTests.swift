import ClientHTTP
import Foundation
import JSON
import SecurityChecksWire
import Testing

/// The wire types, read and written. Source: MobileFirst Foundation, Authentication and security.
@Suite struct WireTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func read<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    @Test func `Several challenges, one of them null, are read beside successes`() throws {
        let results: CheckResults<JSONValue> = try read(
            #"""
            {"challenges":{"SomeSecurityCheck1":null,"SomeSecurityCheck2":{"some property":"some value"}},
             "successes":{"clockSynchronization":{"serverTimeStamp":1700000000000},"appAuthenticity":{}}}
            """#)
        #expect(
            results.challenges == [
                "SomeSecurityCheck1": .null, "SomeSecurityCheck2": .object(["some property": .string("some value")]),
            ])
        #expect(results.successes?["appAuthenticity"] == .object([:]))
        #expect(results.failures == nil)
        #expect(
            try json(CheckResults(challenges: ["a": JSONValue.null, "b": .object([:])]))
                == #"{"challenges":{"a":null,"b":{}}}"#)
        #expect(
            try json(CheckResults(failures: ["PinCodeAttempts": BlockedFailure()]))
                == #"{"failures":{"PinCodeAttempts":{"failure":"Account blocked"}}}"#)
    }

    @Test(
        arguments: [
            ("MFP-Challenge", AuthenticateHeader.challenges), ("mfp-challenge", .challenges),
            ("Bearer", .bearer()), ("bearer", .bearer()),
            (#"Bearer error="invalid_token""#, .invalidToken),
            (
                #"Bearer error="insufficient_scope", scope="RegisteredClient accessRestricted""#,
                .insufficientScope(Scope("accessRestricted RegisteredClient"))
            ),
            (
                #"Basic realm="a, Bearer b", Bearer error="insufficient_scope",scope="a""#,
                .insufficientScope(Scope("a"))
            ),
            (#"Bearer realm="x", error=insufficient_scope , scope = "a\"b""#, .insufficientScope(Scope("a\"b"))),
            (#"Bearer scope="a", Basic realm="b", scope="c""#, .bearer(scope: Scope("a"))),
            ("Basic realm=\"x\"", nil), ("", nil), (",,\"", nil), ("Bearerx", nil), ("=", nil),
        ] as [(String, AuthenticateHeader?)])
    func `The header for what is missing is found among others`(text: String, header: AuthenticateHeader?) {
        #expect(AuthenticateHeader(text) == header)
        if let header { #expect(AuthenticateHeader(header.text) == header) }
    }

    @Test func `The header names the error before the scope`() {
        #expect(
            AuthenticateHeader.insufficientScope(Scope("RegisteredClient accessRestricted")).text
                == #"Bearer error="insufficient_scope", scope="accessRestricted RegisteredClient""#)
        #expect(AuthenticateHeader.bearer().text == "Bearer")
        #expect(AuthenticateHeader.challenges.text == "MFP-Challenge")
    }

    @Test func `A scope is a set, always written in the same order`() throws {
        #expect(Scope(" b  a RegisteredClient a").text == "a b RegisteredClient")
        #expect(Scope("b a") == Scope("a b"))
        #expect(Scope("B b A a").text == Scope("a A b B").text)
        #expect(Scope("").elements.isEmpty)
        #expect(try json(["scope": Scope("b a")]) == #"{"scope":"a b"}"#)
    }

    @Test func `A registration of the vendor's client is read, whatever else it has`() throws {
        let request: RegistrationRequest<JSONValue> = try read(
            #"""
            {"signedRegistrationData":{"header":"aA","payload":"bB","signature":"cC"},"registrationData":{"device":1},
             "challengeResponse":{"registration-client-id":{"response":"7"}}}
            """#)
        #expect(request.signedRegistrationData?.signedText == "aA.bB")
        #expect(request.challengeResponse?.keys.first == ReservedCheck.registrationClientID)
        let data: RegistrationData<JSONValue> = try read(
            #"""
            {"device":{"id":"d","platform":"ios 13.5","hardware":"iPhone"},"attributes":{"sdk_protocol_version":1},
             "application":{"id":"com.sample","clientPlatform":"ios","version":"1.0"}}
            """#)
        #expect(data.application == ApplicationData(id: "com.sample", clientPlatform: "ios", version: "1.0"))
        #expect(data.attributes == ["sdk_protocol_version": .integer(1)])
        #expect(try json(RegistrationResponse()) == #"{"server_version":"8.0.2020032408"}"#)
        #expect(Endpoint.registeredClient("x") == "/mfp/api/registration/clients/x")
    }

    @Test(
        arguments: [
            ("_-8", [0xff, 0xef]), ("/+8=", [0xff, 0xef]), ("_-8=", [0xff, 0xef]), ("", []), ("AA", [0]),
            ("AAA", [0, 0]),
            ("A", nil), ("!", nil), ("_-8==x", nil),
        ] as [(String, [UInt8]?)])
    func `Parts of a signature are read in both alphabets`(text: String, bytes: [UInt8]?) {
        #expect(JWSParts.bytes(of: text).map(Array.init) == bytes)
        if let bytes { #expect(JWSParts.bytes(of: JWSParts.part(Data(bytes))).map(Array.init) == bytes) }
    }

    @Test func `A signature goes from its compact form to its parts and back`() throws {
        let parts = try #require(JWSParts(compact: "a.b.c"))
        #expect(parts == JWSParts(header: "a", payload: "b", signature: "c"))
        #expect(parts.compact == "a.b.c")
        for text in ["", "a", "a.b", "a.b.c.d"] { #expect(JWSParts(compact: text) == nil) }
    }

    @Test func `The headers of all signature forms are read`() throws {
        let native: ClientSignatureHeader = try read(
            #"{"alg":"RS256","jwk":{"kty":"RSA","n":"AK","e":"AQAB","kid":"7"}}"#)
        #expect(native == ClientSignatureHeader(alg: .rs256, jwk: ClientKey(n: "AK", e: "AQAB", kid: "7")))
        let web: ClientSignatureHeader = try read(
            #"{"alg":"HS256","jwk":{"use":"enc","kty":"oct","k":""},"key":"01234567890123456789012345678901"}"#)
        #expect(web.alg == .hs256)
        #expect(web.key?.count == 32)
        let assertion: ClientAssertion = try read(
            #"{"iss":"app$web","sub":"7","aud":null,"jti":null,"iat":1700000000000,"exp":1700000060000}"#)
        #expect(assertion.aud == nil && assertion.exp == 1_700_000_060_000)
    }

    @Test func `Requests and answers for tokens are written by the protocol's names`() throws {
        #expect(
            try json(TokenRequest(grantType: .authorizationCode, code: "c", redirectURI: "http://mfpredirecturi"))
                == #"{"client_assertion_type":"urn:ietf:params:oauth:client-assertion-type:jwt-bearer","code":"c","#
                + #""grant_type":"authorization_code","redirect_uri":"http://mfpredirecturi"}"#)
        #expect(
            try json(TokenResponse(accessToken: "t", expiresIn: 60, scope: Scope("a")))
                == #"{"access_token":"t","expires_in":60,"scope":"a","token_type":"Bearer"}"#)
        #expect(
            try json(PreauthorizeRequest<JSONValue>(clientID: "7", scope: Scope("b a"), challengeResponse: [:]))
                == #"{"challengeResponse":{},"client_id":"7","scope":"a b"}"#)
        #expect(try json(ErrorBody(errorCode: .invalidClientID)) == #"{"errorCode":"INVALID_CLIENT_ID"}"#)
        #expect(try json(OAuthErrorBody(error: .invalidGrant)) == #"{"error":"invalid_grant"}"#)
    }

    @Test func `An introspection says nothing of a token that is not active`() throws {
        var response = IntrospectionResponse<JSONValue>(
            active: true, scope: Scope("a"), username: "anonymous", clientID: "7", exp: 1_700_000_000_000,
            application: ApplicationData(id: "i", clientPlatform: "ios", version: "1"),
            device: DeviceData(id: "d", platform: "p", hardware: "h", status: .active),
            checks: ["PinCode": .object([:])])
        #expect(
            try json(response)
                == #"{"active":true,"client_id":"7","exp":1700000000000,"mfp-application":{"clientPlatform":"ios","#
                + #""id":"i","version":"1"},"mfp-checks":{"PinCode":{}},"mfp-device":{"hardware":"h","id":"d","#
                + #""platform":"p","status":"ACTIVE"},"mfp-user":null,"scope":"a","username":"anonymous"}"#)
        #expect(try read(try json(response)) == response)
        response.active = false
        #expect(try json(response) == #"{"active":false}"#)
        #expect(try read(#"{"active":false}"#) == IntrospectionResponse<JSONValue>.inactive)
    }
}
