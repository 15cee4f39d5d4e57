import Foundation
import KeychainTypes

/// An item's metadata as it is sealed: the dates, and the attributes in ascending order of their keys' bytes, so that
/// equal metadata have one encoding.
struct ItemMetadata: Sendable, Hashable {
    var created: Date
    var modified: Date
    var attributes: ItemAttributes

    static let attributeLimit = 256
    static let valueLimit = 64 << 10
    static let sizeLimit = 256 << 10

    func encoded() throws(KeychainError) -> [UInt8] {
        guard attributes.count <= Self.attributeLimit else {
            throw .parameter("an item takes at most \(Self.attributeLimit) attributes")
        }
        var writer = ByteWriter()
        writer.integer(created.bits)
        writer.integer(modified.bits)
        writer.integer(UInt16(attributes.count))
        for (key, value) in attributes.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard (1...255).contains(key.utf8.count) else {
                throw .parameter("an attribute's name has 1 to 255 bytes")
            }
            writer.string(key.utf8, UInt8.self)
            try value.encode(to: &writer)
        }
        guard writer.bytes.count <= Self.sizeLimit else {
            throw .parameter("an item's attributes take at most \(Self.sizeLimit >> 10) KiB")
        }
        return writer.bytes
    }

    init(created: Date, modified: Date, attributes: ItemAttributes) {
        self.created = created
        self.modified = modified
        self.attributes = attributes
    }

    init(decoding bytes: [UInt8]) throws(KeychainError) {
        var reader = ByteReader(bytes)
        created = try Date(bits: reader.integer("an item's dates"))
        modified = try Date(bits: reader.integer("an item's dates"))
        let count = try reader.count(UInt16.self, 0...Self.attributeLimit, "attributes")
        attributes = [:]
        attributes.reserveCapacity(count)
        var previous: String?
        for _ in 0..<count {
            let name = try reader.string(UInt8.self, limit: 255, "an attribute's name")
            guard let name = String(validating: name, as: UTF8.self), !name.isEmpty,
                previous.map({ $0.utf8.lexicographicallyPrecedes(name.utf8) }) ?? true
            else { throw .corrupted("an item's attributes are not in order") }
            previous = name
            attributes[name] = try AttributeValue(from: &reader)
        }
        try reader.finish("an item's attributes")
    }
}

extension AttributeValue {
    private enum Tag: UInt8 {
        case string = 1
        case data = 2
        case number = 3
        case date = 4
    }

    fileprivate func encode(to writer: inout ByteWriter) throws(KeychainError) {
        switch self {
        case .string(let value):
            writer.integer(Tag.string.rawValue)
            try Self.string(Array(value.utf8), to: &writer)
        case .data(let value):
            writer.integer(Tag.data.rawValue)
            try Self.string(Array(value), to: &writer)
        case .number(let value):
            writer.integer(Tag.number.rawValue)
            writer.integer(UInt64(bitPattern: value))
        case .date(let value):
            writer.integer(Tag.date.rawValue)
            writer.integer(value.bits)
        }
    }

    private static func string(_ value: [UInt8], to writer: inout ByteWriter) throws(KeychainError) {
        guard value.count <= ItemMetadata.valueLimit else {
            throw .parameter("an attribute's value takes at most \(ItemMetadata.valueLimit >> 10) KiB")
        }
        writer.string(value, UInt32.self)
    }

    fileprivate init(from reader: inout ByteReader) throws(KeychainError) {
        switch Tag(rawValue: try reader.integer("an attribute")) {
        case .string:
            let bytes = try reader.string(UInt32.self, limit: ItemMetadata.valueLimit, "an attribute")
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .corrupted("an attribute is not UTF-8")
            }
            self = .string(text)
        case .data:
            self = .data(Data(try reader.string(UInt32.self, limit: ItemMetadata.valueLimit, "an attribute")))
        case .number:
            self = .number(Int64(bitPattern: try reader.integer("an attribute")))
        case .date:
            self = try .date(Date(bits: reader.integer("an attribute")))
        case nil:
            throw .corrupted("an attribute has a type that this version does not know")
        }
    }
}

extension Date {
    fileprivate var bits: UInt64 { timeIntervalSinceReferenceDate.bitPattern }

    fileprivate init(bits: UInt64) { self.init(timeIntervalSinceReferenceDate: Double(bitPattern: bits)) }
}
