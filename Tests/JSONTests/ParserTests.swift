import JSON
import Testing

@Suite("JSON text from strangers")
struct ParserTests {
    private func fault(_ bytes: [UInt8], depthLimit: Int = 32) -> JSONFault? {
        do throws(JSONFault) {
            _ = try JSONParser.parse(bytes, depthLimit: depthLimit)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            ("{}", JSONValue.object([:])), (" \t\r\n{ } \n", .object([:])), ("\u{FEFF}[]", .array([])), ("null", .null),
            (" true", .bool(true)), ("false ", .bool(false)), ("-0", .integer(0)),
            ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("123456789012345678901234567890", .number(1.2345678901234568e29)), ("1.0", .number(1)),
            ("0.5E+1", .number(5)), ("1e-999", .number(0)), (#""""#, .string("")),
            (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")), (#""plain\u0020then""#, .string("plain then")),
            (#""\u00E4\u20ac\uD83D\uDD10""#, .string("ä€🔐")), (#""a\u0000b""#, .string("a\u{0}b")),
            ("\"\u{7f}\u{2028}\"", .string("\u{7f}\u{2028}")),
            (
                #"{"a":[1,{"b":null}],"":""}"#,
                .object(["a": .array([.integer(1), .object(["b": .null])]), "": .string("")])
            ),
        ])
    func `A text is the value that RFC 8259 gives it`(text: String, value: JSONValue) throws {
        #expect(try JSONParser.parse(Array(text.utf8)) == value)
    }

    @Test(
        arguments: [
            ("", 0), (" ", 1), ("{", 1), ("[1,]", 3), ("{\"a\":1,}", 7), ("{\"a\" 1}", 5), ("[1 2]", 3), ("{} {}", 3),
            ("nullnull", 4),
            ("tru", 0), ("01", 2), ("+1", 0), ("1.", 2), (".5", 0), ("1e", 2), ("0x10", 1), ("NaN", 0),
            ("-Infinity", 1),
            ("1e999", 0), ("[-1e999]", 1), ("\"\n\"", 1), ("\"\u{0}\"", 1), ("\"abc\u{1f}\"", 4), (#""a"#, 2),
            (#""\x""#, 2),
            (#""\u12""#, 5), (#""\u12é4""#, 5), (#""\ud83d""#, 7), (#""\ud83dx""#, 7), (#""\ud83d\n""#, 8),
            (#""\udd10""#, 7), (#""\ud83d\u0041""#, 13),
            ("\u{FEFF}", 3), ("\u{FEFF}\u{FEFF}1", 3), ("{a:1}", 1), ("// {}", 0), ("\u{0}", 0), ("[1]\u{0}", 3),
        ])
    func `What the grammar does not allow is malformed, with its place`(text: String, offset: Int) {
        guard case .malformed(_, let place)? = fault(Array(text.utf8)) else {
            Issue.record("\(text): \(String(describing: fault(Array(text.utf8))))")
            return
        }
        #expect(place == offset)
    }

    @Test(
        arguments: [
            [0xFF], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x7B, 0x7D, 0x80],
        ] as [[UInt8]])
    func `Bytes that are not UTF-8 are refused wherever they stand`(bytes: [UInt8]) {
        #expect(fault(bytes) == .invalidUTF8)
    }

    @Test(arguments: ["\u{301}", "\u{301}\u{316}", "\u{344}", "\u{F73}", "\u{F75}", "\u{F81}"])
    func `A text with too many marks on one letter is refused`(marks: String) throws {
        func stacked(_ count: Int) -> String { "a" + String(repeating: marks, count: count) }
        let most = 128 / marks.unicodeScalars.count
        for text in ["\(stacked(most))", "\(stacked(most))\(stacked(most))"] {
            #expect(fault(Array("[\"\(text)\",{\"\(text)\":1}]".utf8)) == nil)
        }
        let escapes = marks.unicodeScalars.map { "\\u0" + String($0.value, radix: 16) }.joined()
        for text in [
            "\"\(stacked(most + 1))\"", "{\"\(stacked(most + 1))\":1}", "[\"b\(stacked(200))c\"]",
            "\"a" + String(repeating: escapes, count: most + 1) + "\"",
        ] {
            guard case .malformed? = fault(Array(text.utf8)) else {
                Issue.record("\(text.unicodeScalars.count) scalars are taken")
                continue
            }
        }
        // What was kept is read as it is.
        var reader = try JSONReader(Array("\"\(stacked(200))\"".utf8))
        #expect(try reader.value() == .string(stacked(200)))
    }

    @Test
    func `Two members of one name are refused, also where one is written with an escape or another normal form`() {
        #expect(fault(Array(#"{"a":1,"b":{"a":2},"\u0061":3}"#.utf8)) == .duplicateMember(name: "a"))
        #expect(fault(Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8)) == .duplicateMember(name: "é"))
        #expect(fault(Array(#"{"a":{"a":{"a":1}}}"#.utf8)) == nil)
    }

    @Test(arguments: ["[", "{\"a\":"])
    func `Depth is limited, counted along one path, and reaching it costs no stack`(opening: String) {
        func nested(_ depth: Int) -> [UInt8] {
            let closing = opening == "[" ? "]" : "}"
            return Array(
                (String(repeating: opening, count: depth) + "0" + String(repeating: closing, count: depth)).utf8)
        }
        #expect(fault(nested(32)) == nil && fault(nested(33)) == .tooDeep(limit: 32))
        #expect(fault(nested(1_000_000)) == .tooDeep(limit: 32))
        #expect(fault(nested(3), depthLimit: 2) == .tooDeep(limit: 2))
        #expect(fault(Array(("[" + Array(repeating: "[[]]", count: 100).joined(separator: ",") + "]").utf8)) == nil)
        for depth in [1, 31, 32, 33, 40] { #expect(nested(depth).isJSON(noDeeperThan: 32) == (depth <= 32)) }
        #expect(Array(#"["[[[[","\"[[[[{{{"]"#.utf8).isJSON(noDeeperThan: 1))
    }
}
