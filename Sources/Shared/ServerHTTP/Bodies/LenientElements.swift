import CountersignCore

/// An array's elements on their way into a Swift type.
struct LenientElements: UnkeyedDecodingContainer {
    private let elements: [JSONValue]
    let codingPath: [any CodingKey]
    private let target: Any.Type
    private(set) var currentIndex = 0

    init(elements: [JSONValue], codingPath: [any CodingKey], target: Any.Type) {
        self.elements = elements
        self.codingPath = codingPath
        self.target = target
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private mutating func element(as target: Any.Type) throws -> LenientDecoder {
        let path = codingPath + [Index(intValue: currentIndex)]
        guard !isAtEnd else { throw RequestBodyFault.missingMember(path: path.text) }
        defer { currentIndex += 1 }
        return LenientDecoder(value: elements[currentIndex], codingPath: path, target: target)
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try element(as: Bool.self).decode(type) }
    mutating func decode(_ type: String.Type) throws -> String { try element(as: String.self).decode(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try element(as: Double.self).decode(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try element(as: Float.self).decode(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try element(as: Int.self).decode(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try element(as: Int8.self).decode(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try element(as: Int16.self).decode(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try element(as: Int32.self).decode(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try element(as: Int64.self).decode(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try element(as: UInt.self).decode(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try element(as: UInt8.self).decode(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try element(as: UInt16.self).decode(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try element(as: UInt32.self).decode(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try element(as: UInt64.self).decode(type) }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try element(as: type).decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try element(as: target).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try element(as: target).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try element(as: target) }
}

private struct Index: CodingKey {
    let number: Int

    init(intValue: Int) { number = intValue }
    init?(stringValue: String) { nil }

    var intValue: Int? { number }
    var stringValue: String { "[\(number)]" }
}
