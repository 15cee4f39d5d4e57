import Foundation
import Testing

@testable import countersign

@Suite("What commands print as JSON")
struct OutputOptionsTests {
    @Test(arguments: [true, false])
    func `A name steers no terminal, and is the same to programs`(pretty: Bool) throws {
        // Delete, the sequence introducers of ECMA-48 in one character, the end of a line, and a mark that turns text.
        let names = [
            "\u{1B}[2J\u{7F}", "a\u{9B}31m\u{9D}0;x\u{9C}", "a\u{85}b\u{2028}", "\u{202E}gnp",
            "Zoë \u{1F469}\u{200D}\u{1F680}",
        ]
        let text = try OutputOptions.text(of: names, pretty: pretty)
        let steering = text.unicodeScalars.filter {
            $0.properties.generalCategory == .control && $0 != "\n" || $0.properties.isBidiControl
        }
        #expect(steering.isEmpty, "\(text.debugDescription)")
        #expect(text.contains(#"a\u009b31m\u009d0;x\u009c"#) && text.contains("Zoë"))
        #expect(try JSONDecoder().decode([String].self, from: Data(text.utf8)) == names)
    }
}
