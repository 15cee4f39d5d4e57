import JSON

/// What the browser says of a ceremony (WebAuthn Level 3, section 5.8.1): `clientDataJSON`.
///
/// Read it before a verification to find out, by its challenge, which options were sent. Members that no check asks for are passed
/// over, as the specification wants it.
public struct ClientData: Sendable, Equatable {
    /// The greatest length that is read, in bytes.
    public static let sizeLimit = 4096

    /// `webauthn.create` or `webauthn.get`.
    public let type: String
    /// The relying party's challenge, decoded from base64url: the key under which a server finds the options that it
    /// sent.
    public let challenge: [UInt8]
    /// The origin of the page that called, in the form of RFC 6454, section 6.2, or an app's.
    public let origin: String
    /// Whether the page is in a frame of another origin.
    public let isCrossOrigin: Bool
    /// The origin of the window, for a page in a frame of another origin.
    public let topOrigin: String?

    /// Reads a JSON object in UTF-8, with a byte order mark or without.
    ///
    /// - Throws: ``PasskeyFault/clientDataTooLarge``; ``PasskeyFault/malformedClientData`` also for two members of one name and for
    ///   members of another kind than the specification's.
    public init(_ json: [UInt8]) throws(PasskeyFault) {
        guard json.count <= Self.sizeLimit else { throw .clientDataTooLarge }
        let value: JSONValue
        do { value = try JSONParser.parse(json, depthLimit: 8) } catch { throw .malformedClientData }
        guard case .object(let members) = value, let type = members["type"]?.stringValue,
            let challenge = members["challenge"]?.stringValue.flatMap({ [UInt8](base64URL: $0) }),
            let origin = members["origin"]?.stringValue
        else { throw .malformedClientData }
        self.type = type
        self.challenge = challenge
        self.origin = origin
        switch members["crossOrigin"] {
        case nil: isCrossOrigin = false
        case .bool(let value): isCrossOrigin = value
        default: throw .malformedClientData
        }
        switch members["topOrigin"] {
        case nil: topOrigin = nil
        case .string(let text): topOrigin = text
        default: throw .malformedClientData
        }
    }
}
