import Foundation
import JSON
import Testing

@Suite("Any JSON value")
struct JSONValueTests {
    private func read(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    @Test(
        arguments: [
            ("null", JSONValue.null), ("true", .bool(true)), ("false", .bool(false)), ("0", .integer(0)),
            ("1", .integer(1)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775807", .integer(.max)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.5", .number(1.5)), ("\"1\"", .string("1")),
            ("\"\\u00e9\\ud83d\\udca3\"", .string("é💣")), ("[]", .array([])),
            ("[1,[null]]", .array([.integer(1), .array([.null])])),
            ("{}", .object([:])), ("{\"a\":{\"b\":false}}", .object(["a": .object(["b": .bool(false)])])),
        ])
    func `A value is read as what it is`(text: String, value: JSONValue) throws {
        #expect(try read(text) == value)
        #expect(try read(String(decoding: JSONEncoder().encode(value), as: UTF8.self)) == value)
        #expect(try read(String(decoding: value.jsonText(), as: UTF8.self)) == value)
    }

    @Test
    func `Text has its members in order, slashes as they are, and nothing in a string that could end it`() throws {
        let value = JSONValue.object([
            "b": .array([.integer(-1), .number(1.5), .null, .bool(true)]), "a/": .string("\"\\\n\u{0}\u{1f}é💣</"),
            "A": .object([:]), "é": .array([]),
        ])
        #expect(
            try String(decoding: value.jsonText(), as: UTF8.self)
                == #"{"A":{},"a/":"\"\\\n\u0000\u001fé💣</","b":[-1,1.5,null,true],"é":[]}"#)
        #expect(try read(String(decoding: value.jsonText(), as: UTF8.self)) == value)
        #expect(throws: EncodingError.self) { try JSONValue.array([.number(.infinity)]).jsonText() }
    }

    @Test(
        arguments: [
            "", "{", "nul", "\"\\ud800\"", "1e999", "{\"a\":1 \"b\":2}", String(repeating: "[", count: 100_000),
            String(repeating: "{\"a\":", count: 10_000),
        ])
    func `What is no JSON, or nested without end, is an error and no trap`(text: String) {
        #expect(throws: (any Error).self) { try read(text) }
    }

    @Test
    func `Values inside each other are read to a depth of 32`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[{\"a\":", count: depth / 2) + "1" + String(repeating: "}]", count: depth / 2)
        }
        _ = try read(nested(32))
        #expect(throws: (any Error).self) { try read(nested(34)) }
    }
}
