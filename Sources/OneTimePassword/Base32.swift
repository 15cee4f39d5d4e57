/// The Base32 of RFC 4648 section 6 (`A`–`Z`, `2`–`7`), in which authenticators show and accept secrets.
///
/// Encoding is strict. Decoding is for text that people type and paste, so it forgives whatever cannot change the
/// meaning and explains the rest.
public enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// The upper-case Base32 of `bytes`.
    ///
    /// - Parameter padded: whether to fill the last group of eight with `=`. Off by default: `otpauth` URIs carry
    ///   secrets without padding, and people would only have to type it.
    public static func encode(_ bytes: some Sequence<UInt8>, padded: Bool = false) -> String {
        var text: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(buffer >> bits & 31)])
            }
            buffer &= 1 << bits - 1
        }
        if bits > 0 {
            text.append(alphabet[Int(buffer << (5 - bits) & 31)])
        }
        while padded, text.count % 8 != 0 {
            text.append(UInt8(ascii: "="))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` stands for.
    ///
    /// Case does not matter, white space and dashes are skipped wherever they are, and padding at the end may be
    /// right, wrong or missing. Bits left over in the last character are ignored even if they are set: deployed
    /// authenticators accept such secrets, and refusing them would lock out a user whose code is otherwise right.
    ///
    /// - Throws: ``DecodingError`` for any other character (also `0`, `1`, `8` and `9`, which RFC 4648 leaves out and
    ///   which are not guessed at), for padding in the middle, and for a number of characters that no bytes encode
    ///   to.
    public static func decode(_ text: some StringProtocol) throws(DecodingError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        var length = 0
        var firstPadding: Int?
        for (offset, character) in text.enumerated() where !isSeparator(character) {
            if character == "=" {
                firstPadding = firstPadding ?? offset + 1
                continue
            }
            guard let value = value(of: character) else {
                throw .invalidCharacter(character, position: offset + 1)
            }
            if let firstPadding {
                throw .misplacedPadding(position: firstPadding)
            }
            length += 1
            buffer = (buffer << 5 | value) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        // One, three or six characters into a group of eight hold a broken byte: something was lost in copying.
        guard ![1, 3, 6].contains(length % 8) else { throw .impossibleLength(length) }
        return bytes
    }

    private static func value(of character: Character) -> UInt32? {
        switch character.asciiValue {
        case .some(let letter) where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter):
            UInt32(letter - UInt8(ascii: "A"))
        case .some(let letter) where (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter):
            UInt32(letter - UInt8(ascii: "a"))
        case .some(let digit) where (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(digit):
            UInt32(digit - UInt8(ascii: "2")) + 26
        default:
            nil
        }
    }

    /// Word processors and mail programs turn `-` into its typographic relatives.
    private static func isSeparator(_ character: Character) -> Bool {
        if character.isWhitespace { return true }
        let scalars = character.unicodeScalars
        return scalars.count == 1 && scalars.allSatisfy { $0.properties.generalCategory == .dashPunctuation }
    }
}

extension Base32 {
    /// Why a text is not Base32. It names at most one character of the text, so it may be shown and logged.
    public enum DecodingError: Error, Equatable, Sendable, CustomStringConvertible {
        /// A character outside the alphabet. Positions count the characters of the text as given, from 1.
        case invalidCharacter(Character, position: Int)
        /// A `=` with letters or digits after it. Positions count the characters of the text as given, from 1.
        case misplacedPadding(position: Int)
        /// The text has this many letters and digits, and no bytes encode to as many: some are missing or too many.
        case impossibleLength(Int)

        public var description: String {
            switch self {
            case .invalidCharacter(let character, let position):
                "\(Self.name(of: character)) at position \(position) is not Base32: "
                    + "use the letters A–Z and the digits 2–7"
            case .misplacedPadding(let position):
                "the padding '=' at position \(position) is not at the end"
            case .impossibleLength(let length):
                "no Base32 text has \(length) letters and digits: some are missing, or there are too many"
            }
        }

        /// Printable ASCII as it is; the rest by code point, for a text that is shown or logged must not bring its
        /// own control characters along.
        private static func name(of character: Character) -> String {
            if let ascii = character.asciiValue, (0x20...0x7E).contains(ascii) { return "'\(character)'" }
            return character.unicodeScalars.prefix(4).map { scalar in
                let hex = String(scalar.value, radix: 16, uppercase: true)
                return "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
            }.joined(separator: " ")
        }
    }
}
