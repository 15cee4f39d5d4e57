import Foundation
import Testing

/// JSON as the tests write and read it, with literals. `1`, `"1"`, `true` and `1.5` are four different things.
enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    subscript(_ name: String) -> JSON {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    subscript(_ index: Int) -> JSON {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .null }
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var int: Int? {
        if case .integer(let number) = self { number } else { nil }
    }

    var elements: [JSON] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var names: [String] {
        if case .object(let members) = self { members.keys.sorted() } else { [] }
    }

    /// The object with some members replaced; `nil` takes one away.
    func with(_ changes: [String: JSON?]) -> JSON {
        guard case .object(var members) = self else { return self }
        for (name, value) in changes { members[name] = value }
        return .object(members)
    }

    init(parsing bytes: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(bytes))
    }

    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }
}

extension JSON: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(floatLiteral value: Double) { self = .number(value) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(nilLiteral: ()) { self = .null }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

// MARK: Golden answers

extension JSON {
    /// What the value has that the golden one has not, and the other way round.
    ///
    /// In a golden value some words in angle brackets stand for what differs from run to run: `<token>`, `<jwt>`,
    /// `<uuid>`, `<uid>`, `<base32>`, `<string>`. Each also fixes the JSON type: all of them are strings.
    func differences(from golden: JSON, at path: String = "$") -> [String] {
        switch (self, golden) {
        case (.object(let members), .object(let expected)):
            return Set(members.keys).union(expected.keys).sorted().flatMap { name -> [String] in
                switch (members[name], expected[name]) {
                case (let member?, let other?): member.differences(from: other, at: "\(path).\(name)")
                case (nil, _): ["\(path).\(name) is missing"]
                case (_, nil): ["\(path).\(name) should not be there"]
                }
            }
        case (.array(let elements), .array(let expected)) where elements.count == expected.count:
            return zip(elements, expected).enumerated().flatMap { index, pair in
                pair.0.differences(from: pair.1, at: "\(path)[\(index)]")
            }
        case (.string(let text), .string(let word)) where word.hasPrefix("<"):
            return Self.matches(text, word) ? [] : ["\(path) is \"\(text)\", which is no \(word)"]
        default:
            return self == golden ? [] : ["\(path) is \(self), not \(golden)"]
        }
    }

    private static func matches(_ text: String, _ word: String) -> Bool {
        switch word {
        case "<token>": text.wholeMatch(of: /[A-Za-z0-9._-]{20,128}/) != nil
        case "<jwt>": text.wholeMatch(of: /[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/) != nil
        case "<uuid>":
            text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil
        case "<uid>": text.wholeMatch(of: /[A-Za-z0-9]{28}/) != nil
        case "<base32>": text.wholeMatch(of: /[A-Z2-7]{32}/) != nil
        case "<string>": !text.isEmpty
        default: false
        }
    }
}

/// Fails with every difference.
func expectGolden(_ value: JSON, _ golden: JSON, sourceLocation: SourceLocation = #_sourceLocation) {
    let differences = value.differences(from: golden)
    #expect(differences.isEmpty, "\(differences.joined(separator: "; "))", sourceLocation: sourceLocation)
}
