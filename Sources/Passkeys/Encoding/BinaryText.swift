import JSON

/// How binary members are written in the JSON of a client.
public enum BinaryText: Sendable {
    /// Base64 for URLs without padding, as `toJSON()` of WebAuthn Level 3 writes them; nothing else is read.
    case base64URL
    /// Any usual base64: both alphabets, padded or not. For clients that write `btoa(…)` or `Data.base64EncodedString()`.
    /// `id` is then compared by its bytes, and only with a `rawId` that is there; a missing `type` is `public-key`.
    case anyBase64

    func bytes(_ text: String) -> [UInt8]? {
        switch self {
        case .base64URL: [UInt8](base64URL: text)
        case .anyBase64: [UInt8](base64URL: text, accepting: .all)
        }
    }
}

/// A binary member of the JSON of WebAuthn Level 3: base64 for URLs without padding.
@propertyWrapper
public struct Base64URLCoded: Hashable, Sendable, Codable {
    /// The bytes, not their text.
    public var wrappedValue: [UInt8]

    /// Wraps bytes that are not encoded yet.
    public init(wrappedValue: [UInt8]) { self.wrappedValue = wrappedValue }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = [UInt8](base64URL: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64url without padding")
        }
        wrappedValue = bytes
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue.base64URL)
    }
}
