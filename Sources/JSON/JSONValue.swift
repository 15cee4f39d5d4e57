/// Any JSON value (RFC 8259), where the shape is not known in advance: custom claims, attributes, request bodies.
///
/// Whole numbers between -2^63 and 2^63 - 1 are exact; every other number is the nearest `Double`.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The member of that name, if this is an object that has it.
    public subscript(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The text, if this is a string.
    public var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A whole number, also where it is written with a fraction of zero.
    public var wholeNumber: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value) where value == value.rounded(): value
        default: nil
        }
    }
}

extension JSONValue: Codable {
    /// The greatest depth of arrays and objects that `init(from:)` reads. A decoder finds out what a value is by trying,
    /// and each attempt that fails costs time in proportion to the depth: 500 brackets would take a second.
    static let maximumDepth = 32

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard decoder.codingPath.count <= Self.maximumDepth else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "nested too deeply")
        }
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}
