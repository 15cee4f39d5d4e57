import Testing

@testable import WebPages

@Suite("The language of pages")
struct PageLanguageTests {
    @Test(
        arguments: [
            ("de", PageLanguage.german), ("DE-at", .german), ("de_CH", .german), ("ja-JP", .japanese), ("en", .english),
            ("fr", nil), ("", nil), ("-de", nil), ("deutsch", nil), ("de\u{0}", nil),
        ])
    func `A tag names a language of ours in any case and with any region`(tag: String, expected: PageLanguage?) {
        #expect(PageLanguage(tag: tag) == expected)
    }

    @Test(
        arguments: [
            ("de", PageLanguage.german), ("fr, ja", .japanese), ("en;q=0.5, de;q=0.8, ja;q=0.1", .german),
            ("de;q=0, ja;q=0.1", .japanese), ("de , en", .german), ("ja;q=x, en", .english), ("*", nil), ("", nil),
            (";;,,", nil),
            ("de;q=0", nil), ("fr;q=1, de; q=0.2", .german),
            (String(repeating: "xx,", count: 5000) + "de", nil),
        ])
    func `The browser's list is read by weight (RFC 9110, section 12.5.4)`(header: String, expected: PageLanguage?) {
        #expect(PageLanguage(accepting: header) == expected)
    }
}
