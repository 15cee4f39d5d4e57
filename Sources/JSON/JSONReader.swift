/// Reads JSON text (RFC 8259) from left to right, straight into fields: no tree, no dictionary, no `Decoder`.
///
/// The caller says what it expects next, and each member or element is read, or passed over with ``skip()``, before the next is
/// asked for:
///
///     try json.beginObject()
///     while let name = try json.nextMember() {
///         switch name {
///         case "at": at = try json.integer()
///         default: try json.skip()
///         }
///     }
///     try json.end()
///
/// Strict about the grammar and bounded in depth, as ``JSONParser`` is, which is made of it. Two members of one name are told only by
/// ``value()``: with the loop above the later one counts. The time it takes grows with the length of the text alone.
public struct JSONReader {
    private let bytes: [UInt8]
    private let depthLimit: Int
    private let boundsMarks: Bool
    private var offset = 0
    private var depth = 0
    /// Whether nothing has been read yet of the object or array that was begun last.
    private var isAtBeginning = false

    /// - Parameters:
    ///   - bytes: the whole text. A byte order mark at the beginning is passed over (RFC 8259, section 8.1).
    ///   - depthLimit: the greatest number of arrays and objects inside each other.
    public init(_ bytes: [UInt8], depthLimit: Int = 32) throws(JSONFault) {
        try self.init(bytes, depthLimit: depthLimit, boundsMarks: false)
    }

    /// - Parameter boundsMarks: whether texts in ``value()`` are refused that have more than ``StackedMarks/most`` marks on one letter. What
    ///   was kept is read as it is.
    init(_ bytes: [UInt8], depthLimit: Int, boundsMarks: Bool) throws(JSONFault) {
        guard bytes.isUTF8 else { throw .invalidUTF8 }
        self.bytes = bytes
        self.depthLimit = depthLimit
        self.boundsMarks = boundsMarks
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// What to throw about the place that was reached, also for a caller who misses something there.
    public func malformed(_ reason: String) -> JSONFault { .malformed(reason: reason, offset: offset) }

    private mutating func skipSpace() {
        while let byte = next, byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            offset += 1
        }
    }

    /// Whether the byte comes next; it is passed if so.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// Sees that nothing comes after the value.
    public mutating func end() throws(JSONFault) {
        skipSpace()
        if next != nil { throw malformed("something after the value") }
    }

    // MARK: Objects and arrays

    private mutating func begin(_ bracket: Unicode.Scalar, _ expected: String) throws(JSONFault) {
        skipSpace()
        guard next == UInt8(ascii: bracket) else { throw malformed(expected) }
        depth += 1
        if depth > depthLimit { throw .tooDeep(limit: depthLimit) }
        offset += 1
        isAtBeginning = true
    }

    /// Whether the bracket comes next, which ends the object or array.
    private mutating func ends(_ bracket: Unicode.Scalar) -> Bool {
        skipSpace()
        guard skip(bracket) else { return false }
        depth -= 1
        isAtBeginning = false
        return true
    }

    public mutating func beginObject() throws(JSONFault) { try begin("{", "no object") }

    /// The name of the next member, whose value is read next; nil at the end of the object, which is passed.
    public mutating func nextMember() throws(JSONFault) -> JSONName? {
        if ends("}") { return nil }
        if !isAtBeginning {
            guard skip(",") else { throw malformed("no comma or brace after a member") }
            skipSpace()
        }
        isAtBeginning = false
        guard next == UInt8(ascii: "\"") else { throw malformed("no member's name") }
        let name = JSONName(bytes: try stringBytes())
        skipSpace()
        guard skip(":") else { throw malformed("no colon after a member's name") }
        return name
    }

    public mutating func beginArray() throws(JSONFault) { try begin("[", "no array") }

    /// Whether another element comes, which is read next; the end of the array is passed.
    public mutating func nextElement() throws(JSONFault) -> Bool {
        if ends("]") { return false }
        if !isAtBeginning, !skip(",") { throw malformed("no comma or bracket after an element") }
        isAtBeginning = false
        return true
    }

    // MARK: Values

    /// Whether `null` comes next; it is passed if so.
    public mutating func isNull() -> Bool {
        skipSpace()
        return skip(word: "null")
    }

    public mutating func bool() throws(JSONFault) -> Bool {
        skipSpace()
        if skip(word: "true") { return true }
        if skip(word: "false") { return false }
        throw malformed("no truth value")
    }

    private mutating func skip(word: StaticString) -> Bool {
        let end = offset + word.utf8CodeUnitCount
        guard end <= bytes.count, word.hasBytes(bytes[offset..<end]) else { return false }
        offset = end
        return true
    }

    public mutating func string() throws(JSONFault) -> String {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { throw malformed("no string") }
        return String(decoding: try stringBytes(), as: UTF8.self)
    }

    /// The bytes of a string that is Base64 in any of its usual forms (RFC 4648).
    public mutating func base64() throws(JSONFault) -> [UInt8] {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { throw malformed("no string") }
        let start = offset
        guard let decoded = Base64URL.decode(utf8: try stringBytes(), accepting: .all) else {
            throw .malformed(reason: "no Base64", offset: start)
        }
        return decoded
    }

    /// A whole number, also where it is written with a fraction of zero.
    public mutating func integer() throws(JSONFault) -> Int64 {
        skipSpace()
        let start = offset
        switch try anyNumber() {
        case .integer(let value): return value
        case .number(let value):
            guard let whole = Int64(exactly: value) else {
                throw .malformed(reason: "no whole number of 64 bits", offset: start)
            }
            return whole
        }
    }

    public mutating func number() throws(JSONFault) -> Double {
        skipSpace()
        return switch try anyNumber() {
        case .integer(let value): Double(value)
        case .number(let value): value
        }
    }

