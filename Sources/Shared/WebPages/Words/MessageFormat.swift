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
        var rest = Substring(text)
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

    private static func parts(of rest: inout Substring, isInPlural: Bool) throws -> [Part] {
        var parts: [Part] = []
        var text = ""
        func finishText() {
            if !text.isEmpty { parts.append(.text(text)) }
            text = ""
        }
        while let character = rest.first, character != "}" {
            rest.removeFirst()
            switch character {
            case "{":
                finishText()
                parts.append(try place(in: &rest))
            case "#" where isInPlural:
                finishText()
                parts.append(.number)
            default: text.append(character)
            }
        }
        finishText()
        return parts
    }

    private static func place(in rest: inout Substring) throws -> Part {
        let name = word(in: &rest)
        guard !name.isEmpty else { throw Fault(description: "a place without a name") }
        if take("}", in: &rest) { return .value(name) }
        guard take(",", in: &rest), word(in: &rest) == "plural", take(",", in: &rest) else {
            throw Fault(description: "the place “\(name)” is neither a value nor a plural")
        }
        var forms: [String: [Part]] = [:]
        while !take("}", in: &rest) {
            let form = word(in: &rest)
            guard ["one", "other"].contains(form), forms[form] == nil, take("{", in: &rest) else {
                throw Fault(description: "the plural of “\(name)” has a form “\(form)”")
            }
            forms[form] = try parts(of: &rest, isInPlural: true)
            guard take("}", in: &rest) else { throw Fault(description: "the plural of “\(name)” does not end") }
        }
        guard let other = forms["other"] else { throw Fault(description: "the plural of “\(name)” lacks other") }
        return .plural(name, one: forms["one"], other: other)
    }

    private static func word(in rest: inout Substring) -> String {
        rest = rest.drop(while: \.isWhitespace)
        let word = rest.prefix { $0.isLetter || $0.isNumber }
        rest = rest.dropFirst(word.count).drop(while: \.isWhitespace)
        return String(word)
    }

    private static func take(_ character: Character, in rest: inout Substring) -> Bool {
        rest = rest.drop(while: \.isWhitespace)
        guard rest.first == character else { return false }
        rest.removeFirst()
        if character == "," { rest = rest.drop(while: \.isWhitespace) }
        return true
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
                html += PageText.escaped(text)
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
