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
        String(decoding: text(of: bytes, in: alphabet, isPadded: false), as: UTF8.self)
    }

    /// The text of these bytes with the alphabet and the padding of RFC 4648, section 4.
    public static func standard(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: text(of: bytes, in: standardAlphabet, isPadded: true), as: UTF8.self)
    }

    /// The text of these bytes, added to UTF-8 that is being written.
    public static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        append(bytes, to: &text, in: alphabet, isPadded: false)
    }

    /// The text of these bytes with the alphabet and the padding of RFC 4648, section 4.
    static func appendStandard(_ bytes: [UInt8], to text: inout [UInt8]) {
        append(bytes, to: &text, in: standardAlphabet, isPadded: true)
    }

    private static func text(of bytes: some Sequence<UInt8>, in alphabet: [UInt8], isPadded: Bool) -> [UInt8] {
        var text: [UInt8] = []
        append(Array(bytes), to: &text, in: alphabet, isPadded: isPadded)
        return text
    }

    private static func append(_ bytes: [UInt8], to text: inout [UInt8], in alphabet: [UInt8], isPadded: Bool) {
        let whole = bytes.count / 3 * 3
        bytes.withUnsafeBufferPointer { bytes in
            alphabet.withUnsafeBufferPointer { alphabet in
                withUnsafeTemporaryAllocation(of: UInt8.self, capacity: whole / 3 * 4) { characters in
                    var count = 0
                    for place in stride(from: 0, to: whole, by: 3) {
                        let group = Int(bytes[place]) << 16 | Int(bytes[place + 1]) << 8 | Int(bytes[place + 2])
                        characters.initializeElement(at: count, to: alphabet[group >> 18])
                        characters.initializeElement(at: count + 1, to: alphabet[group >> 12 & 63])
                        characters.initializeElement(at: count + 2, to: alphabet[group >> 6 & 63])
                        characters.initializeElement(at: count + 3, to: alphabet[group & 63])
                        count += 4
                    }
                    text.append(contentsOf: UnsafeBufferPointer(characters))
                }
            }
        }
        guard whole < bytes.count else { return }
        let isTwo = whole + 1 < bytes.count
        let rest = Int(bytes[whole]) << 8 | (isTwo ? Int(bytes[whole + 1]) : 0)
        text.append(alphabet[rest >> 10])
        text.append(alphabet[rest >> 4 & 63])
        if isTwo { text.append(alphabet[rest << 2 & 63]) }
        if isPadded { text.append(contentsOf: isTwo ? "=".utf8 : "==".utf8) }
    }

    /// The bytes of a text; nil for what is no Base64, or is written in a way that is not accepted.
    public static func decode(_ text: some StringProtocol, accepting leniency: Leniency = []) -> [UInt8]? {
        // In place of an iteration, byte for byte, over a part of a text.
        let bytes = text.utf8.withContiguousStorageIfAvailable { Array($0) } ?? Array(text.utf8)
        return decode(utf8: bytes[...], accepting: leniency)
    }

    /// The bytes of a text in UTF-8; nil for what is no Base64, or is written in a way that is not accepted.
    public static func decode(utf8 text: ArraySlice<UInt8>, accepting leniency: Leniency = []) -> [UInt8]? {
        var characters = text
        if leniency.contains(.padding) {
            while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        }
        let rest = characters.count % 4
        guard rest != 1 else { return nil }
        let values = leniency.contains(.otherAlphabet) ? valuesOfBoth : values
        // The values of all characters, one over the other: above 63 where one of them is not in the alphabet.
        var all: UInt8 = 0
        // Bits after the last whole byte.
        var strayBits: UInt8 = 0
        let bytes = characters.withUnsafeBufferPointer { characters in
            values.withUnsafeBufferPointer { values in
                [UInt8](unsafeUninitializedCapacity: characters.count * 3 / 4) { bytes, count in
                    for place in stride(from: 0, to: characters.count - rest, by: 4) {
                        let first = values[Int(characters[place])]
                        let second = values[Int(characters[place + 1])]
                        let third = values[Int(characters[place + 2])]
                        let fourth = values[Int(characters[place + 3])]
                        all |= first | second | third | fourth
                        bytes.initializeElement(at: count, to: first << 2 | second >> 4)
                        bytes.initializeElement(at: count + 1, to: second << 4 | third >> 2)
                        bytes.initializeElement(at: count + 2, to: third << 6 | fourth)
                        count += 3
                    }
                    guard rest > 0 else { return }
                    let place = characters.count - rest
                    let first = values[Int(characters[place])]
                    let second = values[Int(characters[place + 1])]
                    all |= first | second
                    bytes.initializeElement(at: count, to: first << 2 | second >> 4)
                    count += 1
                    strayBits = second & 15
                    guard rest == 3 else { return }
                    let third = values[Int(characters[place + 2])]
                    all |= third
                    bytes.initializeElement(at: count, to: second << 4 | third >> 2)
                    count += 1
                    strayBits = third & 3
                }
            }
        }
        guard all < 64, strayBits == 0 || leniency.contains(.strayBits) else { return nil }
        return bytes
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let standardAlphabet = Array(alphabet.dropLast(2)) + Array("+/".utf8)

    /// What each byte stands for; 255 for what is not in the alphabet.
    private static let values = table(alphabet)
    private static let valuesOfBoth = table(alphabet, standardAlphabet)

    private static func table(_ alphabets: [UInt8]...) -> [UInt8] {
        var table = [UInt8](repeating: 255, count: 256)
        for alphabet in alphabets {
            for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        }
        return table
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
