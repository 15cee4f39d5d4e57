import Testing

@testable import JSON

@Suite("Lists with spaces between their elements")
struct SpaceSeparatedTests {
    @Test(
        arguments: [
            ("", []), ("   ", []), ("openid", ["openid"]), ("openid email", ["openid", "email"]),
            ("  b   a ", ["b", "a"]),
            ("a a", ["a", "a"]), ("a\tb", ["a\tb"]), ("ä ö", ["ä", "ö"]), ("a \u{301}b", ["a", "\u{301}b"]),
        ] as [(String, [String])])
    func `Elements are what is between spaces, in the order of the text`(text: String, elements: [String]) {
        #expect(text.spaceSeparated == elements)
    }
}
