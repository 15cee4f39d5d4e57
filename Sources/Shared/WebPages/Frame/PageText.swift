import CountersignCore
import Foundation
import HTMLText

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
        html = HTMLText.escaped(text)
    }

    /// What a person or an application chose: names, addresses, user agents. Control characters, those that turn the direction of text and
    /// those that show nothing become U+FFFD, and so does each space where there is nothing else; what comes after 200 characters is cut off, and marks that pile up on one of them. `<bdi>`
    /// keeps its direction to itself.
    /// - Parameter longest: characters after which it is cut off; for what has a limit of its own, that limit.
    public init(chosen text: String, longest: Int = longestChosenText) {
        // A name of spaces alone would look as if there was none.
        plain =
            text.unicodeScalars.allSatisfy(Self.isBlank)
            ? String(repeating: "\u{FFFD}", count: text.prefix(longest).count) : Self.harmless(text, longest: longest)
        html = "<bdi>\(HTMLText.escaped(plain))</bdi>"
    }

    /// The same of an e-mail address, a host or a URI. A long one is divided after its dots, its slashes and its @ before a line breaks in the
    /// middle of a word.
    public init(address text: String, longest: Int = longestChosenText) {
        let chosen = PageText(chosen: text, longest: longest)
        guard chosen.plain.utf8.count > Self.undividedAddress else {
            self = chosen
            return
        }
        var html = String.UnicodeScalarView()
        // Tags and references have none of these signs.
        for scalar in HTMLText.escaped(chosen.plain).unicodeScalars {
            html.append(scalar)
            if "./@".unicodeScalars.contains(scalar) { html.append(contentsOf: "<wbr>".unicodeScalars) }
        }
        self.init(plain: chosen.plain, html: "<bdi>\(String(html))</bdi>")
    }

    /// A sentence of ours that is there in English alone, on a page of another language. As nothing tells its words from what people
    /// chose, what deceives is replaced in all of it.
    init(english text: String) {
        let shown = PageText(unknown: text)
        self.init(plain: shown.plain, html: text.isEmpty ? "" : "<span lang=\"en\">\(shown.html)</span>")
    }

    /// The same on a page in English.
    init(unknown text: String) {
        let shown = Self.inField(text, isMultiline: false)
        self.init(plain: shown, html: HTMLText.escaped(shown))
    }

    /// A command, or another text for a machine, as it is typed.
    public init(code text: String) {
        plain = Self.harmless(text)
        html = "<code>\(HTMLText.escaped(plain))</code>"
    }

    /// Several texts, each on a line of its own.
    public init(lines: [PageText]) {
        self.init(plain: lines.map(\.plain).joined(separator: " "), html: lines.map(\.html).joined(separator: "<br>"))
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

    /// Bytes of an address that has room wherever one is shown.
    private static let undividedAddress = 24
    /// Characters of a chosen text that are shown.
    public static let longestChosenText = 200
    /// Marks on one of them that are shown: the most that a script of Unicode needs, and too few to cover other lines.
    private static let mostMarks = 6
    /// Code points of one of them: an emoji of four people, each with a tone of skin, has eleven.
    private static let longestCharacter = 16

    /// A chosen text as ``init(chosen:)`` shows it.
    public static func harmless(_ text: String, longest: Int = longestChosenText) -> String {
        let cut = text.prefix(longest)
        var shown = String.UnicodeScalarView()
        for character in cut { shown.append(contentsOf: harmless(character)) }
        return cut.endIndex == text.endIndex ? String(shown) : String(shown) + "…"
    }

    /// A text as a field shows it: what deceives is replaced as in ``init(chosen:)``, and nothing is cut off, since the field gives the text
    /// back. Fields of several lines keep their lines and tabs (docs/decisions/0407).
    static func inField(_ text: String, isMultiline: Bool) -> String {
        // Most values: ASCII without control characters.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var shown = String.UnicodeScalarView()
        for character in text {
            if isMultiline, character.unicodeScalars.allSatisfy({ $0 == "\n" || $0 == "\r" || $0 == "\t" }) {
                shown.append(contentsOf: character.unicodeScalars)
            } else {
                shown.append(contentsOf: harmless(character, isCut: false))
            }
        }
        return String(shown)
    }

    /// JSON with escapes in place of what fields and pages would replace: the same value, and all of it can be seen.
    public static func escapedJSON(_ json: String) -> String {
        var escaped = ""
        for scalar in json.unicodeScalars {
            if scalar != "\n", isHarmful(scalar) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// - Parameter isCut: whether marks and parts that pile up on the character are left out.
    private static func harmless(_ character: Character, isCut: Bool = true) -> [Unicode.Scalar] {
        let scalars = character.unicodeScalars
        // What joins or varies others shows nothing by itself, and tags belong to flags alone.
        guard scalars.contains(where: { !isJoining($0) }) else { return ["\u{FFFD}"] }
        let isFlag = scalars.first == "\u{1F3F4}"
        var marks = 0
        return scalars.prefix(isCut ? longestCharacter : scalars.count).compactMap { scalar in
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark:
                if isCut, !isJoining(scalar) { marks += 1 }
                return marks > mostMarks ? nil : isHarmful(scalar) ? "\u{FFFD}" : scalar
            default:
                return isHarmful(scalar) && !(isFlag && isTag(scalar)) ? "\u{FFFD}" : scalar
            }
        }
    }

    /// What is not seen, and with it all that turns the direction of text (UAX 9, section 2); but not what joins or varies others, which
    /// names and emoji need.
    static func isHarmful(_ scalar: Unicode.Scalar) -> Bool { PlainText.isInvisible(scalar) && !isJoining(scalar) }

    private static func isTag(_ scalar: Unicode.Scalar) -> Bool { (0xE0000...0xE0FFF).contains(scalar.value) }

    /// White space, and the pattern of Braille without a dot.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar == "\u{2800}"
    }

    /// The joiners, and the selectors of variants.
    private static func isJoining(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{200C}" || scalar == "\u{200D}" || PlainText.selectsVariant(scalar)
    }
}
