import CountersignCore
import Foundation

/// One value on its way into a Swift type. Its faults are `RequestBodyFault`, thrown as they are.
struct LenientDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    /// The type that is being made.
    let target: Any.Type
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else {
            if codingPath.isEmpty { throw RequestBodyFault.notAnObject(found: value.excerpt()) }
            throw wrongType(.object("\(target)"))
        }
        return KeyedDecodingContainer(LenientMembers(members: members, codingPath: codingPath, target: target))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw wrongType(.array) }
        return LenientElements(elements: elements, codingPath: codingPath, target: target)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func wrongType(_ expected: RequestBodyFault.Expected) -> RequestBodyFault {
        .wrongType(path: codingPath.text, expected: expected, found: value.excerpt())
    }
}

extension LenientDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch value {
        case .bool(let value): return value
        case .string("true"): return true
        case .string("false"): return false
        default: throw wrongType(.boolean)
        }
    }

    func decode(_ type: String.Type) throws -> String {
        switch value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case .number(let number):
            return Int64(exactly: number).map { String($0) } ?? String(number)
        default: throw wrongType(.string)
        }
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .number(let number): return number
        case .integer(let number): return Double(number)
        case .string(let text):
            let isDecimal = text.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
            if isDecimal, let number = Double(text), number.isFinite { return number }
            throw wrongType(.number)
        default: throw wrongType(.number)
        }
    }

    func decode(_ type: Float.Type) throws -> Float {
        let number = Float(try decode(Double.self))
        guard number.isFinite else { throw wrongType(.number) }
        return number
    }

    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    private func integer<T: FixedWidthInteger>() throws -> T {
        let result: T? =
            switch value {
            case .integer(let number): T(exactly: number)
            case .number(let number): T(exactly: number)
            // `Int("+5")` is 5, which JSON from protocol buffers does not have.
            case .string(let text): text.hasPrefix("+") ? nil : T(text)
            default: nil
            }
        guard let result else { throw wrongType(.integer(bits: T.bitWidth, isSigned: T.isSigned)) }
        return result
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let value = value as? T { return value }
        if type == Data.self {
            guard let data = bytes() as? T else { throw wrongType(.bytes) }
            return data
        }
        do {
            return try T(from: LenientDecoder(value: value, codingPath: codingPath, target: type))
        } catch is DecodingError {
            throw wrongType(.value("\(type)"))
        }
    }

    private func bytes() -> Data? {
        guard case .string(let text) = value else { return nil }
        let bare = text.hasSuffix("=") ? String(text.prefix { $0 != "=" }) : text
        return Base64URL.decode(bare, accepting: .all).map { Data($0) }
    }
}

extension [any CodingKey] {
    /// The way to a member as people write it: `factors[0].state`.
    var text: String {
        var text = ""
        for key in self {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
        return text
    }
}
