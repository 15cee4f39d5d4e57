import CountersignCore
import Foundation

/// The JSON Schema (draft 2020-12, as OpenAPI 3.1 has it) of a type, found by decoding it: what the type asks its decoder for are its members.
/// So the description cannot say anything else than the code.
public struct JSONSchema: Sendable {
    public let value: JSONValue

    /// - Parameter type: with a decoder that the compiler makes, or one that reads members by name. What a decoder of its own asks for
    ///   otherwise, or refuses, is described as any value.
    public init(of type: any Decodable.Type) {
        value = Self.schema(of: type, depth: 0)
    }

    /// Members inside each other; what lies deeper is any value.
    private static let longestPath = 12

    /// The same for what is sent here, where a member that the type does not have is refused.
    public var closed: JSONValue { Self.closed(value) }

    private static func closed(_ schema: JSONValue) -> JSONValue {
        switch schema {
        case .object(var members):
            if case .object(let properties)? = members["properties"] {
                members["properties"] = .object(properties.mapValues(closed))
                if members["additionalProperties"] == nil { members["additionalProperties"] = .bool(false) }
            }
            for place in ["items", "additionalProperties"] { members[place] = members[place].map(closed) }
            if case .string(let title)? = members["title"] { members["title"] = .string(title + "Sent") }
            return .object(members)
        default: return schema
        }
    }

    /// What the schema of a type is called: the names of the types that it stands in, and its own. Nil for types that have no name outside
    /// their file, and for those that are made of others.
    private static func title(of type: Any.Type) -> String? {
        let title = String(reflecting: type).split(separator: ".").dropFirst().joined()
        return !title.isEmpty && title.utf8.allSatisfy(\.isASCIILetterOrDigit) ? title : nil
    }

    static func schema(of type: any Decodable.Type, depth: Int) -> JSONValue {
        if let described = type as? any SchemaDescribed.Type { return described.schema(depth: depth) }
        guard depth < longestPath else { return .object([:]) }
        if let cases = type as? any CaseIterable.Type, let words = Self.words(cases) {
            return .object(["type": "string", "enum": .array(words.map { .string($0) })])
        }
        let record = SchemaRecord()
        let isDecoded = (try? Self.decode(type, SchemaDecoder(record: record, depth: depth))) != nil
        guard isDecoded || !record.members.isEmpty else {
            return record.scalar.map { .object(["type": .string($0)]) } ?? .object([:])
        }
        if let scalar = record.scalar, record.members.isEmpty { return .object(["type": .string(scalar)]) }
        if let elements = record.elements, record.members.isEmpty {
            return .object(["type": "array", "items": elements])
        }
        var schema: [String: JSONValue] = [
            "type": "object", "properties": .object(record.members),
        ]
        schema["title"] = title(of: type).map { .string($0) }
        // A decoder that refused what was made up may ask for more.
        if !isDecoded { schema["additionalProperties"] = .bool(true) }
        if !record.required.isEmpty { schema["required"] = .array(record.required.sorted().map { .string($0) }) }
        return .object(schema)
    }

    private static func decode<T: Decodable>(_ type: T.Type, _ decoder: SchemaDecoder) throws -> T {
        try T(from: decoder)
    }

    private static func words<T: CaseIterable>(_ type: T.Type) -> [String]? {
        let words = type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        return words.isEmpty ? nil : words
    }
}

/// A type that says itself what its JSON is.
public protocol SchemaDescribed {
    static func schema(depth: Int) -> JSONValue
}

extension JSONValue: SchemaDescribed {
    public static func schema(depth: Int) -> JSONValue { .object([:]) }
}

extension Timestamp: SchemaDescribed {
    public static func schema(depth: Int) -> JSONValue { .object(["type": "string", "format": "date-time"]) }
}

extension Array: SchemaDescribed where Element: Decodable {
    public static func schema(depth: Int) -> JSONValue {
        .object(["type": "array", "items": JSONSchema.schema(of: Element.self, depth: depth + 1)])
    }
}

extension Dictionary: SchemaDescribed where Key == String, Value: Decodable {
    public static func schema(depth: Int) -> JSONValue {
        .object(["type": "object", "additionalProperties": JSONSchema.schema(of: Value.self, depth: depth + 1)])
    }
}

extension Optional: SchemaDescribed where Wrapped: Decodable {
    public static func schema(depth: Int) -> JSONValue { JSONSchema.schema(of: Wrapped.self, depth: depth) }
}

/// What a type has asked for.
private final class SchemaRecord {
    var members: [String: JSONValue] = [:]
    var required: Set<String> = []
    var scalar: String?
    var elements: JSONValue?
}

