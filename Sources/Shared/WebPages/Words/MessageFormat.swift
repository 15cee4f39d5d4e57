import HTMLText

/// A message of the catalogue with places for named values: a small part of ICU's message format.
///
/// `Hello {name}` has one place. `{minutes, plural, one {# minute} other {# minutes}}` chooses by a number, for which `#` stands; of
/// the languages here English and German tell one from many, Japanese has `other` alone.
struct MessageFormat: Sendable, Equatable {
    enum Part: Sendable, Equatable {
        case text(String)
        case value(String)
        case plural(String, one: [Part]?, other: [Part])
        /// The number of the plural around it.
        case number
    }

    /// Why a message cannot be read.
    struct Fault: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    let parts: [Part]

    init(_ text: String) throws {
        // Most have no place.
        guard text.utf8.contains(where: { $0 == .opening || $0 == .closing }) else {
            parts = text.isEmpty ? [] : [.text(text)]
            return
        }
        var rest = text.utf8[...]
        parts = try Self.parts(of: &rest, isInPlural: false)
        guard rest.isEmpty else { throw Fault(description: "a brace too many in “\(text)”") }
    }

    /// The names of the values that the message has places for.
    var names: Set<String> { Self.names(in: parts) }

    private static func names(in parts: [Part]) -> Set<String> {
        var names: Set<String> = []
        for part in parts {
            switch part {
            case .text, .number: break
            case .value(let name): names.insert(name)
            case .plural(let name, let one, let other):
                names.insert(name)
                names.formUnion(Self.names(in: (one ?? []) + other))
            }
        }
        return names
    }

    // MARK: Reading

    // By bytes, as all signs are of ASCII: a server reads thousands of messages when it starts.

    private static func parts(of rest: inout Substring.UTF8View, isInPlural: Bool) throws -> [Part] {
        var parts: [Part] = []
        while true {
            let text = rest.prefix { $0 != .opening && $0 != .closing && !($0 == .number && isInPlural) }
            if !text.isEmpty { parts.append(.text(String(Substring(text)))) }
            rest = rest[text.endIndex...]
            switch rest.first {
            case .opening?:
                rest.removeFirst()
                parts.append(try place(in: &rest))
            case .number?:
                rest.removeFirst()
                parts.append(.number)
            default: return parts
            }
        }
    }

    private static func place(in rest: inout Substring.UTF8View) throws -> Part {
        let name = word(in: &rest)
        guard !name.isEmpty else { throw Fault(description: "a place without a name") }
        if take(.closing, in: &rest) { return .value(name) }
        guard take(.comma, in: &rest), word(in: &rest) == "plural", take(.comma, in: &rest) else {
            throw Fault(description: "the place “\(name)” is neither a value nor a plural")
        }
        var forms: [String: [Part]] = [:]
        while !take(.closing, in: &rest) {
            let form = word(in: &rest)
            guard ["one", "other"].contains(form), forms[form] == nil, take(.opening, in: &rest) else {
                throw Fault(description: "the plural of “\(name)” has a form “\(form)”")
            }
            forms[form] = try parts(of: &rest, isInPlural: true)
            guard rest.first == .closing else {
                throw Fault(description: "the plural of “\(name)” does not end")
            }
            rest.removeFirst()
        }
        guard let other = forms["other"] else { throw Fault(description: "the plural of “\(name)” lacks other") }
        return .plural(name, one: forms["one"], other: other)
    }

    private static func word(in rest: inout Substring.UTF8View) -> String {
        skipSpace(in: &rest)
        let word = rest.prefix(while: \.isLetterOrDigit)
        rest = rest[word.endIndex...]
        skipSpace(in: &rest)
        return String(Substring(word))
    }

    /// Passes a sign where it comes next, after space.
    private static func take(_ sign: UInt8, in rest: inout Substring.UTF8View) -> Bool {
        skipSpace(in: &rest)
        guard rest.first == sign else { return false }
        rest.removeFirst()
        return true
    }

    private static func skipSpace(in rest: inout Substring.UTF8View) {
        rest = rest.drop(while: \.isSpace)
    }

    // MARK: Filling in

    /// A value for a place.
    enum Value: Sendable {
        case text(PageText)
        case number(Int)
    }

    /// The message with its values. A place whose value is missing stays empty.
    func text(_ values: [String: Value]) -> PageText {
        var (plain, html) = ("", "")
        Self.append(parts, values, number: nil, &plain, &html)
        return PageText(plain: plain, html: html)
    }

    private static func append(
        _ parts: [Part], _ values: [String: Value], number: Int?, _ plain: inout String, _ html: inout String
    ) {
        for part in parts {
            switch part {
            case .text(let text):
                plain += text
                html += HTMLText.escaped(text)
            case .number:
                plain += number.map(String.init) ?? ""
                html += number.map(String.init) ?? ""
            case .value(let name):
                switch values[name] {
                case .text(let text)?:
                    plain += text.plain
                    html += text.html
                case .number(let value)?:
                    plain += String(value)
                    html += String(value)
                case nil: break
                }
            case .plural(let name, let one, let other):
                guard case .number(let value)? = values[name] else { continue }
                append(value == 1 ? one ?? other : other, values, number: value, &plain, &html)
            }
        }
    }
}

/// The signs of the format.
extension UInt8 {
    fileprivate static let opening = UInt8(ascii: "{")
    fileprivate static let closing = UInt8(ascii: "}")
    fileprivate static let number = UInt8(ascii: "#")
    fileprivate static let comma = UInt8(ascii: ",")

    fileprivate var isSpace: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\t")
    }

    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
