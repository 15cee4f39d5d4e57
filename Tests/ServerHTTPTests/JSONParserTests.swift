import CountersignCore
import ServerHTTP
import Testing

@Suite struct JSONParserTests {
    @Test(arguments: [
        ("{}", JSONValue.object([:])),
        (" \t\r\n{ } \n", .object([:])),
        ("\u{FEFF}{}", .object([:])),
        ("null", .null),
        ("[true,false,null]", .array([.bool(true), .bool(false), .null])),
        (#"{"a":{"b":[1,"2"]}}"#, .object(["a": .object(["b": .array([.integer(1), .string("2")])])])),
        ("0", .integer(0)),
        ("-0", .integer(0)),
        ("9223372036854775807", .integer(.max)),
        ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .number(9_223_372_036_854_775_808)),
        ("1.5e3", .number(1500)),
        ("1E+2", .number(100)),
        ("-1e-2", .number(-0.01)),
        ("1e-999", .number(0)),
        (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
        (#""\u00e4\u20AC\ud83d\udd10""#, .string("ä€🔐")),
        (#""a\u0000b""#, .string("a\u{0}b")),
        ("\"ä€🔐\"", .string("ä€🔐")),
    ])
    func `Text is the value that the grammar gives it`(text: String, expected: JSONValue) throws {
        #expect(try LenientJSON.parse(Array(text.utf8)) == expected)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "]", "{]", "[}", "{,}", "[,]", "[1,]", #"{"a":1,}"#, #"{"a"}"#, #"{"a" 1}"#, "{a:1}",
        "{'a':1}", #"{"a":}"#, #"{"a":1 "b":2}"#, "[1 2]", "tru", "True", "nul", "NaN", "Infinity", "-", "+1", "01",
        "-01",
        "1.", ".5", "1e", "1e+", "0x10", "1_000", #"""#, #""a"#, #""\x""#, #""\u12""#, #""\u12g4""#, #""\ud83d""#,
        #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\ud83d""#, #""\udd10""#, "\"\n\"", "\"\u{1}\"", "{} {}", "{}x", "// {}",
        "1e999", "-1e999", String(repeating: "9", count: 400), "{\"a\":\"\\", "nullnull", "\u{FEFF}",
    ])
    func `What is not JSON is malformed`(text: String) {
        let fault = #expect(throws: RequestBodyFault.self) { try LenientJSON.parse(Array(text.utf8)) }
        guard case .malformed(_, let offset) = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
        #expect((0...text.utf8.count).contains(offset))
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0xFE, 0xFF],
        ] as [[UInt8]])
    func `What is not UTF8 is a fault`(bytes: [UInt8]) {
        #expect(throws: RequestBodyFault.invalidUTF8) { try LenientJSON.parse(bytes) }
    }

    @Test(arguments: ["[", "{\"a\":"])
    func `Thirty two levels are passed and one more is too deep`(opening: String) throws {
        func nested(_ depth: Int) -> [UInt8] {
            let closing = opening == "[" ? "]" : "}"
            return Array(
                (String(repeating: opening, count: depth) + "0" + String(repeating: closing, count: depth)).utf8)
        }
        #expect(throws: Never.self) { try LenientJSON.parse(nested(32)) }
        #expect(throws: RequestBodyFault.tooDeep(limit: 32)) { try LenientJSON.parse(nested(33)) }
        #expect(throws: RequestBodyFault.tooDeep(limit: 32)) { try LenientJSON.parse(nested(10_000)) }
    }

    @Test func `Depth is counted along one path only`() throws {
        let wide = "[" + Array(repeating: "[[]]", count: 100).joined(separator: ",") + "]"
        #expect(throws: Never.self) { try LenientJSON.parse(Array(wide.utf8)) }
    }

    @Test func `A member that is there twice is a fault`() {
        #expect(throws: RequestBodyFault.duplicateMember(path: "a")) {
            try LenientJSON.parse(Array(#"{"a":1,"b":2,"\u0061":3}"#.utf8))
        }
    }
}