/// Answers every question with a value of the type that is asked for, and notes the question.
private struct SchemaDecoder: Decoder {
    let record: SchemaRecord
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(SchemaMembers<Key>(record: record, depth: depth))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unanswered() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SchemaScalar(record: record, depth: depth)
    }
}

/// A question that has no made-up answer.
private struct Unanswered: Error {}

/// Makes values up.
private enum MadeUp {
    static func value<T: Decodable>(_ type: T.Type, depth: Int) throws -> T {
        switch type {
        case is String.Type: if let value = "" as? T { return value }
        case is Bool.Type: if let value = false as? T { return value }
        case is Int.Type: if let value = 0 as? T { return value }
        case is Int64.Type: if let value = Int64(0) as? T { return value }
        case is Double.Type: if let value = 0.0 as? T { return value }
        case is Data.Type: if let value = Data() as? T { return value }
        case is JSONValue.Type: if let value = JSONValue.null as? T { return value }
        case is Timestamp.Type: if let value = Timestamp(Date(timeIntervalSince1970: 0)) as? T { return value }
        default: break
        }
        if let empty = type as? any ExpressibleByArrayLiteral.Type, let value = Self.empty(empty) as? T { return value }
        if let empty = type as? any ExpressibleByDictionaryLiteral.Type, let value = Self.empty(empty) as? T {
            return value
        }
        if let cases = type as? any CaseIterable.Type, let value = Self.first(cases) as? T { return value }
        guard depth < 12 else { throw Unanswered() }
        return try T(from: SchemaDecoder(record: SchemaRecord(), depth: depth + 1))
    }

    private static func empty<T: ExpressibleByArrayLiteral>(_ type: T.Type) -> T { [] }
    private static func empty<T: ExpressibleByDictionaryLiteral>(_ type: T.Type) -> T { [:] }
    private static func first<T: CaseIterable>(_ type: T.Type) -> T? { type.allCases.first }
}

private struct SchemaMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let record: SchemaRecord
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        record.members[key.stringValue] = JSONSchema.schema(of: type, depth: depth + 1)
        record.required.insert(key.stringValue)
        return try MadeUp.value(type, depth: depth)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        if record.members[key.stringValue] == nil {
            record.members[key.stringValue] = JSONSchema.schema(of: type, depth: depth + 1)
        }
        return nil
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { throw Unanswered() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Unanswered() }
    func superDecoder() throws -> any Decoder { SchemaDecoder(record: record, depth: depth) }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Unanswered() }

    // The forms for single types that the protocol has beside the general one.
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { note(key, "boolean", false) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { note(key, "string", "") }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { note(key, "number", 0) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { note(key, "number", 0) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { note(key, "integer", 0) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { note(key, "integer", 0) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { note(key, "integer", 0) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { note(key, "integer", 0) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { note(key, "integer", 0) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { note(key, "integer", 0) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { note(key, "integer", 0) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { note(key, "integer", 0) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { note(key, "integer", 0) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { note(key, "integer", 0) }

    private func note<T>(_ key: Key, _ type: String, _ value: T) -> T {
        record.members[key.stringValue] = .object(["type": .string(type)])
        record.required.insert(key.stringValue)
        return value
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { note(key, "boolean") }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { note(key, "string") }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { note(key, "number") }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { note(key, "integer") }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { note(key, "integer") }

    private func note<T>(_ key: Key, _ type: String) -> T? {
        if record.members[key.stringValue] == nil { record.members[key.stringValue] = .object(["type": .string(type)]) }
        return nil
    }
}

private struct SchemaScalar: SingleValueDecodingContainer {
    let record: SchemaRecord
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }
    func decode(_ type: String.Type) throws -> String { note("string", "") }
    func decode(_ type: Bool.Type) throws -> Bool { note("boolean", false) }
    func decode(_ type: Int.Type) throws -> Int { note("integer", 0) }
    func decode(_ type: Double.Type) throws -> Double { note("number", 0) }
    func decode(_ type: Float.Type) throws -> Float { note("number", 0) }
    func decode(_ type: Int8.Type) throws -> Int8 { note("integer", 0) }
    func decode(_ type: Int16.Type) throws -> Int16 { note("integer", 0) }
    func decode(_ type: Int32.Type) throws -> Int32 { note("integer", 0) }
    func decode(_ type: Int64.Type) throws -> Int64 { note("integer", 0) }
    func decode(_ type: UInt.Type) throws -> UInt { note("integer", 0) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { note("integer", 0) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { note("integer", 0) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { note("integer", 0) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { note("integer", 0) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try MadeUp.value(type, depth: depth) }

    private func note<T>(_ name: String, _ value: T) -> T {
        record.scalar = name
        return value
    }
}
