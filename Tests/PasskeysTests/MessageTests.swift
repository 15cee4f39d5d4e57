import Foundation
import JSON
import PasskeyTestSupport
import Passkeys
import Testing

/// The JSON of WebAuthn Level 3, section 5.1.
@Suite struct MessageTests {
    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func `options of a registration are what browsers parse`() throws {
        let party = try RelyingParty(id: "example.org", name: "Example", origins: ["https://example.org"])
        var options = CreationOptions(
            relyingParty: party, user: CreationOptions.User(id: [0xFB, 0xFF], name: "ada", displayName: "Ada"),
            challenge: [UInt8](repeating: 0xFE, count: 3),
            excludeCredentials: [CredentialDescriptor(id: [1], transports: ["usb"])])
        #expect(
            try text(options) == """
                {"attestation":"none","authenticatorSelection":{"requireResidentKey":true,"residentKey":"required",\
                "userVerification":"required"},"challenge":"_v7-","excludeCredentials":[{"id":"AQ","transports":["usb"],\
                "type":"public-key"}],"extensions":{"credProps":true},"pubKeyCredParams":[{"alg":-8,"type":"public-key"},\
                {"alg":-7,"type":"public-key"},{"alg":-257,"type":"public-key"}],"rp":{"id":"example.org","name":"Example"},\
                "timeout":300000,"user":{"displayName":"Ada","id":"-_8","name":"ada"}}
                """)
        options.hints = ["client-device"]
        let kept = try JSONDecoder().decode(CreationOptions.self, from: JSONEncoder().encode(options))
        #expect(kept == options)
    }

    @Test func `options of a sign-in are what browsers parse`() throws {
        let party = try RelyingParty(id: "example.org", name: "Example", origins: ["https://example.org"])
        let options = RequestOptions(relyingParty: party, challenge: [0, 1, 2])
        #expect(
            try text(options) == """
                {"allowCredentials":[],"challenge":"AAEC","rpId":"example.org","timeout":300000,"userVerification":"required"}
                """)
        #expect(try JSONDecoder().decode(RequestOptions.self, from: JSONEncoder().encode(options)) == options)
    }

    @Test func `responses are read as they are written`() throws {
        let site = try Site()
        let registration = try site.registration()
        let assertion = try site.assertion()
        #expect(registration.isDiscoverable == true && registration.authenticatorAttachment == "platform")
        #expect(try RegistrationResponse(parsing: Array(JSONEncoder().encode(registration))) == registration)
        #expect(try AuthenticationResponse(parsing: Array(JSONEncoder().encode(assertion))) == assertion)
        #expect(
            try JSONDecoder().decode(RegistrationResponse.self, from: JSONEncoder().encode(registration))
                == registration)
        #expect(
            try JSONDecoder().decode(AuthenticationResponse.self, from: JSONEncoder().encode(assertion)) == assertion)
    }

    /// An id, client data and a signature with every letter that the alphabets write differently, and with padding.
    private static let odd: [UInt8] = [0xFB, 0xEF, 0xFF, 0xFE]

    private func message(_ code: ([UInt8]) -> String, rawID: String?, type: String?) -> [UInt8] {
        var members = [
            #""id":"\#(code(Self.odd))""#,
            #""response":{"clientDataJSON":"\#(code(Self.odd))","authenticatorData":"\#(code(Self.odd))","signature":"\#(code(Self.odd))"}"#,
        ]
        if let rawID { members.append(#""rawId":"\#(rawID)""#) }
        if let type { members.append(#""type":"\#(type)""#) }
        return Array("{\(members.joined(separator: ","))}".utf8)
    }

    @Test func `standard base64 with padding is read where it is allowed, and only there`() throws {
        let standard = { (bytes: [UInt8]) in Data(bytes).base64EncodedString() }
        let json = message(standard, rawID: standard(Self.odd), type: "public-key")
        let lenient = try AuthenticationResponse(parsing: json, binary: .anyBase64)
        #expect(lenient.rawID == Self.odd && lenient.clientDataJSON == Self.odd && lenient.signature == Self.odd)
        #expect(lenient.id == Self.odd.base64URL)
        #expect(throws: PasskeyFault.malformedMessage) { try AuthenticationResponse(parsing: json) }

        let modern = message(\.base64URL, rawID: Self.odd.base64URL, type: "public-key")
        #expect(try AuthenticationResponse(parsing: modern) == lenient)
        #expect(try AuthenticationResponse(parsing: modern, binary: .anyBase64) == lenient)
        let mixed = message(standard, rawID: Self.odd.base64URL, type: nil)
        #expect(try AuthenticationResponse(parsing: mixed, binary: .anyBase64) == lenient)
        let bare = message(standard, rawID: nil, type: nil)
        #expect(try AuthenticationResponse(parsing: bare, binary: .anyBase64) == lenient)
        #expect(throws: PasskeyFault.malformedMessage) { try AuthenticationResponse(parsing: bare) }
        let other = message(standard, rawID: "AAAA", type: nil)
        #expect(throws: PasskeyFault.idMismatch) { try AuthenticationResponse(parsing: other, binary: .anyBase64) }
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"id":"AA","rawId":"AA","type":"public-key"}"#,
        #"{"id":"AA","rawId":"AA","type":"public-key","response":[]}"#,
        #"{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"AA"}}"#,
        #"{"id":"AA","id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"AA","attestationObject":"AA"}}"#,
        #"{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":1,"attestationObject":"AA"}}"#,
        #"{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"AB","attestationObject":"AA"}}"#,
    ])
    func `other JSON is refused`(json: String) {
        #expect(throws: PasskeyFault.malformedMessage) { try RegistrationResponse(parsing: Array(json.utf8)) }
    }

    @Test func `more than 64 KiB are not read`() throws {
        let site = try Site()
        let json = Array(try JSONEncoder().encode(site.registration()))
        _ = try RegistrationResponse(parsing: json + [UInt8](repeating: 0x20, count: 65_536 - json.count))
        #expect(throws: PasskeyFault.messageTooLarge) {
            try RegistrationResponse(parsing: json + [UInt8](repeating: 0x20, count: 65_537 - json.count))
        }
    }

    @Test func `eight short words are kept of the transports`() throws {
        let words = (0..<20).map { #""t\#($0)""# } + [#""""#, "1", #""a b""#]
        let list = (["\"" + String(repeating: "x", count: 33) + "\""] + words).joined(separator: ",")
        let json =
            #"{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"AA","attestationObject":"AA","transports":[\#(list)]}}"#
        #expect(try RegistrationResponse(parsing: Array(json.utf8)).transports == (0..<8).map { "t\($0)" })
    }

    @Test func `the challenge is read before the options are known`() throws {
        let site = try Site()
        let data = try ClientData(site.registration().clientDataJSON)
        #expect(data.challenge == site.creation.challenge)
        #expect(data.type == "webauthn.create" && !data.isCrossOrigin && data.topOrigin == nil)
    }

    @Test func `AAGUIDs are written as UUIDs and read with hyphens and without`() throws {
        let text = "8446ccb9-ab1d-b374-750b-2367ff6f3a1f"
        let aaguid = try #require(AAGUID(text))
        #expect(aaguid.description == text)
        #expect(AAGUID("8446CCB9AB1DB374750B2367FF6F3A1F") == aaguid)
        #expect(AAGUID("8446ccb9-ab1d-b374-750b-2367ff6f3a1") == nil)
        #expect(AAGUID("8446ccb9-ab1d-b374-750b-2367ff6f3a1g") == nil)
        #expect(AAGUID([1, 2, 3]) == nil)
        #expect(AAGUID.zero.description == "00000000-0000-0000-0000-000000000000")
    }
}
