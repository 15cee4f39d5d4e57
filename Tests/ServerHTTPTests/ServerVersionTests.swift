import Testing

@testable import ServerHTTP

@Suite struct ServerVersionTests {
    @Test(
        arguments: [
            (nil, nil, "1.2.3"), ("4f2c81d09e3a", "2026-11-23", "1.2.3 (4f2c81d09e3a, 2026-11-23)"),
            ("4f2c81d09e3a", nil, "1.2.3 (4f2c81d09e3a)"), (nil, "2026-11-23", "1.2.3 (2026-11-23)"),
        ] as [(String?, String?, String)])
    func `A version tells its commit and its day where the build was told`(commit: String?, date: String?, text: String)
    {
        #expect(ServerVersion(number: "1.2.3", commit: commit, date: date).description == text)
    }

    @Test func `This version is one of Semantic Versioning`() throws {
        #expect(try ServerVersion.number.wholeMatch(of: Regex(#"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}"#)) != nil)
    }
}
