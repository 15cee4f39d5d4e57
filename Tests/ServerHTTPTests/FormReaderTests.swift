import CountersignCore
import ServerHTTP
import Testing

@Suite struct FormReaderTests {
    private static func fields(_ text: String, _ malformed: FormReader.Malformed) throws -> [[String]] {
        var reader = FormReader(Array(text.utf8), malformed: malformed)
        var fields: [[String]] = []
        while let field = try reader.next() { fields.append([field.name, field.value]) }
        return fields
    }

    @Test(
        arguments: [
            ("", []), ("&&", []), ("a=b", [["a", "b"]]), ("&a=1&&a=2&", [["a", "1"], ["a", "2"]]),
            ("a&a=&=a&=", [["a", ""], ["a", ""], ["", "a"], ["", ""]]), ("a=b=c", [["a", "b=c"]]),
            ("a+b=c+d%2B", [["a b", "c d+"]]), ("a=%00&%00=b", [["a", "\u{0}"], ["\u{0}", "b"]]),
            ("%61=%e2%82%AC", [["a", "€"]]), ("a=ü+\u{301}", [["a", "ü \u{301}"]]),
        ] as [(String, [[String]])])
    func `Every field is read, in its order, whatever becomes of it`(text: String, expected: [[String]]) throws {
        // Compared by code points: to Swift more texts are equal.
        func codes(_ fields: [[String]]) -> [[[UInt8]]] { fields.map { $0.map { Array($0.utf8) } } }
        #expect(try codes(Self.fields(text, .refused)) == codes(expected))
        #expect(try codes(Self.fields(text, .asWritten)) == codes(expected))
    }

    @Test(
        arguments: [
            ("a=%&b=%zz+&c=d+e", [["a", "%"], ["b", "%zz "], ["c", "d e"]]), ("%+=%2", [["% ", "%2"]]),
            ("a=%ff&b=%41", [["a", "%ff"], ["b", "A"]]), ("%c3=%C3%A4", [["%c3", "ä"]]),
        ] as [(String, [[String]])])
    func `What is malformed is refused, or stays as it was written but for plus signs`(
        text: String, expected: [[String]]
    ) throws {
        #expect(try Self.fields(text, .asWritten) == expected)
        #expect(throws: RequestBodyFault.self) { try Self.fields(text, .refused) }
    }

    @Test func `Too many marks on one letter are refused, and say nothing in a query`() throws {
        let stacked = "a" + String(repeating: "\u{301}\u{316}", count: 65)
        let escaped = "a" + String(repeating: "%CC%81%CC%96", count: 65)
        for text in ["a=\(stacked)", "\(stacked)=b", "a=\(escaped)"] {
            #expect(throws: RequestBodyFault.self) { try Self.fields(text, .refused) }
        }
        #expect(try Self.fields("a=\(stacked)&b=c", .asWritten) == [["a", ""], ["b", "c"]])
        #expect(try Self.fields("a=\(escaped)", .asWritten) == [["a", escaped]])
    }

    @Test(
        arguments: [
            ("", [:]),
            ("&&", [:]),
            ("a=b", ["a": "b"]),
            ("a=b&c=d", ["a": "b", "c": "d"]),
            ("&a=b&&c=d&", ["a": "b", "c": "d"]),
            ("a", ["a": ""]),
            ("a=", ["a": ""]),
            ("=b", ["": "b"]),
            ("a=b=c", ["a": "b=c"]),
            ("scope=openid+profile", ["scope": "openid profile"]),
            ("a=1%2B1", ["a": "1+1"]),
            ("a=%26%3D%25", ["a": "&=%"]),
            ("p%C3%A4ss=%e2%82%AC", ["päss": "€"]),
            ("a=%00", ["a": "\u{0}"]),
            ("a=\u{e4}", ["a": "\u{e4}"]),
        ] as [(String, [String: String])])
    func `Fields are members of an object`(body: String, expected: [String: String]) throws {
        #expect(try LenientJSON.parseForm(Array(body.utf8)) == .object(expected.mapValues { .string($0) }))
    }

    @Test
    func `A field that may be there several times is a list where it is, and no other is`() throws {
        let form = Array("a=1&b=x&a=2&a=&a=4".utf8)
        #expect(
            try LenientJSON.parseForm(form, repeatable: ["a"])
                == .object(["a": .array(["1", "2", "", "4"].map { .string($0) }), "b": .string("x")]))
        #expect(try LenientJSON.parseForm(Array("a=1".utf8), repeatable: ["a"]) == .object(["a": .string("1")]))
        for (count, isTaken) in [(500, true), (501, false)] {
            let many = Array(String(repeating: "a=&", count: count).utf8)
            #expect(((try? LenientJSON.parseForm(many, repeatable: ["a"])) != nil) == isTaken)
        }
        #expect(throws: RequestBodyFault.duplicateMember(path: "b")) {
            try LenientJSON.parseForm(Array("b=1&b=2".utf8), repeatable: ["a"])
        }
    }

    @Test(arguments: [
        ("a=%", RequestBodyFault.malformed(reason: "an invalid percent escape", offset: 0)),
        ("a=%2", .malformed(reason: "an invalid percent escape", offset: 0)),
        ("a=b&c=%zz", .malformed(reason: "an invalid percent escape", offset: 4)),
        ("a=%+1", .malformed(reason: "an invalid percent escape", offset: 0)),
        ("a=%ff", .invalidUTF8),
        ("%c3=a", .invalidUTF8),
        ("a=1&b=2&a=3", .duplicateMember(path: "a")),
        ("a=1&%61=1", .duplicateMember(path: "a")),
    ])
    func `What is not a form is a fault`(body: String, expected: RequestBodyFault) {
        #expect(throws: expected) { try LenientJSON.parseForm(Array(body.utf8)) }
    }
}
