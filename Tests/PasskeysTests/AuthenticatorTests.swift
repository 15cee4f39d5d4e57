import Foundation
import JSON
import PasskeyAuthenticator
import Testing

/// What the authenticator of the product takes, and where it answers. That its answers verify, `PasskeyBookTests` shows.
@Suite struct AuthenticatorTests {
    @Test(arguments: [
        ("https://example.org", "https://example.org"), ("https://EXAMPLE.org:443/a?b#c", "https://example.org"),
        ("https://login.example.org:8443", "https://login.example.org:8443"),
        ("http://localhost:8080", "http://localhost:8080"), ("http://localhost:80/", "http://localhost"),
        ("http://127.0.0.1:8080", "http://localhost:8080"), ("http://[::1]:9", "http://localhost:9"),
    ])
    func `an origin is written as browsers write it`(address: String, origin: String) throws {
        #expect(try CallingOrigin(address).text == origin)
    }

    @Test(arguments: [
        "http://example.org", "example.org", "https://", "https://ada@example.org", "https://example.org.",
        "https://192.0.2.1", "ftp://example.org", "https://exa mple.org", "https://ex\"ample.org", "", "null",
        "http://192.168.0.1", "https://[2001:db8::1]", "https://.example.org", "http://localhost.example.org",
    ])
    func `what is no origin is refused`(address: String) {
        #expect(throws: AuthenticatorRefusal.notAnOrigin(address)) { try CallingOrigin(address) }
    }

    @Test(arguments: [
        ("https://login.example.org", "example.org", true), ("https://example.org", "example.org", true),
        ("https://example.org", "login.example.org", false), ("https://badexample.org", "example.org", false),
        ("https://example.org", "org", false), ("https://example.org", ".org", false),
        ("https://example.org", "", false), ("https://example.org", "Example.org", false),
        ("http://localhost:8080", "localhost", true), ("https://example.localhost", "localhost", false),
    ])
    func `an origin belongs to its domain and to those above`(address: String, rpID: String, belongs: Bool) throws {
        #expect(try CallingOrigin(address).belongs(to: rpID) == belongs)
    }

    private let creation =
        #"{"rp":{"id":"example.org","name":"E"},"user":{"id":"dXNlcg","name":"ada","displayName":"Ada"},"#
        + #""challenge":"AAAAAAAAAAAAAAAAAAAAAA","pubKeyCredParams":[{"type":"public-key","alg":-7}]}"#

    @Test func `options are read in every dialect`() throws {
        let plain = try CreationRequest(parsing: Array(creation.utf8))
        #expect(plain.rpID == "example.org" && plain.userHandle == Array("user".utf8) && plain.algorithms == [-7])
        #expect(!plain.requiresUserVerification && plain.excluded.isEmpty && !plain.asksForProperties)
        #expect(try CreationRequest(parsing: Array(#"{"publicKey":\#(creation)}"#.utf8)) == plain)
        let padded = creation.replacingOccurrences(of: "dXNlcg", with: "dXNlcg==")
        #expect(try CreationRequest(parsing: Array(padded.utf8)) == plain)
        let assertion = #"{"challenge":"AAAAAAAAAAAAAAAAAAAAAA==","rpId":"example.org","userVerification":"required"}"#
        let request = try AssertionRequest(parsing: Array(assertion.utf8))
        #expect(request.allowed.isEmpty && request.requiresUserVerification && request.challenge.count == 16)
    }

    @Test(arguments: [
        "", "[]", "{}", "null", #"{"publicKey":[]}"#,
        #"{"rp":{"id":"example.org"},"user":{"id":"dXNlcg"},"challenge":"AA","pubKeyCredParams":[]}"#,
        #"{"rp":{"id":"example.org"},"user":{"id":""},"challenge":"AAAAAAAAAAAAAAAAAAAAAA","pubKeyCredParams":[]}"#,
        #"{"rp":{},"user":{"id":"dXNlcg"},"challenge":"AAAAAAAAAAAAAAAAAAAAAA","pubKeyCredParams":[]}"#,
        #"{"rp":{"id":"a.b"},"user":{"id":"dXNlcg"},"challenge":"AAAAAAAAAAAAAAAAAAAAAA","pubKeyCredParams":5}"#,
        #"{"rp":{"id":"a.b"},"user":{"id":"d*"},"challenge":"AAAAAAAAAAAAAAAAAAAAAA","pubKeyCredParams":[]}"#,
    ])
    func `options that cannot be used are refused`(json: String) {
        #expect(throws: AuthenticatorRefusal.self) { try CreationRequest(parsing: Array(json.utf8)) }
        #expect(throws: AuthenticatorRefusal.self) { try AssertionRequest(parsing: Array(json.utf8)) }
    }

    @Test func `an authenticator without ES256 is not asked in vain`() throws {
        let rsa = try CreationRequest(parsing: Array(creation.replacingOccurrences(of: "-7", with: "-257").utf8))
        let source = try #require(
            PasskeySource(
                aaguid: [UInt8](repeating: 1, count: 16), credentialID: [1], userHandle: [2],
                publicKey: [4] + [UInt8](repeating: 1, count: 64)))
        let origin = try CallingOrigin("https://example.org")
        let state = AuthenticatorState(isUserVerified: true, isBackupEligible: false)
        #expect(throws: AuthenticatorRefusal.noCommonAlgorithm) {
            try source.registration(for: rsa, origin: origin, state: state)
        }
        let security = creation.dropLast() + #","authenticatorSelection":{"authenticatorAttachment":"cross-platform"}}"#
        #expect(throws: AuthenticatorRefusal.wrongAttachment("cross-platform")) {
            try CreationRequest(parsing: Array(security.utf8))
        }
    }

    @Test func `client data is written in the order of the specification`() throws {
        let request = try CreationRequest(parsing: Array(creation.utf8))
        let source = try #require(
            PasskeySource(
                aaguid: [UInt8](repeating: 1, count: 16), credentialID: [1], userHandle: [2],
                publicKey: [4] + [UInt8](repeating: 1, count: 64)))
        let response = try source.registration(
            for: request, origin: CallingOrigin("https://example.org"),
            state: AuthenticatorState(isUserVerified: true, isBackupEligible: false))
        let client = response["response"]?["clientDataJSON"]?.stringValue.flatMap { [UInt8](base64URL: $0) }
        // WebAuthn Level 3, section 5.8.1.1.
        #expect(
            client.map { String(decoding: $0, as: UTF8.self) }
                == #"{"type":"webauthn.create","challenge":"AAAAAAAAAAAAAAAAAAAAAA","origin":"https://example.org","crossOrigin":false}"#
        )
    }
}
