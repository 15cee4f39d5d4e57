import CountersignCore
import Foundation
import Testing

@Suite("E-mail addresses")
struct EmailAddressTests {
    @Test(
        arguments: [
            ("ada@example.org", "ada@example.org"),
            ("  Ada@EXAMPLE.org\t", "ada@example.org"),
            ("a@b", "a@b"),
            ("ada+engine@example.org", "ada+engine@example.org"),
            ("o'brien!#$%&*/=?^_`{|}~-@example.org", "o'brien!#$%&*/=?^_`{|}~-@example.org"),
            ("e\u{301}t\u{e9}@example.org", "été@example.org"),
            ("\u{c9}t\u{e9}@example.org", "été@example.org"),
            ("\u{212a}ate@example.org", "kate@example.org"),
            ("\u{212b}sa@example.org", "åsa@example.org"),
            ("ada@münchen.example", "ada@münchen.example"),
            ("用户@例子.中国", "用户@例子.中国"),
            ("ada@xn--mnchen-3ya.example", "ada@münchen.example"),
            ("Ada@XN--MNCHEN-3YA.Example", "ada@münchen.example"),
            ("ada@\u{ff4d}ünchen.example", "ada@münchen.example"),
            ("ada@example\u{3002}org", "ada@example.org"),
            ("xn--mnchen-3ya@example.org", "xn--mnchen-3ya@example.org"),
            ("ada@xn--a.example", "ada@xn--a.example"),
            ("ada@ä_b.example", "ada@ä_b.example"),
        ])
    func `Spellings of one address are one address`(text: String, canonical: String) throws {
        let address = try #require(EmailAddress(text))
        #expect(Array(address.canonical.unicodeScalars) == Array(canonical.unicodeScalars))
        #expect(address == EmailAddress(kept: canonical))
        #expect(EmailAddress(address.canonical) == address)
    }

    @Test(
        arguments: [
            "", " ", "@", "a@", "@b", "ab", "a@@b", "a@b@c", "a b@c.d", "a@b c.d", "a@b..c", "a@.b", "a@b.", "a@-b.c",
            "a@b-.c", "a@b\r\nBcc: eve@example.org", "a\r\n@b.c", "a@b.c\n", "a@b.c\r", "\na@b.c", "a\u{0}@b.c",
            "a@b.c\u{0}", "a@b.c,eve@example.org", "a@b.c;eve", "<a@b.c>", "Ada <a@b.c>", "\"a b\"@c.d", "a(b)@c.d",
            "a@[127.0.0.1]", "a\\@b.c", "a:b@c.d", "a\u{85}@b.c", "a\u{2028}@b.c", "a\u{a0}b@c.d", "a\u{200b}@b.c",
            "a\u{200d}@b.c", "a\u{202e}@b.c", "a\u{feff}@b.c", "a\u{ad}@b.c", "a@\u{301}b@c.d", "a@\u{301}b.c",
            "a@b@\u{20dd}c.d", "a\u{7f}@b.c", "a\u{1b}[0m@b.c",
            String(repeating: "a", count: 65) + "@example.org",
            "a@" + String(repeating: "b", count: 64) + ".org",
            "a@" + Array(repeating: "bcdefgh", count: 32).joined(separator: "."),
        ])
    func `What is no address, or smuggles something into a mail, is refused`(text: String) {
        #expect(EmailAddress(text) == nil, "\(text.debugDescription)")
    }

    @Test
    func `An account that was kept with its domain in ASCII letters is that of the address`() throws {
        let address = try #require(EmailAddress("ada@xn--mnchen-3ya.example"))
        #expect(address.asciiSpelling == "ada@xn--mnchen-3ya.example")
        let kept = EmailAddress(keptAtAnyTime: "ada@xn--mnchen-3ya.example")
        #expect(kept == address && kept.hashValue == address.hashValue && kept.kept == "ada@xn--mnchen-3ya.example")
        for text in ["ada@example.org", "xn--mnchen-3ya@example.org", "ada@münchen.example", "ada@xn--a.example"] {
            #expect(EmailAddress(keptAtAnyTime: text) == EmailAddress(kept: text))
        }
        #expect(EmailAddress("ada@example.org")?.asciiSpelling == nil)
    }

    @Test
    func `The longest address is of 254 bytes`() {
        let tail = "@" + Array(repeating: String(repeating: "b", count: 37), count: 5).joined(separator: ".")
        #expect(tail.utf8.count == 190)
        #expect(EmailAddress(String(repeating: "a", count: 64) + tail) != nil)
        #expect(EmailAddress(String(repeating: "a", count: 64) + tail + "c") == nil)
        #expect(EmailAddress(String(repeating: "é", count: 32) + tail) != nil)
        #expect(EmailAddress(String(repeating: "é", count: 33) + "@b.c") == nil)
    }

    @Test
    func `Whatever is taken stays the same when it is read again, and has one @`() {
        let random = SeededRandom(seed: 3)
        let pieces = [
            "a", "Z", "@", "@", ".", "-", "é", "e\u{301}", "\u{301}", "İ", "ß", "ſ", "\u{212a}", "Σ", "ς", "ǅ", "ﬁ",
            "\u{345}",
            "Ά", "\u{1fb3}", "中", "💣", "\u{200b}", " ", "\u{3002}", "xn--", "-3ya", "\u{2100}", "\n", "\u{fe0f}",
            "\u{1100}\u{1161}", "\u{0}",
        ]
        for _ in 0..<4000 {
            let text = (0..<(3 + random.number(below: 6))).map { _ in pieces[random.number(below: pieces.count)] }
            guard let address = EmailAddress(text.joined()) else { continue }
            // By their bytes, as stores compare.
            #expect(EmailAddress(address.canonical).map { Array($0.canonical.utf8) } == Array(address.canonical.utf8))
            #expect(address.canonical.utf8.count { $0 == UInt8(ascii: "@") } == 1, "\(text)")
        }
    }
}
