import Foundation
import JSON
import Testing

@Suite("Base64 for URLs")
struct Base64URLTests {
    @Test(
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func `The vectors of RFC 4648, section 10, without their padding`(plain: String, text: String) {
        #expect(Array(plain.utf8).base64URL == text && Data(plain.utf8).base64URL == text)
        #expect([UInt8](base64URL: text) == Array(plain.utf8))
        #expect([UInt8](base64URL: "x\(text)".dropFirst()) == Array(plain.utf8))
    }

    @Test
    func `Bytes of every length and value come back, and are what Foundation writes in the other alphabet`() {
        for count in 0..<260 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
            let text = bytes.base64URL
            #expect(Base64URL.decode(text) == bytes)
            let standard = Data(bytes).base64EncodedString()
            #expect(Base64URL.decode(standard, accepting: [.otherAlphabet, .padding]) == bytes)
            #expect(
                text.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") })
        }
    }

    @Test(
        arguments: [
            ("_-8", [], true), ("/+8", [], false), ("/+8", .otherAlphabet, true), ("_+8", .otherAlphabet, true),
            ("_-8=", [], false), ("_-8=", .padding, true), ("Zg==", .padding, true), ("Zg=", .padding, true),
            ("/+8=", .all, true),
            // The last character has bits of no byte: 'h' is 'g' and one such bit.
            ("Zg", [], true), ("Zh", [], false), ("Zh", .strayBits, true), ("Zm9", [], false), ("Zm8", [], true),
            ("Zm9", .strayBits, true),
        ] as [(String, Base64URL.Leniency, Bool)])
    func `A reader refuses every form but one unless it accepts that form by name`(
        text: String, leniency: Base64URL.Leniency, isTaken: Bool
    ) {
        #expect((Base64URL.decode(text, accepting: leniency) != nil) == isTaken)
    }

    @Test(
        arguments: [
            "A", "AAAAA", "A===", "=AAA", "AA=A", "AA A", "AA\n", " AAA", "AA\u{0}A", "AAÄA", "💣", "AA.A", "AA%3D",
            "~~~~",
        ])
    func `What is no Base64 in any form is refused by every reader`(text: String) {
        #expect(Base64URL.decode(text) == nil && Base64URL.decode(text, accepting: .all) == nil)
    }

    @Test
    func `One wrong character is found wherever it stands, and so is half a byte`() {
        for count in [2, 3, 4, 6, 7, 8, 43, 64] {
            let text = Array(repeating: UInt8(ascii: "A"), count: count)
            #expect(Base64URL.decode(utf8: text[...]) == Array(repeating: 0, count: count * 3 / 4))
            for place in text.indices {
                for wrong in [".", "+", "/", "=", " ", "\0", "\u{7F}"] as [Unicode.Scalar] {
                    var other = text
                    other[place] = UInt8(ascii: wrong)
                    #expect(Base64URL.decode(utf8: other[...]) == nil)
                }
            }
            #expect(Base64URL.decode(utf8: [UInt8](repeating: 255, count: count)[...], accepting: .all) == nil)
        }
    }
}
