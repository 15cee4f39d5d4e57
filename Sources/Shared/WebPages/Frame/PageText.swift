import Foundation

/// Text of a page as HTML. Only these initializers and ``Messages`` make one, and each escapes what it is given, so templates show it as
/// it is (`{{{title.html}}}`).
public struct PageText: Sendable, Equatable {
    /// Mark-up: escaped text, with `<bdi>` around what people chose.
    public let html: String
    /// The same without mark-up, for titles.
    public let plain: String

    /// Words of ours.
    public init(_ text: String) {
        plain = text
        html = Self.escaped(text)
    }

    /// What a person or an application chose: names, addresses, user agents. Control characters and those that turn the direction of
    /// text become U+FFFD, and what comes after 200 characters is cut off. `<bdi>` keeps its direction to itself.
    public init(chosen text: String) {
        plain = Self.harmless(text)
        html = "<bdi>\(Self.escaped(plain))</bdi>"
    }

    /// A day in UTC, which is said beside it: `2026-11-22 (UTC)` reads alike in every language.
    init(day date: Date) {
        let day = date.formatted(.iso8601.year().month().day())
        self.init(plain: "\(day) (UTC)", html: "<time datetime=\"\(day)\">\(day)</time> (UTC)")
    }

    init(plain: String, html: String) {
        self.plain = plain
        self.html = html
    }

    /// Characters of a chosen text that are shown.
    public static let longestChosenText = 200

    /// A chosen text as ``init(chosen:)`` shows it.
    public static func harmless(_ text: String) -> String {
        let cut = text.prefix(longestChosenText)
        let shown = String(String.UnicodeScalarView(cut.unicodeScalars.map { isHarmful($0) ? "\u{FFFD}" : $0 }))
        return cut.endIndex == text.endIndex ? shown : shown + "…"
    }

    /// Control characters, and those of Unicode's bidirectional algorithm (UAX 9, section 2).
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Text as HTML, also within a quoted attribute.
    static func escaped(_ text: String) -> String {
        var html = ""
        html.reserveCapacity(text.utf8.count)
        for character in text.unicodeScalars {
            switch character {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.unicodeScalars.append(character)
            }
        }
        return html
    }
}
