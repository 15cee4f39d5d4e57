import Crypto
import Foundation
@_exported import PasskeyAuthenticator

/// An authenticator with one ES256 credential, and the browser in front of it. It answers as the specification wants, and every part
/// of its answers can be changed by a test.
///
/// It shares no code with what is tested: it takes and makes the JSON that browsers have (WebAuthn Level 3, section 5.1).
public struct SoftwareAuthenticator: Sendable {
    public var key: P256.Signing.PrivateKey
    public var credentialID: [UInt8]
    public var userHandle: [UInt8]
    public var aaguid = [UInt8](repeating: 0, count: 16)
    public var signCount: UInt32 = 0
    /// The page that calls.
    public var origin: String

    // MARK: Flags of authenticator data

    public var isUserPresent = true
    public var isUserVerified = true
    public var isBackupEligible = false
    public var isBackedUp = false
    /// Bits that are set beside them.
    public var otherFlags: UInt8 = 0

    // MARK: What tests break

    /// Members of the client's data that differ; nil leaves one out.
    public var clientData: [String: (any Sendable)?] = [:]
    /// The relying party's id that is signed, if it is not the one of the options.
    public var rpID: String?
    /// The key in its COSE form, if it is not the right one.
    public var publicKey: [UInt8]?
    /// The id in the attested data, if it is not the credential's.
    public var attestedID: [UInt8]?
    /// What follows the last part of authenticator data.
    public var trailing: [UInt8] = []
    /// Made of the authenticator data and the hash of the client's data.
    public var statement: @Sendable (_ data: [UInt8], _ hash: [UInt8]) -> (format: String, statement: CBORItem) = {
        _, _ in ("none", .map([]))
    }
    /// `credProps.rk`, if the client says it.
    public var isDiscoverable: Bool? = true

    public init(origin: String, credentialID: [UInt8]? = nil, userHandle: [UInt8] = []) {
        key = P256.Signing.PrivateKey()
        self.origin = origin
        var random = SystemRandomNumberGenerator()
        self.credentialID = credentialID ?? (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
        self.userHandle = userHandle
    }

    /// The public key in its COSE form.
    public var coseKey: [UInt8] {
        let point = Array(key.publicKey.rawRepresentation)
        return CBORItem.map([
            (.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(1)), (.int(-2), .bytes(Array(point[..<32]))),
            (.int(-3), .bytes(Array(point[32...]))),
        ]).encoded
    }

    /// A statement that the credential's own key signs (`packed`, self attestation).
    public static func selfAttested(
        _ key: P256.Signing.PrivateKey
    ) -> @Sendable (_ data: [UInt8], _ hash: [UInt8]) -> (format: String, statement: CBORItem) {
        { data, hash in
            let signature = try? key.signature(for: Data(data + hash)).derRepresentation
            return (
                "packed", .map([(.text("alg"), .int(-7)), (.text("sig"), .bytes(Array(signature ?? Data())))])
            )
        }
    }

    private func clientDataJSON(_ type: String, challenge: [UInt8]) -> [UInt8] {
        var members: [String: Any] = [
            "type": type, "challenge": Self.base64URL(challenge), "origin": origin, "crossOrigin": false,
        ]
        for (name, value) in clientData { members[name] = value }
        return (try? JSONSerialization.data(withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes]))
            .map { Array($0) } ?? []
    }

    private func authenticatorData(_ id: String, flags: UInt8, parts: [UInt8]) -> [UInt8] {
        let bits: [UInt8] = [
            isUserPresent ? 1 : 0, isUserVerified ? 4 : 0, isBackupEligible ? 8 : 0, isBackedUp ? 16 : 0, flags,
            otherFlags,
        ]
        return Array(SHA256.hash(data: Data((rpID ?? id).utf8))) + [bits.reduce(0, |)]
            + (0..<4).map { UInt8(truncatingIfNeeded: signCount >> UInt32(24 - 8 * $0)) } + parts + trailing
    }

    /// What a registration consists of, before it is made into JSON.
    public struct Registration: Sendable {
        public var rawID: [UInt8]
        public var clientDataJSON: [UInt8]
        public var attestationObject: [UInt8]
    }

