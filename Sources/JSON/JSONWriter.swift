/// Writes JSON text (RFC 8259) straight into one array of bytes.
///
/// Commas and colons come by themselves:
///
///     json.beginObject()
///     json.name("at")
///     json.write(at)
///     json.endObject()
///
/// Strings are escaped as far as section 7 demands it, and slashes are left as they are.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// - Parameter capacity: bytes that the text will have, about.
    public init(capacity: Int = 512) {
        bytes.reserveCapacity(capacity)
    }

    private mutating func beginValue() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Objects and arrays

    public mutating func beginObject() {
        beginValue()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    public mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    public mutating func beginArray() {
        beginValue()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
    }

    public mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// The name of a member, whose value is written next. It has nothing in it that would have to be escaped.
    public mutating func name(_ name: StaticString) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// The name of a member, whose value is written next.
    public mutating func name(_ name: String) {
        write(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    public mutating func writeNull() {
        beginValue()
        bytes.append(contentsOf: "null".utf8)
    }

    public mutating func write(_ value: Bool) {
        beginValue()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    public mutating func write(_ value: Int64) {
        beginValue()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        append(value.magnitude)
    }

    private mutating func append(_ value: UInt64) {
        if value > 9 { append(value / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }

    /// With the fewest digits that read back as the same `Double`; as a whole number where there is no fraction.
    /// - Throws: `EncodingError` if the number is infinite or NaN, for which JSON has no form.
    public mutating func write(_ number: Double) throws(EncodingError) {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: [], debugDescription: "JSON has no form for \(number)"))
        }
        beginValue()
        var text = number.description
        text.withUTF8 { text in
            let hasNoFraction =
                text.count > 2 && text[text.count - 1] == UInt8(ascii: "0") && text[text.count - 2] == UInt8(ascii: ".")
            bytes.append(contentsOf: hasNoFraction ? text.dropLast(2) : text[...])
        }
    }

    /// A string with quotes, backslashes and controls escaped (RFC 8259, section 7).
    public mutating func write(_ text: String) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { text in
            var start = 0
            while true {
                let place = text.endOfPlainString(from: start)
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<place]))
                if place == text.count { break }
                escape(text[place])
                start = place + 1
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A whole value that is JSON text already.
    public mutating func write(text: some Sequence<UInt8>) {
        beginValue()
        bytes.append(contentsOf: text)
    }

    /// Bytes as Base64 with padding (RFC 4648, section 4).
    public mutating func writeBase64(_ data: [UInt8]) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        Base64URL.appendStandard(data, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// - Throws: `EncodingError` if a number in it is infinite or NaN.
    public mutating func write(
        _ value: JSONValue, order: JSONMemberOrder = .byName
    ) throws(EncodingError) {
        switch value {
        case .null: writeNull()
        case .bool(let value): write(value)
        case .integer(let value): write(value)
        case .number(let value): try write(value)
        case .string(let value): write(value)
        case .array(let elements):
            beginArray()
            for element in elements { try write(element, order: order) }
            endArray()
        case .object(let members): try write(members, order: order)
        }
    }

    /// An object.
    /// - Throws: `EncodingError` if a number in it is infinite or NaN.
    public mutating func write(
        _ members: [String: JSONValue], order: JSONMemberOrder = .byName
    ) throws(EncodingError) {
        beginObject()
        switch order {
        case .unspecified:
            for (name, value) in members {
                self.name(name)
                try write(value, order: order)
            }
        case .byName:
            for (name, value) in members.sorted(by: { $0.key.precedesByBytes($1.key) }) {
                self.name(name)
                try write(value, order: order)
            }
        }
        endObject()
    }

    /// An object of these members in the order of their names, which are all different.
    /// - Throws: `EncodingError` if a number in it is infinite or NaN.
    public mutating func write(members: [(name: String, value: JSONValue)]) throws(EncodingError) {
        beginObject()
        for (name, value) in members.sorted(by: { $0.name.precedesByBytes($1.name) }) {
            self.name(name)
            try write(value)
        }
        endObject()
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
            bytes.append(contentsOf: byte < 0x10 ? "u000".utf8 : "u001".utf8)
            let low = byte & 15
            bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        default: bytes.append(byte)
        }
    }
}

extension String {
    /// Whether its bytes come before those of another text.
    fileprivate func precedesByBytes(_ other: String) -> Bool {
        let precedes = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.lexicographicallyPrecedes($0) }
        }
        // Texts that are not stored as UTF-8 come from Objective-C alone.
        return (precedes ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }
}
