/// Base64 with the alphabet for URLs and file names (RFC 4648, section 5), without padding.
public enum Base64URL {
    /// What a reader takes beside the canonical form.
    ///
    /// Nothing, unless a caller names it: tokens and handles are compared and counted as texts, and must not have several
    /// spellings. Leniency is for bytes that other systems' libraries wrote: keys, hashes, old clients' signatures.
    public struct Leniency: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `+` and `/` for `-` and `_` (RFC 4648, section 4), also mixed.
        public static let otherAlphabet = Leniency(rawValue: 1)
        /// Any number of `=` at the end.
        public static let padding = Leniency(rawValue: 2)
        /// Bits after the last whole byte that are not zero (RFC 4648, section 3.5).
        public static let strayBits = Leniency(rawValue: 4)
        /// Base64 in any of its usual forms.
        public static let all: Leniency = [.otherAlphabet, .padding, .strayBits]
    }

    /// The text of these bytes.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.underestimatedCount * 4 + 2) / 3)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> bits & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << (6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text; nil for what is no Base64, or is written in a way that is not accepted.
    public static func decode(_ text: some StringProtocol, accepting leniency: Leniency = []) -> [UInt8]? {
        var characters = Array(text.utf8)
        if leniency.contains(.padding) {
            while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        }
        guard characters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for character in characters {
            guard let value = value(of: character, accepting: leniency) else { return nil }
            buffer = buffer << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        if !leniency.contains(.strayBits), buffer & ((1 << bits) - 1) != 0 { return nil }
        return bytes
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func value(of character: UInt8, accepting leniency: Leniency) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        case UInt8(ascii: "+") where leniency.contains(.otherAlphabet): 62
        case UInt8(ascii: "/") where leniency.contains(.otherAlphabet): 63
        default: nil
        }
    }
}

extension Sequence<UInt8> {
    /// Base64 for URLs, without padding (RFC 4648, section 5).
    public var base64URL: String { Base64URL.encode(self) }
}

extension Array where Element == UInt8 {
    /// The bytes of Base64 for URLs; nil for what is none, or is written in a way that is not accepted.
    public init?(base64URL text: some StringProtocol, accepting leniency: Base64URL.Leniency = []) {
        guard let bytes = Base64URL.decode(text, accepting: leniency) else { return nil }
        self = bytes
    }
}
