import JSON

/// What a client answers to ``RequestOptions`` (`AuthenticationResponseJSON`, WebAuthn Level 3, section 5.1).
public struct AuthenticationResponse: Sendable, Equatable {
    /// The credential's id as text; has to be base64url of ``rawID``.
    public var id: String
    /// The credential's id as bytes: the key under which a server finds the ``CredentialRecord``.
    public var rawID: [UInt8]
    /// The kind of credential; anything but `public-key` is refused with ``PasskeyFault/wrongCredentialType``.
    public var type: String
    /// The client data as the browser wrote them, byte for byte: their SHA-256 is signed. ``ClientData`` reads them.
    public var clientDataJSON: [UInt8]
    /// What the authenticator says of the ceremony, byte for byte as signed. ``AuthenticatorData`` reads it.
    public var authenticatorData: [UInt8]
    /// The authenticator's signature over ``authenticatorData`` and the SHA-256 of ``clientDataJSON``: in DER for
    /// ECDSA, 64 bytes for Ed25519, as long as the modulus for RSA.
    public var signature: [UInt8]
    /// The `user.id` of the registration; discoverable credentials have it.
    public var userHandle: [UInt8]?
    /// `platform` or `cross-platform`, if the client says it.
    public var authenticatorAttachment: String?

    /// A response from its parts, for a client that does not send the JSON of WebAuthn, and for tests. Nothing is
    /// verified here.
    ///
    /// - Parameter id: base64url of `rawID` unless said.
    public init(
        id: String? = nil, rawID: [UInt8], type: String = "public-key", clientDataJSON: [UInt8],
        authenticatorData: [UInt8], signature: [UInt8], userHandle: [UInt8]?, authenticatorAttachment: String? = nil
    ) {
        self.id = id ?? rawID.base64URL
        self.rawID = rawID
        self.type = type
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
        self.authenticatorAttachment = authenticatorAttachment
    }

    /// Reads what `credential.toJSON()` makes.
    /// - Throws: ``PasskeyFault/messageTooLarge``, ``PasskeyFault/malformedMessage``, ``PasskeyFault/idMismatch``.
    public init(parsing json: [UInt8], binary: BinaryText = .base64URL) throws(PasskeyFault) {
        try self.init(CredentialMessage(parsing: json, binary: binary))
    }

    /// The same of what is parsed already.
    package init(_ json: JSONValue) throws(PasskeyFault) {
        try self.init(CredentialMessage(json, binary: .base64URL))
    }

    private init(_ message: CredentialMessage) throws(PasskeyFault) {
        self.init(
            id: message.id, rawID: message.rawID, type: message.type,
            clientDataJSON: try message.bytes("clientDataJSON"),
            authenticatorData: try message.bytes("authenticatorData"), signature: try message.bytes("signature"),
            userHandle: try message.optionalBytes("userHandle"),
            authenticatorAttachment: message.authenticatorAttachment)
    }
}

extension AuthenticationResponse: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(JSONValue(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        var response: [String: JSONValue] = [
            "clientDataJSON": .string(clientDataJSON.base64URL),
            "authenticatorData": .string(authenticatorData.base64URL),
            "signature": .string(signature.base64URL),
        ]
        if let userHandle { response["userHandle"] = .string(userHandle.base64URL) }
        try CredentialMessage.value(
            id: id, rawID: rawID, type: type, authenticatorAttachment: authenticatorAttachment, response: response,
            extensions: [:]
        ).encode(to: encoder)
    }
}
