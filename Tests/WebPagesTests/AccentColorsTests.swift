import Foundation
import Testing

@testable import WebPages

@Suite("Colours of applications")
struct AccentColorsTests {
    private static let grounds = AccentColors.Grounds(ofTheme: "")

    /// Each text of the colour on each of its grounds, and the text on a button of it.
    private func contrasts(_ accent: AccentColors, _ grounds: AccentColors.Grounds) -> [Double] {
        [(accent.light, grounds.light), (accent.dark, grounds.dark)].flatMap { color, grounds in
            grounds.map { color.contrast(with: $0) }
                + [max(color.contrast(with: .white), color.contrast(with: .black))]
        }
    }

    @Test(arguments: [
        "#8a1c4a", "#ffff00", "#000000", "#ffffff", "#777777", "#00ff00", "#ff0000", "#0000ff", "#155eaf", "#7db4f5",
    ])
    func `Whatever colour is chosen, text of it and on it can be read in light and dark`(color: String) throws {
        let themes = [
            "", ":root { --paper: #000; --card: #101010; }", ":root { --paper: #ffe; --card: #fed; }",
            "@media (prefers-color-scheme: dark) { :root { --paper: #333; --card: #444; } }",
        ]
        for theme in themes {
            let grounds = AccentColors.Grounds(ofTheme: theme)
            let accent = try #require(AccentColors(color, on: grounds))
            #expect(grounds.light.count == 2 && grounds.dark.count == 2)
            #expect(contrasts(accent, grounds).allSatisfy { $0 >= 4.5 }, "\(accent.fileName) on \(theme)")
        }
    }

    @Test func `A colour that can be read stays what it is`() throws {
        let accent = try #require(AccentColors("#8a1c4a", on: Self.grounds))
        #expect(accent.light.digits == "8a1c4a")
        #expect(accent.dark.digits != "8a1c4a", "It is too dark for a dark page.")
        #expect(accent.styleSheet.contains("--accent: #8a1c4a; --on-accent: #fff;"))
    }

    @Test func `The style sheet is made of its name, which names colours alone`() throws {
        let accent = try #require(AccentColors("#155EAF", on: Self.grounds))
        #expect(AccentColors(fileName: accent.fileName) == accent)
        let lines = accent.styleSheet.split(separator: "\n")
        #expect(lines.count == 2)
        for wrong in [
            "", "155eaf.css", "155eaf-7db4f5", "155eaf-7db4f5.css ", "155eaf-7db4fg.css", "155EAF-7DB4F5.css",
            "155eaf-}body.css", "155eaf-7db4f5.css.css", "../155eaf-7db4f5.css",
        ] { #expect(AccentColors(fileName: wrong) == nil, "\(wrong)") }
        for wrong in ["", "red", "155eaf", "#155ea", "#155eafff", "#155eag", "url(x)"] {
            #expect(AccentColors(wrong, on: Self.grounds) == nil, "\(wrong)")
        }
    }
}
