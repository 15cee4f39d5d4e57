import CPageFiles
import Foundation

/// The colours of a style sheet's custom properties, in light and dark, and whether text in them can be read.
struct ThemeColors {
    /// A colour of sRGB, each part from 0 to 1.
    struct Color: Equatable {
        let red: Double
        let green: Double
        let blue: Double

        static let black = Color(parts: [0, 0, 0])
        static let white = Color(parts: [1, 1, 1])

        private init(parts: [Double]) {
            (red, green, blue) = (parts[0], parts[1], parts[2])
        }

        /// `#rgb` or `#rrggbb`; nil for other notations.
        init?(_ text: Substring) {
            guard text.first == "#" else { return nil }
            var digits = text.dropFirst().compactMap(\.hexDigitValue)
            guard digits.count == text.count - 1 else { return nil }
            if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
            guard digits.count == 6 else { return nil }
            self.init(parts: [0, 2, 4].map { Double(digits[$0] * 16 + digits[$0 + 1]) / 255 })
        }

        /// Six hexadecimal digits.
        var digits: String {
            [red, green, blue].map { part in
                let text = String(Int((part * 255).rounded()), radix: 16)
                return text.count == 1 ? "0" + text : text
            }.joined()
        }

        /// WCAG 2.2, "relative luminance".
        private var luminance: Double {
            func linear(_ part: Double) -> Double {
                part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
        }

        /// WCAG 2.2, "contrast ratio": from 1 to 21.
        func contrast(with other: Color) -> Double {
            let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
            return (lighter + 0.05) / (darker + 0.05)
        }

        /// This colour, as far towards black or white as text of it needs to be read on each of the grounds.
        func readable(on grounds: [Color]) -> Color {
            let ends = [Color.black, .white].map { end in
                (end, grounds.map { $0.contrast(with: end) }.min() ?? ThemeColors.textContrast)
            }
            let end = ends[0].1 >= ends[1].1 ? ends[0].0 : ends[1].0
            for step in 0..<32 {
                let share = Double(step) / 32
                let mixed = Color(
                    parts: zip([red, green, blue], [end.red, end.green, end.blue]).map { own, other in
                        ((own + (other - own) * share) * 255).rounded() / 255
                    })
                if grounds.allSatisfy({ mixed.contrast(with: $0) >= ThemeColors.textContrast }) { return mixed }
            }
            return end
        }
    }

    /// How different text has to be from its ground (WCAG 2.2, success criterion 1.4.3).
    static let textContrast = 4.5

    /// What stands on what, and how different both have to be (WCAG 2.2, success criteria 1.4.3 and 1.4.11).
    private static let pairs: [(text: String, ground: String, least: Double)] = [
        ("ink", "paper", 4.5), ("ink", "card", 4.5), ("faint", "paper", 4.5), ("faint", "card", 4.5),
        ("accent", "paper", 4.5), ("accent", "card", 4.5), ("on-accent", "accent", 4.5),
        ("alarm", "alarm-paper", 4.5), ("good", "good-paper", 4.5), ("field", "card", 3),
    ]

    /// The declarations that always hold, and those of a dark scheme: the last of a name counts.
    private(set) var light: [String: Substring] = [:]
    private(set) var dark: [String: Substring] = [:]

    /// It is read by bytes, and without Foundation: a start reads ours for the pages of applications.
    /// - Parameter styleSheet: CSS; only its declarations of custom properties are read.
    init(styleSheet: String) {
        let text = Self.withoutComments(Array(styleSheet.utf8))
        var blocks: [Bool] = []
        var begin = 0
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "{"):
                blocks.append(Self.isDark(text[begin..<index]) || blocks.last == true)
                begin = index + 1
            case UInt8(ascii: ";"), UInt8(ascii: "}"):
                add(text[begin..<index], isDark: blocks.last == true)
                if byte == UInt8(ascii: "}") { _ = blocks.popLast() }
                begin = index + 1
            default: break
            }
        }
    }

    /// A comment that does not end reaches to the end of the sheet.
    private static func withoutComments(_ text: [UInt8]) -> [UInt8] {
        let (slash, star) = (UInt8(ascii: "/"), UInt8(ascii: "*"))
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            guard text[index] == slash, index + 1 < text.count, text[index + 1] == star else {
                result.append(text[index])
                index += 1
                continue
            }
            index += 2
            while index < text.count, !(text[index] == star && index + 1 < text.count && text[index + 1] == slash) {
                index += 1
            }
            index += 2
        }
        return result
    }

    private static let darkScheme = Array("prefers-color-scheme: dark".utf8)

    /// Whether what stands before a block asks for a dark scheme.
    private static func isDark(_ prelude: ArraySlice<UInt8>) -> Bool {
        guard prelude.count >= darkScheme.count else { return false }
        return (prelude.startIndex...(prelude.endIndex - darkScheme.count)).contains { start in
            prelude[start] == darkScheme[0] && prelude[start...].starts(with: darkScheme)
        }
    }

    private mutating func add(_ declaration: ArraySlice<UInt8>, isDark: Bool) {
        guard let colon = declaration.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = Self.trimmed(declaration[..<colon])
        let value = Self.trimmed(declaration[(colon + 1)...])
        guard name.starts(with: "--".utf8), colon + 1 < declaration.endIndex else { return }
        let key = String(decoding: name.dropFirst(2), as: UTF8.self)
        let text = Substring(String(decoding: value, as: UTF8.self))
        if isDark { dark[key] = text } else { light[key] = text }
    }

    /// Without what CSS calls white space at both ends.
    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    /// Our own style sheet's.
    private static let ours = ThemeColors(styleSheet: String(decoding: PageFile.countersignStyles.bytes, as: UTF8.self))

    /// The values that hold in light and in dark where a theme's style sheet stands behind ours.
    static func schemes(ofTheme styleSheet: String) -> (light: [String: Substring], dark: [String: Substring]) {
        let theme = ThemeColors(styleSheet: styleSheet)
        return (
            ours.light.merging(theme.light) { $1 },
            ours.light.merging(ours.dark) { $1 }.merging(theme.light) { $1 }.merging(theme.dark) { $1 }
        )
    }

    /// What is hard to read where a theme's style sheet stands behind ours.
    static func warnings(ofTheme styleSheet: String) -> [String] {
        let schemes = schemes(ofTheme: styleSheet)
        return warnings(schemes.light, in: "light") + warnings(schemes.dark, in: "dark")
    }

    private static func warnings(_ values: [String: Substring], in scheme: String) -> [String] {
        var warnings: [String] = []
        let named = Set(pairs.flatMap { [$0.text, $0.ground] })
        let colors = values.filter { named.contains($0.key) }.compactMapValues { Color($0) }
        for name in named.subtracting(colors.keys).sorted() {
            warnings.append("theme.css, \(scheme): --\(name) is not written as #rrggbb, so its contrast is not checked")
        }
        for pair in pairs {
            guard let text = colors[pair.text], let ground = colors[pair.ground] else { continue }
            let contrast = text.contrast(with: ground)
            if contrast < pair.least {
                warnings.append(
                    "theme.css, \(scheme): --\(pair.text) on --\(pair.ground) has a contrast of "
                        + "\((contrast * 100).rounded(.down) / 100) : 1; people need \(pair.least) : 1")
            }
        }
        return warnings
    }
}
