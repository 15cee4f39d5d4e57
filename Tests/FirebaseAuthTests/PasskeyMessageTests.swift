import FirebaseAuth
import Foundation
import JSON
import Testing

/// What the client makes of the messages about passkeys, and sends. Source: firebase-tools, `auth/schema.ts`.
@Suite struct PasskeyMessageTests {
    private static let options =
        #"{"rp":{"id":"example.org","name":"E"},"user":{"id":"+/8=","name":"a@b.c","displayName":"A"},"#
        + #""challenge":"//79+w==","pubKeyCredParams":[{"type":"public-key","alg":-7}],"#
        + #""excludeCredentials":[{"type":"public-key","id":"+/+/"}]}"#

    private let server = ScriptedServer()
    private let auth: Auth

    init() { auth = makeAuth(server) }

    private func json(_ data: Data) throws -> JSONValue { try JSONParser.parse(Array(data)) }

    @Test func `Options are written for authenticators, with the name that was given`() async throws {
        server.acceptSignIn()
        server.on("passkeyEnrollment:start", #"{"credentialCreationOptions":\#(Self.options)}"#)
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        let request = try await user.startPasskeyEnrollment(withName: "Laptop")
        #expect(server.body(to: "passkeyEnrollment:start") == #"{"idToken":"id-first"}"#)
        #expect(Array(request.challenge) == [0xFF, 0xFE, 0xFD, 0xFB] && Array(request.userID) == [0xFB, 0xFF])
        let options = try json(request.json)
        #expect(options["challenge"] == "__79-w" && options["user"]?["id"] == "-_8")
        #expect(options["user"]?["name"] == "Laptop" && options["user"]?["displayName"] == "Laptop")
        #expect(
            options["excludeCredentials"] == .array([.object(["type": "public-key", "id": "-_-_"])]))
        #expect(options["pubKeyCredParams"] != nil)
    }

    @Test func `Responses are sent with the standard alphabet and padding`() async throws {
        server.acceptSignIn()
        server.on("passkeyEnrollment:start", #"{"credentialCreationOptions":\#(Self.options)}"#)
        server.on(
            "passkeyEnrollment:finalize", #"{"localId":"u1",\#(ScriptedServer.tokens("second")),"expiresIn":"3600"}"#)
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        _ = try await user.startPasskeyEnrollment(withName: "")
        let bytes = Data([0xFB, 0xFF, 0xBF, 0xFB])
        try await user.finalizePasskeyEnrollment(
            withPlatformCredential: PasskeyRegistration(
                credentialID: bytes, rawClientDataJSON: bytes, rawAttestationObject: bytes))
        let sent = try json(Data(server.body(to: "passkeyEnrollment:finalize").utf8))
        #expect(sent["idToken"] == "id-first" && sent["name"] == "Unnamed account (Apple)")
        let response = sent["authenticatorRegistrationResponse"]
        #expect(response?["id"] == "+/+/+w==" && response?["rawId"] == "+/+/+w==")
        #expect(response?["response"]?["attestationObject"] == "+/+/+w==")
        #expect(user.refreshToken == "rt-second")
    }

    @Test func `A passkey that did not verify its user is followed by the second factor`() async throws {
        server.on(
            "passkeySignIn:finalize",
            #"{"localId":"u1","mfaPendingCredential":"PENDING","mfaInfo":[\#(ScriptedServer.totpFactor)]}"#)
        let bytes = Data([1])
        do {
            try await auth.finalizePasskeySignIn(
                withPlatformCredential: PasskeyAssertion(
                    credentialID: bytes, rawClientDataJSON: bytes, rawAuthenticatorData: bytes, signature: bytes,
                    userID: nil))
            Issue.record("must throw")
        } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
            let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver
            #expect(resolver?.hints.map(\.uid) == ["factor-1"])
        }
        #expect(auth.currentUser == nil)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"credentialRequestOptions":{}}"#, #"{"credentialRequestOptions":{"challenge":"AAAA"}}"#,
        #"{"credentialRequestOptions":{"challenge":"*","rpId":"e"}}"#,
        #"{"credentialRequestOptions":{"challenge":"","rpId":"e"}}"#,
        #"{"credentialRequestOptions":{"challenge":7,"rpId":"e"}}"#,
    ])
    func `An answer without a question is an error`(answer: String) async throws {
        server.on("passkeySignIn:start", answer)
        #expect(await code { _ = try await auth.startPasskeySignIn() } == .malformedResponse)
    }

    @Test(arguments: [
        "", "7", "{}", #"{"id":"AAAA"}"#, #"{"id":"AAAA","response":{}}"#,
        #"{"response":{"clientDataJSON":"AAAA","attestationObject":"AAAA"}}"#,
        #"{"id":"*","response":{"clientDataJSON":"AAAA","attestationObject":"AAAA"}}"#,
        #"{"id":"AAAA","response":{"clientDataJSON":"AAAA","attestationObject":"*"}}"#,
    ])
    func `What is no response of an authenticator is refused before it is sent`(text: String) async throws {
        let json = Data(text.utf8)
        #expect(await code { _ = try PasskeyRegistration(json: json) } == .invalidAuthenticatorResponse)
        #expect(await code { _ = try PasskeyAssertion(json: json) } == .invalidAuthenticatorResponse)
    }

    @Test func `What an authenticator says of itself is passed on`() async throws {
        let made = try PasskeyRegistration(
            json: Data(
                (#"{"id":"AAAA","rawId":"AAAA","type":"public-key","clientExtensionResults":{"credProps":{"rk":false}},"#
                    + #""response":{"clientDataJSON":"AAAA","attestationObject":"AAAA","transports":["usb"]}}"#).utf8))
        #expect(made.isDiscoverable == false && made.transports == ["usb"])
        server.acceptSignIn()
        server.refuse("passkeyEnrollment:finalize", "INVALID_AUTHENTICATOR_RESPONSE : It cannot keep passkeys.")
        let user = try await auth.signIn(withEmail: "a@b.c", password: "p").user
        #expect(
            await code { try await user.finalizePasskeyEnrollment(withPlatformCredential: made) }
                == .invalidAuthenticatorResponse)
        let sent = try json(Data(server.body(to: "passkeyEnrollment:finalize").utf8))[
            "authenticatorRegistrationResponse"]
        #expect(sent?["clientExtensionResults"]?["credProps"]?["rk"] == .bool(false))
        #expect(sent?["response"]?["transports"] == .array(["usb"]))
    }
}
