import OneTimePassword
import Testing

@Suite struct Base32Tests {
    /// RFC 4648 section 10.
    static let vectors: [(text: String, padded: String)] = [
        ("", ""),
        ("f", "MY======"),
        ("fo", "MZXQ===="),
        ("foo", "MZXW6==="),
        ("foob", "MZXW6YQ="),
        ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI======"),
    ]

    @Test(arguments: vectors)
    func `the vectors of RFC 4648 encode and decode, with and without padding`(text: String, padded: String) throws {
        let unpadded = padded.filter { $0 != "=" }
        #expect(Base32.encode(text.utf8, padded: true) == padded)
        #expect(Base32.encode(text.utf8) == unpadded)
        #expect(try Base32.decode(padded) == Array(text.utf8))
        #expect(try Base32.decode(unpadded) == Array(text.utf8))
    }

    @Test
    func `every byte survives at every place of a group of five`() throws {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<5 {
                var bytes: [UInt8] = [0x00, 0xFF, 0x55, 0xAA, 0x0F]
                bytes[place] = byte
                for length in 0...5 {
                    let part = Array(bytes.prefix(length))
                    #expect(try Base32.decode(Base32.encode(part)) == part)
                    #expect(try Base32.decode(Base32.encode(part, padded: true)) == part)
                }
            }
        }
    }

    @Test(
        arguments: [
            "MZXW6YTBOI", "mzxw6ytboi", "MzXw6yTbOi", "mzxw 6ytb oi", "mzxw-6ytb-oi", " MZXW6YTBOI\r\n",
            "MZXW6YTBOI=", "MZXW6YTBOI========", "MZXW6YTBOI= = =", "\tmzxw\u{00A0}6ytb\u{2013}oi==-==",
        ])
    func `Case, spaces, dashes and padding do not matter`(text: String) throws {
        #expect(try Base32.decode(text) == Array("foobar".utf8))
        #expect(try Base32.decode(text[...]) == Array("foobar".utf8))
    }

    @Test
    func `bits left over in the last character are ignored`() throws {
        #expect(try Base32.decode("MZ") == Array("f".utf8))
        #expect(try Base32.decode("77") == [0xFF])
    }

    static let refusals: [(text: String, error: Base32.DecodingError, description: String)] = [
        (
            "MZXW0YTB", .invalidCharacter("0", position: 5),
            "'0' at position 5 is not Base32: use the letters A–Z and the digits 2–7"
        ),
        (
            "mz 1", .invalidCharacter("1", position: 4),
            "'1' at position 4 is not Base32: use the letters A–Z and the digits 2–7"
        ),
        (
            "8", .invalidCharacter("8", position: 1),
            "'8' at position 1 is not Base32: use the letters A–Z and the digits 2–7"
        ),
        (
            "MZ\u{1B}[2J", .invalidCharacter("\u{1B}", position: 3),
            "U+001B at position 3 is not Base32: use the letters A–Z and the digits 2–7"
        ),
        (
            "ＭZXQ", .invalidCharacter("Ｍ", position: 1),
            "U+FF2D at position 1 is not Base32: use the letters A–Z and the digits 2–7"
        ),
        (
            "MA\u{301}", .invalidCharacter("A\u{301}", position: 2),
            "U+0041 U+0301 at position 2 is not Base32: use the letters A–Z and the digits 2–7"
        ),
        ("MY==MY==", .misplacedPadding(position: 3), "the padding '=' at position 3 is not at the end"),
        ("=MY", .misplacedPadding(position: 1), "the padding '=' at position 1 is not at the end"),
        (
            "M", .impossibleLength(1),
            "no Base32 text has 1 letters and digits: some are missing, or there are too many"
        ),
        (
            "MZX", .impossibleLength(3),
            "no Base32 text has 3 letters and digits: some are missing, or there are too many"
        ),
        (
            "MZXW6Y-", .impossibleLength(6),
            "no Base32 text has 6 letters and digits: some are missing, or there are too many"
        ),
        (
            "MZXW6YTBO", .impossibleLength(9),
            "no Base32 text has 9 letters and digits: some are missing, or there are too many"
        ),
    ]

    @Test(arguments: refusals)
    func `what is not Base32 is refused with its place`(text: String, error: Base32.DecodingError, description: String)
    {
        #expect(throws: error) { try Base32.decode(text) }
        #expect(error.description == description)
    }
}
