import CountersignCore

extension JSONValue {
    /// The beginning of the value as JSON text, for messages: members in alphabetical order, an ellipsis where it was
    /// cut off.
    func excerpt(limit: Int = RequestBodyFault.longestExcerpt) -> String {
        var text = ""
        write(to: &text, limit: limit)
        return text.count > limit ? text.prefix(limit) + "…" : text
    }

    /// Stops soon after the limit, whatever the size of the value.
    private func write(to text: inout String, limit: Int) {
        guard text.utf8.count <= limit * 4 else { return }
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .number(let value): text += "\(value)"
        case .string(let value): Self.write(value.prefix(limit + 1), to: &text)
        case .array(let elements):
            text += "["
            for (index, element) in elements.prefix(limit).enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text, limit: limit)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, name) in members.keys.sorted().prefix(limit).enumerated() {
                if index > 0 { text += "," }
                Self.write(name.prefix(limit + 1), to: &text)
                text += ":"
                members[name]?.write(to: &text, limit: limit)
            }
            text += "}"
        }
    }

    private static func write(_ string: some StringProtocol, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}": text += "\\u00" + [UInt8(scalar.value)].hex
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
