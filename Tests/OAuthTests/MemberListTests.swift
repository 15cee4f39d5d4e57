import JSON
import Testing

@testable import OAuthServer

@Suite struct MemberListTests {
    @Test func `Members are written as those of an object are`() throws {
        var list = MemberList([("active", .bool(true))], capacity: 4)
        for (name, value) in [
            ("scope", JSONValue.string("a b")), ("aud", .string("https://api.example/\u{e9}\"")), ("exp", .integer(17)),
            ("cnf", .object(["jkt": .string("x"), "a": .null])), ("acr", .number(1.5)), ("auth_time", .integer(-3)),
        ] { list.add(name, value) }
        list.add("nothing", nil)
        #expect(list.contains("scope") && !list.contains("nothing"))
        #expect(try list.jsonText() == list.object.jsonText())
        #expect(try String(decoding: MemberList([]).jsonText(), as: UTF8.self) == "{}")
    }
}
