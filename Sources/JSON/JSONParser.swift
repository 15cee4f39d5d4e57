/// Reads JSON text (RFC 8259) that a stranger sent.
///
/// Strict about the grammar and bounded in depth. It refuses what other parsers disagree about: members of the same name in
/// one object, numbers that no `Double` holds, halves of surrogate pairs. A byte order mark at the beginning is passed over
/// (section 8.1). The time it takes grows with the length of the text alone.
public struct JSONParser {
    private let bytes: [UInt8]
    private let depthLimit: Int
    private var offset = 0
    private var depth = 0

    private init(_ bytes: [UInt8], depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
    }

    /// The one value that the bytes hold.
    /// - Parameter depthLimit: the greatest number of arrays and objects inside each other.
    public static func parse(_ bytes: [UInt8], depthLimit: Int = 32) throws(JSONFault) -> JSONValue {
        // Decoding repairs what is not UTF-8, and changes it by that. (`String(validating:as:)` needs iOS 18.)
        guard Array(String(decoding: bytes, as: UTF8.self).utf8) == bytes else { throw .invalidUTF8 }
        var parser = JSONParser(bytes, depthLimit: depthLimit)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.offset = 3 }
        let value = try parser.value()
        parser.skipSpace()
        if parser.next != nil { throw parser.malformed("something after the value") }
        return value
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func malformed(_ reason: String) -> JSONFault { .malformed(reason: reason, offset: offset) }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    /// Whether the byte comes next; it is passed if so.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func value() throws(JSONFault) -> JSONValue {
        skipSpace()
        guard let next else { throw malformed("the end instead of a value") }
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw malformed("no value")
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        guard bytes[offset...].starts(with: word.utf8) else { throw malformed("no value") }
        offset += word.utf8.count
        return value
    }

    private mutating func descend() throws(JSONFault) {
        depth += 1
        if depth > depthLimit { throw .tooDeep(limit: depthLimit) }
        offset += 1
    }

    private mutating func object() throws(JSONFault) -> JSONValue {
        try descend()
        var members: [String: JSONValue] = [:]
        skipSpace()
        if !skip("}") {
            repeat {
                skipSpace()
                guard next == UInt8(ascii: "\"") else { throw malformed("no member's name") }
                let name = try string()
                skipSpace()
                guard skip(":") else { throw malformed("no colon after a member's name") }
                let value = try value()
                if members.updateValue(value, forKey: name) != nil {
                    throw .duplicateMember(name: name)
                }
                skipSpace()
            } while skip(",")
            guard skip("}") else { throw malformed("no comma or brace after a member") }
        }
        depth -= 1
        return .object(members)
    }

    private mutating func array() throws(JSONFault) -> JSONValue {
        try descend()
        var elements: [JSONValue] = []
        skipSpace()
        if !skip("]") {
            repeat {
                elements.append(try value())
                skipSpace()
            } while skip(",")
            guard skip("]") else { throw malformed("no comma or bracket after an element") }
        }
        depth -= 1
        return .array(elements)
    }

    private mutating func string() throws(JSONFault) -> String {
        offset += 1
        let start = offset
        // Most strings have no escapes and are copied at once.
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { offset += 1 }
        if next == UInt8(ascii: "\"") {
            offset += 1
            return String(decoding: bytes[start..<(offset - 1)], as: UTF8.self)
        }
        var text = Array(bytes[start..<offset])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                offset += 1
                text.append(contentsOf: String(Character(try escape())).utf8)
            case 0..<0x20:
                throw malformed("a control character in a string")
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw malformed("the end inside a string")
    }

    private mutating func escape() throws(JSONFault) -> Unicode.Scalar {
        let scalar: Unicode.Scalar
        switch next {
        case UInt8(ascii: "\""): scalar = "\""
        case UInt8(ascii: "\\"): scalar = "\\"
        case UInt8(ascii: "/"): scalar = "/"
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw malformed("an unknown escape")
        }
        offset += 1
        return scalar
    }

    private mutating func unicodeEscape() throws(JSONFault) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), skip("\\"), next == UInt8(ascii: "u") else {
            throw malformed("half a surrogate pair")
        }
        let second = try codeUnit()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw malformed("half a surrogate pair") }
        return scalar
    }

    /// The four digits after `u`.
    private mutating func codeUnit() throws(JSONFault) -> UInt32 {
        offset += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw malformed("a short escape")
            }
            unit = unit << 4 | UInt32(digit)
            offset += 1
        }
        return unit
    }

    private mutating func number() throws(JSONFault) -> JSONValue {
        let start = offset
        var isInteger = true
        _ = skip("-")
        let leadingZero = next == UInt8(ascii: "0")
        let digits = try skipDigits()
        if leadingZero && digits > 1 { throw malformed("a number with a leading zero") }
        if skip(".") {
            isInteger = false
            _ = try skipDigits()
        }
        if skip("e") || skip("E") {
            isInteger = false
            if !skip("+") { _ = skip("-") }
            _ = try skipDigits()
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else {
            throw .malformed(reason: "a number out of range", offset: start)
        }
        return .number(value)
    }

    private mutating func skipDigits() throws(JSONFault) -> Int {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        if offset == start { throw malformed("no digit") }
        return offset - start
    }
}
