/// The 16 bytes that name a model of authenticators (WebAuthn Level 3, section 6.5.1); all zero where it does not say.
///
/// Without a trusted attestation this is hearsay: good for a name on a page, never for a decision.
public struct AAGUID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier, always 16 bytes, in the order of ``description``.
    public let bytes: [UInt8]

    /// Sixteen zero bytes: the authenticator does not say.
    public static let zero = AAGUID(unchecked: [UInt8](repeating: 0, count: 16))

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: nil unless there are 16 bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(unchecked: Array(bytes))
    }

    /// Reads 32 hexadecimal digits, with hyphens as in a UUID or without.
    public init?(_ text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 32, text.utf8.count <= 36 else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: 32, by: 2) {
            guard let high = Self.value(digits[place]), let low = Self.value(digits[place + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        self.init(unchecked: bytes)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// In the form of a UUID, in lower case.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension AAGUID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = AAGUID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no AAGUID")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
