import CountersignCore
import ServerHTTP
import Testing

@Suite struct FormParserTests {
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
