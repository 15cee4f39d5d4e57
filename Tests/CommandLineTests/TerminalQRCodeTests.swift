import QRCode
import Testing

@testable import TerminalQRCode

@Suite struct TerminalQRCodeTests {
    private static let uri =
        "otpauth://totp/Countersign:anna%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Countersign"

    @Test(arguments: TerminalQRCode.Style.allCases, ["A", uri, "Grüße 🔐", String(repeating: "x", count: 2331)])
    func `The characters show the modules of the code inside its border`(style: TerminalQRCode.Style, text: String)
        throws
    {
        let expected = try QRMatrix(text).surrounded(by: 4)
        let rendered = try TerminalQRCode.render(text, style: style)
        let modules = try #require(readBack(rendered, style: style))
        #expect(modules.allSatisfy { $0.count == expected.width })
        for (row, line) in modules.enumerated() {
            #expect(line.indices.allSatisfy { line[$0] == expected[row, $0] })
        }
        #expect(modules.count == expected.width + expected.width % 2)
    }

    @Test func `The border is light and the finder pattern is where it belongs`() throws {
        let modules = try #require(readBack(TerminalQRCode.render("A", style: .plain), style: .plain))
        #expect(modules.count == 30)
        #expect(modules[..<4].allSatisfy { !$0.contains(true) })
        #expect(modules.allSatisfy { !$0[..<4].contains(true) && !$0[25...].contains(true) })
        #expect(modules[4][4..<12] == [true, true, true, true, true, true, true, false])
        #expect(modules[5][4..<12] == [true, false, false, false, false, false, true, false])
    }

    @Test func `The plain style has no escapes and the colored one ends them on each line`() throws {
        let plain = try TerminalQRCode.render(Self.uri, style: .plain)
        #expect(plain.allSatisfy { "█▀▄ \n".contains($0) })
        let colored = try TerminalQRCode.render(Self.uri, style: .colored)
        #expect(
            colored.split(separator: "\n").allSatisfy { $0.hasPrefix("\u{1B}[30;107m") && $0.hasSuffix("\u{1B}[0m") })
    }

    @Test func `The border can be left out`() throws {
        let rendered = try TerminalQRCode.render("A", style: .plain, quietZone: 0)
        #expect(rendered.split(separator: "\n").count == 11)
        #expect(rendered.split(separator: "\n").allSatisfy { $0.count == 21 })
    }

    @Test(arguments: [
        ("", 4, TerminalQRCodeError.Code.empty),
        (String(repeating: "x", count: 2332), 4, .tooLong),
        (String(repeating: "x", count: 1_000_000), 4, .tooLong),
        ("a\u{0}b", 4, .containsZero),
        ("A", -1, .invalidQuietZone),
        ("A", .max, .invalidQuietZone),
    ])
    func `What cannot be drawn is refused`(text: String, quietZone: Int, code: TerminalQRCodeError.Code) {
        let error = #expect(throws: TerminalQRCodeError.self) {
            try TerminalQRCode.render(text, quietZone: quietZone)
        }
        #expect(error?.code == code)
    }

    /// Reads the characters back: rows of modules, true for dark. Nil where there is another character.
    private func readBack(_ text: String, style: TerminalQRCode.Style) -> [[Bool]]? {
        var rows: [[Bool]] = []
        for line in text.split(separator: "\n") {
            let bare = line.replacing("\u{1B}[30;107m", with: "").replacing("\u{1B}[0m", with: "")
            var upper: [Bool] = []
            var lower: [Bool] = []
            for character in bare {
                guard let index = [Character(" "), "▄", "▀", "█"].firstIndex(of: character) else { return nil }
                upper.append((index & 2 != 0) == (style == .colored))
                lower.append((index & 1 != 0) == (style == .colored))
            }
            rows.append(upper)
            rows.append(lower)
        }
        return rows
    }
}
