import Foundation
import Testing

@testable import CountersignCore

@Suite("Text without zero bytes")
struct PlainTextTests {
    private struct Named {
        @PlainText var name: String
    }

    @Test(
        arguments: [
            ("Ada", 100, "Ada"), ("A\0d\0a\0", 100, "Ada"), ("\0", 100, ""), ("", 100, ""), ("Adalbert", 3, "Ada"),
            ("\0\0Adalbert", 3, "Ada"), ("e\u{301}e\u{301}", 1, "e\u{301}"), ("\0\u{301}a", 9, "\u{301}a"),
            ("👩‍👩‍👧‍👦\0", 1, "👩‍👩‍👧‍👦"), ("a\u{FFFD}b\u{1}", 9, "a\u{FFFD}b\u{1}"),
        ])
    func `A text for people loses its zero bytes and what is too long`(text: String, longest: Int, expected: String) {
        let plain = PlainText(text, longest: longest)
        #expect(Array(plain.text.unicodeScalars) == Array(expected.unicodeScalars))
        #expect("\(plain)" == expected)
    }

    @Test
    func `A property keeps zero bytes out, however it is set`() {
        var named = Named(name: "a\0b")
        #expect(named.name == "ab")
        named.name = "c\0"
        #expect(named.name == "c")
        named.name += "\0d"
        #expect(named.name == "cd")
    }

    @Test(
        arguments: [
            ("a", true), ("abcd", true), ("é", true), ("éé", true), ("\u{FFFD}", true), ("", false), ("abcde", false),
            ("ééé", false), ("\0", false), ("a\0", false), ("\0a", false), (nil, false),
        ])
    func `A text that counts to the letter is taken as it is, or not at all`(text: String?, isTaken: Bool) {
        #expect(PlainText(text, bytes: 1...4)?.text == (isTaken ? text : nil))
    }

    @Test
    func `Where no length is asked for, an empty text is taken and one with a zero byte is not`() {
        #expect(PlainText("", bytes: 0...)?.text == "")
        #expect(PlainText("\0", bytes: 0...) == nil)
        #expect(PlainText("", bytes: 1...) == nil)
    }

    @Test(
        arguments: [
            ("alice", "alice"), ("alice\0", "alice\u{FFFD}"), ("alice\0x", "alice\u{FFFD}x"), ("\0", "\u{FFFD}"),
            ("", ""), ("\0\u{301}", "\u{FFFD}\u{301}"),
        ])
    func `A key with a zero byte is no other row's key`(text: String, key: String) {
        #expect(PlainText.key(text) == key)
    }

    @Test
    func `Control characters are those of three categories, and what turns text is none of them`() {
        let wrong = (UInt32(0)...0x30FF).compactMap { Unicode.Scalar($0) }.filter { scalar in
            let category = scalar.properties.generalCategory
            let isControl = [.control, .lineSeparator, .paragraphSeparator].contains(category)
            let isMark = [0x061C, 0x200E, 0x200F].contains(scalar.value)
            let turnsText = scalar.properties.isBidiControl && !isMark
            return PlainText.isControl(scalar) != isControl || PlainText.turnsText(scalar) != turnsText
                || PlainText.hasControls("a\(scalar)b") != (isControl || turnsText)
        }
        #expect(wrong.map(\.value) == [])
    }

    @Test(
        arguments: [
            ("a", true), (" ", true), ("é", true), ("e\u{301}", true), ("日本 12-34", true), ("\u{A0}", true),
            ("😀", true),
            ("\n", false), ("\u{7F}", false), ("\u{85}", false), ("\u{2028}", false), ("a\u{202E}b", false),
            ("\u{200B}", false), ("\u{AD}", false), ("\u{E000}", false), ("\u{378}", false), ("\u{3164}", false),
        ])
    func `Printable is what shows in a text that is compared with another screen's`(text: String, isPrintable: Bool) {
        #expect(text.unicodeScalars.allSatisfy(PlainText.isPrintable) == isPrintable)
    }

    @Test
    func `Of what is not seen, nothing is printable, and notices keep selectors of variants alone`() {
        // The planes that have such characters.
        let planes: [ClosedRange<UInt32>] = [0...0xFFFF, 0x1BC00...0x1D1FF, 0xE0000...0xE1000]
        let all = planes.joined().compactMap { Unicode.Scalar($0) }
        let invisible = all.filter(PlainText.isInvisible)
        #expect(!invisible.contains(where: PlainText.isPrintable))
        let kept = invisible.filter { !AccountNotice.isHidden($0) }.map(\.value)
        let selectors: [UInt32] = [0x180B, 0x180C, 0x180D, 0x180F] + Array(0xFE00...0xFE0F)
        #expect(kept == selectors)
        let more = all.filter { AccountNotice.isHidden($0) && !PlainText.isInvisible($0) }
        #expect(!more.isEmpty && more.allSatisfy { $0.properties.generalCategory == .format })
        for value: UInt32 in [0, 0x9F, 0xAD, 0x061C, 0x200B, 0x200D, 0x2028, 0x202E, 0x3164, 0xFFF9, 0x1D173, 0xE0041] {
            #expect(invisible.contains { $0.value == value }, "\(value)")
        }
        #expect(!"a é日\u{301}\u{2800}\u{E000}".unicodeScalars.contains(where: PlainText.isInvisible))
    }

    @Test(
        arguments: [
            ("a", true), ("abcd", true), (" a ", true), ("日本", true), ("e\u{301}e\u{301}", true), ("a\u{202E}b", true),
            ("", false), (" ", false), ("\u{3000}", false), ("abcde", false), ("e\u{301}\u{301}\u{301}\u{301}", false),
            ("a\nb", false), ("a\tb", false), ("a\0", false), ("a\u{7F}", false), ("a\u{85}b", false),
            ("a\u{2028}", false),
        ])
    func `A line is not blank, has no controls, and is counted with its letters' marks`(text: String, isLine: Bool) {
        #expect(PlainText.isLine(text, longest: 4) == isLine)
    }

    @Test
    func `No id has a zero byte, however it is made`() throws {
        let json = Data(#"["alice\u0000"]"#.utf8)
        func expectPlain<ID: StringName>(_ type: ID.Type) throws {
            #expect(ID(rawValue: "alice\0").rawValue == "alice\u{FFFD}")
            #expect(ID(rawValue: "alice\0") != ID(rawValue: "alice"))
            #expect(try JSONDecoder().decode([ID].self, from: json) == [ID(rawValue: "alice\0")])
            #expect(ID(rawValue: "alice").rawValue == "alice")
        }
        try expectPlain(UserID.self)
        try expectPlain(ClientID.self)
        try expectPlain(FactorID.self)
        try expectPlain(SessionID.self)
    }

    @Test
    func `A factor's name has no zero byte, whichever way it was enrolled or renamed`() {
        var factor = FactorRecord(
            id: FactorID(rawValue: "f"), userID: UserID(rawValue: "u"), kind: .totp, name: "My\0 phone",
            createdAt: Date(timeIntervalSince1970: 0), payload: Data())
        #expect(factor.name == "My phone")
        factor.name = "\0New"
        #expect(factor.name == "New")
    }
}
