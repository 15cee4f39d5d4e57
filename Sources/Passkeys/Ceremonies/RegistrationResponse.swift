import JSON

/// What a client answers to ``CreationOptions`` (`RegistrationResponseJSON`, WebAuthn Level 3, section 5.1).
public struct RegistrationResponse: Sendable, Equatable {
    /// The credential's id as text; has to be base64url of ``rawID``.
    public var id: String
    /// The new credential's id as bytes. It has to be the one in the signed data.
    public var rawID: [UInt8]
    /// The kind of credential; anything but `public-key` is refused with ``PasskeyFault/wrongCredentialType``.
    public var type: String
    /// The client data as the browser wrote them, byte for byte. ``ClientData`` reads them.
    public var clientDataJSON: [UInt8]
    /// The authenticator's data with the new key, and its statement, in CBOR (WebAuthn Level 3, section 6.5.4).
    public var attestationObject: [UInt8]
    /// How the authenticator can be reached later; at most eight are kept of a message.
    public var transports: [String]
    /// `platform` or `cross-platform`, if the client says it.
    public var authenticatorAttachment: String?
    /// `clientExtensionResults.credProps.rk`: whether the credential is discoverable, if the client says it.
    public var isDiscoverable: Bool?

    /// A response from its parts, for a client that does not send the JSON of WebAuthn, and for tests. Nothing is
    /// verified here.
    ///
    /// - Parameter id: base64url of `rawID` unless said.
    public init(
        id: String? = nil, rawID: [UInt8], type: String = "public-key", clientDataJSON: [UInt8],
        attestationObject: [UInt8], transports: [String] = [], authenticatorAttachment: String? = nil,
        isDiscoverable: Bool? = nil
    ) {
        self.id = id ?? rawID.base64URL
        self.rawID = rawID
        self.type = type
        self.clientDataJSON = clientDataJSON
        self.attestationObject = attestationObject
        self.transports = transports
        self.authenticatorAttachment = authenticatorAttachment
        self.isDiscoverable = isDiscoverable
    }

    /// Reads what `credential.toJSON()` makes.
    /// - Throws: ``PasskeyFault/messageTooLarge``, ``PasskeyFault/malformedMessage``, ``PasskeyFault/idMismatch``.
    public init(parsing json: [UInt8], binary: BinaryText = .base64URL) throws(PasskeyFault) {
        try self.init(CredentialMessage(parsing: json, binary: binary))
    }

    private init(_ message: CredentialMessage) throws(PasskeyFault) {
        self.init(
            id: message.id, rawID: message.rawID, type: message.type,
            clientDataJSON: try message.bytes("clientDataJSON"),
            attestationObject: try message.bytes("attestationObject"),
            transports: try message.transports(), authenticatorAttachment: message.authenticatorAttachment,
            isDiscoverable: message.isDiscoverable)
    }
}

extension RegistrationResponse: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(CredentialMessage(try JSONValue(from: decoder), binary: .base64URL))
    }

    public func encode(to encoder: any Encoder) throws {
        var response: [String: JSONValue] = [
            "clientDataJSON": .string(clientDataJSON.base64URL),
            "attestationObject": .string(attestationObject.base64URL),
        ]
        if !transports.isEmpty { response["transports"] = .array(transports.map { .string($0) }) }
        try CredentialMessage.value(
            id: id, rawID: rawID, type: type, authenticatorAttachment: authenticatorAttachment, response: response,
            extensions: isDiscoverable.map { ["credProps": .object(["rk": .bool($0)])] } ?? [:]
        ).encode(to: encoder)
    }
}
