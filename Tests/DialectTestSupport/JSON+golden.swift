import Testing

extension JSON {
    /// What the value has that the golden one has not, and the other way round.
    ///
    /// In a golden value some words in angle brackets stand for what differs from run to run: `<token>`, `<jwt>`,
    /// `<uuid>`, `<uid>`, `<base32>`, `<string>`. Each also fixes the JSON type: all of them are strings.
    package func differences(from golden: JSON, at path: String = "$") -> [String] {
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
package func expectGolden(_ value: JSON, _ golden: JSON, sourceLocation: SourceLocation = #_sourceLocation) {
    let differences = value.differences(from: golden)
    #expect(differences.isEmpty, "\(differences.joined(separator: "; "))", sourceLocation: sourceLocation)
}