    /// Whatever comes next, as a tree.
    /// - Throws: ``JSONFault/duplicateMember(name:)`` where an object in it has two members of one name.
    public mutating func value() throws(JSONFault) -> JSONValue {
        skipSpace()
        guard let next else { throw malformed("the end instead of a value") }
        switch next {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["):
            try beginArray()
            var elements: [JSONValue] = []
            while try nextElement() { elements.append(try value()) }
            return .array(elements)
        case UInt8(ascii: "\""):
            let text = try string()
            return .string(try bounded(text))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return switch try anyNumber() {
            case .integer(let value): .integer(value)
            case .number(let value): .number(value)
            }
        default:
            if skip(word: "true") { return .bool(true) }
            if skip(word: "false") { return .bool(false) }
            if skip(word: "null") { return .null }
            throw malformed("no value")
        }
    }

    /// An object as a dictionary.
    /// - Throws: ``JSONFault/duplicateMember(name:)`` where it, or an object in it, has two members of one name.
    public mutating func object() throws(JSONFault) -> [String: JSONValue] {
        try beginObject()
        var members: [String: JSONValue] = [:]
        while let name = try nextMember() {
            let name = try bounded(name.text)
            // Room for most objects at once, in place of growing three times.
            if members.isEmpty { members = Dictionary(minimumCapacity: 6) }
            if members.updateValue(try value(), forKey: name) != nil { throw .duplicateMember(name: name) }
        }
        return members
    }

    /// Passes whatever comes next.
    public mutating func skip() throws(JSONFault) {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"):
            try beginObject()
            while try nextMember() != nil { try skip() }
        case UInt8(ascii: "["):
            try beginArray()
            while try nextElement() { try skip() }
        case UInt8(ascii: "\""): _ = try stringBytes()
        default: _ = try value()
        }
    }

    /// Passes whatever comes next, and gives its text: for a value that another reader takes.
    public mutating func text() throws(JSONFault) -> ArraySlice<UInt8> {
        skipSpace()
        let start = offset
        try skip()
        return bytes[start..<offset]
    }

    // MARK: Strings

    private func bounded(_ text: String) throws(JSONFault) -> String {
        guard !boundsMarks || StackedMarks.areFew(in: text) else { throw malformed("too many marks on one letter") }
        return text
    }

    /// The bytes of a string without its escapes. The opening quote comes next.
    private mutating func stringBytes() throws(JSONFault) -> ArraySlice<UInt8> {
        offset += 1
        let start = offset
        // Most strings have no escapes and are taken as they stand.
        offset = bytes.withUnsafeBufferPointer { $0.endOfPlainString(from: start) }
        if next == UInt8(ascii: "\"") {
            offset += 1
            return bytes[start..<(offset - 1)]
        }
        var text = Array(bytes[start..<offset])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return text[...]
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

    // MARK: Numbers

    private enum Number {
        case integer(Int64)
        case number(Double)
    }

    private mutating func anyNumber() throws(JSONFault) -> Number {
        let start = offset
        let isNegative = skip("-")
        let leadingZero = next == UInt8(ascii: "0")
        // The digits as one whole number, as far as they fit.
        var digits: UInt64 = 0
        var isLong = false
        let whole = try skipDigits(into: &digits, &isLong)
        if leadingZero && whole > 1 { throw malformed("a number with a leading zero") }
        var isWhole = true
        var fraction = 0
        if skip(".") {
            isWhole = false
            fraction = try skipDigits(into: &digits, &isLong)
        }
        if skip("e") || skip("E") {
            isWhole = false
            isLong = true
            if !skip("+") { _ = skip("-") }
            var exponent: UInt64 = 0
            _ = try skipDigits(into: &exponent, &isLong)
        }
        if isWhole, !isLong, digits <= UInt64(Int64.max) {
            return .integer(isNegative ? -Int64(digits) : Int64(digits))
        }
        // Both numbers are exact, so the quotient is the nearest `Double`: what the digits say.
        if !isLong, digits <= 1 << 53, fraction < Self.powersOfTen.count {
            let value = Double(digits) / Self.powersOfTen[fraction]
            return .number(isNegative ? -value : value)
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isWhole, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else {
            throw .malformed(reason: "a number out of range", offset: start)
        }
        return .number(value)
    }

    /// Those that a `Double` holds exactly.
    private static let powersOfTen: [Double] = (0...22).map { exponent in
        (0..<exponent).reduce(1.0) { power, _ in power * 10 }
    }

    private mutating func skipDigits(into value: inout UInt64, _ isLong: inout Bool) throws(JSONFault) -> Int {
        let start = offset
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            if value > (UInt64.max - 9) / 10 { isLong = true } else { value = value * 10 + UInt64(byte & 15) }
            offset += 1
        }
        if offset == start { throw malformed("no digit") }
        return offset - start
    }
}

/// The name of a member as it was read: compare it with literals in a `switch`.
public struct JSONName: Sendable {
    let bytes: ArraySlice<UInt8>

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public static func ~= (name: StaticString, member: JSONName) -> Bool { name.hasBytes(member.bytes) }
}

extension StaticString {
    fileprivate func hasBytes(_ bytes: ArraySlice<UInt8>) -> Bool {
        utf8CodeUnitCount == bytes.count
            && withUTF8Buffer { literal in
                bytes.withUnsafeBufferPointer { bytes in literal.indices.allSatisfy { literal[$0] == bytes[$0] } }
            }
    }
}

extension [UInt8] {
    fileprivate var isUTF8: Bool {
        // Decoding repairs what is not UTF-8, and changes it by that. (`String(validating:as:)` needs iOS 18.)
        allSatisfy { $0 < 0x80 } || Array(String(decoding: self, as: UTF8.self).utf8) == self
    }
}
