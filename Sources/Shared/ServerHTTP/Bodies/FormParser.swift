import CountersignCore

/// Fields of `application/x-www-form-urlencoded`, as URL queries and HTML forms write them.
enum FormParser {
    /// An object of strings.
    ///
    /// A field that is there twice is refused, as RFC 6749 (section 3.2) has it: of two values, two readers would take
    /// different ones. An escape that is none is refused too.
    /// - Parameter repeatable: fields that may be there several times: such a one is then an array of strings.
    static func parse(
        _ bytes: [UInt8], repeatable: Set<String> = []
    ) throws(RequestBodyFault) -> JSONValue {
        var members: [String: JSONValue] = [:]
        var start = 0
        while start < bytes.count {
            let offset = start
            let end = bytes[offset...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
            let pair = bytes[offset..<end]
            start = end + 1
            if pair.isEmpty { continue }
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = try text(pair[..<equals], at: offset)
            let value = try text(pair[equals...].dropFirst(), at: offset)
            switch members.updateValue(.string(value), forKey: name) {
            case nil: break
            case .array(let others)? where repeatable.contains(name):
                members[name] = .array(others + [.string(value)])
            case let first? where repeatable.contains(name): members[name] = .array([first, .string(value)])
            default: throw .duplicateMember(path: String(name.prefix(RequestBodyFault.longestExcerpt)))
            }
        }
        return .object(members)
    }

    private static func text(_ encoded: ArraySlice<UInt8>, at offset: Int) throws(RequestBodyFault) -> String {
        // Most names and values are ASCII that stands for itself.
        if encoded.allSatisfy({ $0 < 0x80 && !FormText.isEncoded($0) }) {
            return String(decoding: encoded, as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(encoded.count)
        var rest = encoded
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexadecimalDigit),
                    let low = rest.popFirst().flatMap(hexadecimalDigit)
                else {
                    throw .malformed(reason: "an invalid percent escape", offset: offset)
                }
                decoded.append(high << 4 | low)
            default:
                decoded.append(byte)
            }
        }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw .invalidUTF8 }
        return text
    }
}

/// The value of an ASCII hexadecimal digit in either case.
func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
