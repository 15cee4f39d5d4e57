import Foundation
import JSON
import Testing

@Suite("JSON text that is written")
struct WriterTests {
    private static let values: [JSONValue] = [
        .null, .bool(true), .bool(false), .integer(0), .integer(-1), .integer(.min), .integer(.max), .number(0.1),
        .number(-0.0), .number(1.5), .number(1), .number(1e16), .number(1e20), .number(1e-7),
        .number(.leastNonzeroMagnitude),
        .number(.greatestFiniteMagnitude), .number(-.leastNormalMagnitude), .number(1 / 3),
        .number(9_223_372_036_854_775_808), .string(""), .string("é💣 \u{2028}\u{7f}</script>"), .string("a\u{0}b"),
        .string(String(String.UnicodeScalarView((0..<0x30).compactMap { Unicode.Scalar($0) }))), .array([]),
        .object([:]), .object(["": .object(["": .array([.null])])]),
        .object([
            "b": .integer(1), "a10": .integer(2), "a9": .integer(3), "B": .integer(4), "é": .integer(5),
            "_": .integer(6),
            "💣": .integer(7), "\u{FF5E}": .integer(8), "\"\\": .integer(9),
        ]),
    ]

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    @Test(
        arguments: values
    )
    func `The text is byte for byte what JSONEncoder writes, so that rows and tokens stay as they are`(value: JSONValue)
        throws
    {
        #expect(
            try String(decoding: value.jsonText(), as: UTF8.self)
                == String(decoding: Self.encoder.encode(value), as: UTF8.self))
    }

    @Test(arguments: values)
    func `What was written is read back as the same value, by the parser and by JSONDecoder`(value: JSONValue) throws {
        let text = try value.jsonText()
        let parsed = try JSONParser.parse(text)
        // A number without a fraction is written as a whole number, and read as one where 64 bits hold it.
        if case .number(let number) = value {
            for read in [parsed, try JSONDecoder().decode(JSONValue.self, from: Data(text))] {
                switch read {
                case .integer(let whole): #expect(Double(whole) == number)
                default: #expect(read == value)
                }
            }
        } else {
            #expect(parsed == value)
            #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text)) == value)
        }
        #expect(try JSONParser.parse(Array(Self.encoder.encode(value))) == parsed)
        #expect(try JSONParser.parse(value.jsonText(order: .unspecified)) == parsed)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `Numbers that JSON has no form for are an error`(number: Double) {
        #expect(throws: EncodingError.self) { try JSONValue.object(["a": .array([.number(number)])]).jsonText() }
    }

    /// Plain text is looked at eight bytes at a time; a byte that has to be escaped may stand at each of the eight places, behind as many words.
    @Test
    func `What has to be escaped is found wherever it stands, and nothing else is`() throws {
        let special: [Unicode.Scalar] = ["\"", "\\", "\0", "\u{1F}", "\n"]
        let plain: [Unicode.Scalar] = [
            " ", "!", "#", "[", "]", "\u{7F}", "\u{80}", "\u{A2}", "\u{DC}", "\u{FFFD}", "💣",
        ]
        for scalar in special + plain {
            for before in 0..<20 {
                for after in [0, 1, 7, 8, 9, 17] {
                    let text =
                        String(repeating: "a", count: before) + String(scalar) + String(repeating: "~", count: after)
                    var json = JSONWriter()
                    json.write(text)
                    // One byte more than the text and its quotes shows an escape.
                    #expect(
                        special.contains(scalar) == (json.bytes.count > text.utf8.count + 2), "\(text.debugDescription)"
                    )
                    var reader = try JSONReader(json.bytes)
                    #expect(try reader.string() == text)
                    try reader.end()
                    #expect(
                        try JSONDecoder().decode([String].self, from: Data("[".utf8 + json.bytes + "]".utf8)) == [text])
                }
            }
        }
    }

    @Test
    func `Members are ordered by their bytes, however long they are`() throws {
        let names = ["", "a", "aa", "ab", "b", "B", "é", "💣", "\u{FF5E}", String(repeating: "a", count: 40)]
        var json = JSONWriter()
        try json.write(.object(Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue.null) })))
        let expected = names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        #expect(
            String(decoding: json.bytes, as: UTF8.self) == "{"
                + expected.map { "\"\($0)\":null" }.joined(separator: ",") + "}")
    }
}
