import Foundation
import JSON

/// A passkey that an authenticator has made. Its members have the names of `ASAuthorizationPlatformPublicKeyCredentialRegistration`.
public struct PasskeyRegistration: Sendable, Equatable {
    /// The passkey's id as the authenticator chose it, up to 1,023 bytes.
    public var credentialID: Data
    /// The client data byte for byte: JSON in UTF-8 (WebAuthn Level 3, section 5.8.1).
    public var rawClientDataJSON: Data
    /// The attestation object byte for byte: CBOR with the new public key (WebAuthn Level 3, section 6.5.4).
    public var rawAttestationObject: Data
    /// Whether the authenticator finds the passkey without its id; nil where it does not say (`credProps.rk`, WebAuthn Level 3, section
    /// 10.1.3).
    public var isDiscoverable: Bool?
    /// How the authenticator can be reached, in the words of WebAuthn Level 3, section 5.8.4; nil where it does not say.
    public var transports: [String]?

    /// A registration from its parts, for an authenticator that does not write the JSON of WebAuthn. The server checks
    /// it.
    public init(credentialID: Data, rawClientDataJSON: Data, rawAttestationObject: Data) {
        self.credentialID = credentialID
        self.rawClientDataJSON = rawClientDataJSON
        self.rawAttestationObject = rawAttestationObject
    }

    /// Reads `RegistrationResponseJSON` (WebAuthn Level 3, section 5.1), which `credential.toJSON()` makes.
    /// - Throws: `invalidAuthenticatorResponse` where it is none.
    public init(json: Data) throws {
        let response = try CredentialJSON(json)
        self.init(
            credentialID: response.id, rawClientDataJSON: try response.part("clientDataJSON"),
            rawAttestationObject: try response.part("attestationObject"))
        if case .array(let words)? = response.parts["transports"] { transports = words.compactMap(\.stringValue) }
        if case .bool(let isDiscoverable)? = response.value["clientExtensionResults"]?["credProps"]?["rk"] {
            self.isDiscoverable = isDiscoverable
        }
    }

    /// The response as the protocol has it.
    var response: JSONValue {
        var parts: [String: JSONValue] = [
            "clientDataJSON": .base64(rawClientDataJSON), "attestationObject": .base64(rawAttestationObject),
        ]
        if let transports { parts["transports"] = .array(transports.map(JSONValue.string)) }
        var members = CredentialJSON.members(id: credentialID, parts)
        if let isDiscoverable {
            members["clientExtensionResults"] = .object(["credProps": .object(["rk": .bool(isDiscoverable)])])
        }
        return .object(members)
    }
}

/// The answer of a passkey. Its members have the names of `ASAuthorizationPlatformPublicKeyCredentialAssertion`.
public struct PasskeyAssertion: Sendable, Equatable {
    /// The id of the passkey that answers.
    public var credentialID: Data
    /// The client data byte for byte: JSON in UTF-8 (WebAuthn Level 3, section 5.8.1).
    public var rawClientDataJSON: Data
    /// The authenticator's data byte for byte, as it signed them (WebAuthn Level 3, section 6.1).
    public var rawAuthenticatorData: Data
    /// The signature over ``rawAuthenticatorData`` and the SHA-256 of ``rawClientDataJSON``; DER where it is ECDSA's.
    public var signature: Data
    /// The user handle; servers refuse a sign-in without it.
    public var userID: Data?

    /// An answer from its parts, for an authenticator that does not write the JSON of WebAuthn. The server checks it.
    public init(
        credentialID: Data, rawClientDataJSON: Data, rawAuthenticatorData: Data, signature: Data, userID: Data?
    ) {
        self.credentialID = credentialID
        self.rawClientDataJSON = rawClientDataJSON
        self.rawAuthenticatorData = rawAuthenticatorData
        self.signature = signature
        self.userID = userID
    }

    /// Reads `AuthenticationResponseJSON` (WebAuthn Level 3, section 5.1), which `credential.toJSON()` makes.
    /// - Throws: `invalidAuthenticatorResponse` where it is none.
    public init(json: Data) throws {
        let response = try CredentialJSON(json)
        self.init(
            credentialID: response.id, rawClientDataJSON: try response.part("clientDataJSON"),
            rawAuthenticatorData: try response.part("authenticatorData"), signature: try response.part("signature"),
            userID: response.has("userHandle") ? try response.part("userHandle") : nil)
    }

    /// The response as the protocol has it.
    var response: JSONValue {
        var parts: [String: JSONValue] = [
            "clientDataJSON": .base64(rawClientDataJSON), "authenticatorData": .base64(rawAuthenticatorData),
            "signature": .base64(signature),
        ]
        if let userID { parts["userHandle"] = .base64(userID) }
        return .object(CredentialJSON.members(id: credentialID, parts))
    }
}

/// What both responses of WebAuthn Level 3, section 5.1, have in common.
private struct CredentialJSON {
    let value: JSONValue
    let parts: [String: JSONValue]
    let id: Data

    init(_ json: Data) throws {
        guard let value = try? JSONParser.parse(Array(json)), case .object(let parts)? = value["response"],
            let id = Self.bytes(value["rawId"] ?? value["id"])
        else { throw Self.refusal }
        self.value = value
        self.parts = parts
        self.id = id
    }

    func has(_ name: String) -> Bool { parts[name].map { $0 != .null } ?? false }

    func part(_ name: String) throws -> Data {
        guard let bytes = Self.bytes(parts[name]) else { throw Self.refusal }
        return bytes
    }

    /// As iOS writes them: with the standard alphabet and padding.
    static func members(id: Data, _ parts: [String: JSONValue]) -> [String: JSONValue] {
        ["id": .base64(id), "rawId": .base64(id), "type": "public-key", "response": .object(parts)]
    }

    private static func bytes(_ value: JSONValue?) -> Data? {
        value?.stringValue.flatMap { [UInt8](base64URL: $0, accepting: .all) }.map { Data($0) }
    }

    private static var refusal: AuthErrorCode {
        .refused(.invalidAuthenticatorResponse, because: "It is not JSON as WebAuthn has it.")
    }
}

extension JSONValue {
    fileprivate static func base64(_ bytes: Data) -> JSONValue { .string(bytes.base64EncodedString()) }
}