    /// What an assertion consists of, before it is made into JSON.
    public struct Assertion: Sendable {
        public var rawID: [UInt8]
        public var clientDataJSON: [UInt8]
        public var authenticatorData: [UInt8]
        public var signature: [UInt8]
        public var userHandle: [UInt8]?
    }

    public func register(challenge: [UInt8], rpID id: String) -> Registration {
        let client = clientDataJSON("webauthn.create", challenge: challenge)
        let raw = attestedID ?? credentialID
        let attested = aaguid + [UInt8(raw.count >> 8), UInt8(raw.count & 0xFF)] + raw + (publicKey ?? coseKey)
        let data = authenticatorData(id, flags: 64, parts: attested)
        let made = statement(data, Array(SHA256.hash(data: Data(client))))
        let object = CBORItem.map([
            (.text("fmt"), .text(made.format)), (.text("attStmt"), made.statement), (.text("authData"), .bytes(data)),
        ])
        return Registration(rawID: credentialID, clientDataJSON: client, attestationObject: object.encoded)
    }

    public func assert(challenge: [UInt8], rpID id: String) throws -> Assertion {
        let client = clientDataJSON("webauthn.get", challenge: challenge)
        let data = authenticatorData(id, flags: 0, parts: [])
        let signature = try key.signature(for: Data(data + SHA256.hash(data: Data(client)))).derRepresentation
        return Assertion(
            rawID: credentialID, clientDataJSON: client, authenticatorData: data, signature: Array(signature),
            userHandle: userHandle.isEmpty ? nil : userHandle)
    }

    /// What `navigator.credentials.create` and `toJSON()` make of the JSON of options.
    public mutating func create(optionsJSON: Data) throws -> Data {
        let options = try Self.object(optionsJSON)
        guard let challenge = (options["challenge"] as? String).flatMap(Self.bytes),
            let rp = options["rp"] as? [String: Any], let id = rp["id"] as? String,
            let user = options["user"] as? [String: Any], let handle = (user["id"] as? String).flatMap(Self.bytes)
        else { throw UnreadableOptions() }
        userHandle = handle
        return try registrationJSON(register(challenge: challenge, rpID: id))
    }

    /// What `navigator.credentials.get` and `toJSON()` make of the JSON of options.
    public mutating func get(optionsJSON: Data) throws -> Data {
        let options = try Self.object(optionsJSON)
        guard let challenge = (options["challenge"] as? String).flatMap(Self.bytes), let id = options["rpId"] as? String
        else { throw UnreadableOptions() }
        return try assertionJSON(assert(challenge: challenge, rpID: id))
    }

    public func registrationJSON(_ registration: Registration) throws -> Data {
        var results: [String: Any] = [:]
        if let isDiscoverable { results["credProps"] = ["rk": isDiscoverable] }
        return try Self.json([
            "id": Self.base64URL(registration.rawID), "rawId": Self.base64URL(registration.rawID), "type": "public-key",
            "authenticatorAttachment": "platform", "clientExtensionResults": results,
            "response": [
                "clientDataJSON": Self.base64URL(registration.clientDataJSON),
                "attestationObject": Self.base64URL(registration.attestationObject), "transports": ["internal"],
            ],
        ])
    }

    public func assertionJSON(_ assertion: Assertion) throws -> Data {
        var response: [String: Any] = [
            "clientDataJSON": Self.base64URL(assertion.clientDataJSON),
            "authenticatorData": Self.base64URL(assertion.authenticatorData),
            "signature": Self.base64URL(assertion.signature),
        ]
        if let handle = assertion.userHandle { response["userHandle"] = Self.base64URL(handle) }
        return try Self.json([
            "id": Self.base64URL(assertion.rawID), "rawId": Self.base64URL(assertion.rawID), "type": "public-key",
            "authenticatorAttachment": "platform", "clientExtensionResults": [String: Any](), "response": response,
        ])
    }

    public struct UnreadableOptions: Error {}

    private static func object(_ json: Data) throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: json) as? [String: Any] else {
            throw UnreadableOptions()
        }
        return object
    }

    private static func json(_ object: [String: Any]) throws -> Data {
        try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    }

    public static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// The bytes of base64 in either alphabet.
    public static func bytes(_ text: String) -> [UInt8]? {
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            .replacingOccurrences(of: "=", with: "")
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)).map {
            Array($0)
        }
    }
}
