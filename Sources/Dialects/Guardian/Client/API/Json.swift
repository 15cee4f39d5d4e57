import Foundation
import JSON

/// Any JSON value, by Guardian's names. It is read and written as a `JSONValue`.
public enum Json: Codable, Sendable, Equatable {
    /// A text.
    case string(String)
    /// A number. Integers beyond 2⁵³ lose digits, as with the original.
    case number(Double)
    /// An object. The order of its members is lost.
    case object([String: Json])
    /// An array, in its order.
    case array([Json])
    /// `true` or `false`; never read from 0 or 1.
    case bool(Bool)
    /// `null`, which is not an absent member.
    case null

    public init(from decoder: any Decoder) throws { self.init(try JSONValue(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }

    init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let value): .bool(value)
            case .integer(let value): .number(Double(value))
            case .number(let value): .number(value)
            case .string(let value): .string(value)
            case .array(let values): .array(values.map(Json.init))
            case .object(let values): .object(values.mapValues(Json.init))
            }
    }

    var value: JSONValue {
        switch self {
        case .string(let value): .string(value)
        case .number(let value): .number(value)
        case .object(let values): .object(values.mapValues(\.value))
        case .array(let values): .array(values.map(\.value))
        case .bool(let value): .bool(value)
        case .null: .null
        }
    }

    /// The text; nil where this is another kind of value.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The number; nil where this is another kind of value, a text with digits too.
    public var doubleValue: Double? { if case .number(let value) = self { value } else { nil } }
    /// The truth value; nil where this is another kind of value.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The members; nil where this is no object.
    public var objectValue: [String: Json]? { if case .object(let value) = self { value } else { nil } }
    /// The elements; nil where this is no array.
    public var arrayValue: [Json]? { if case .array(let value) = self { value } else { nil } }
    /// Whether this is `null`. A member that is absent is nil instead.
    public var isNull: Bool { self == .null }

    /// A member; nil where this is no object or has no such member.
    public subscript(key: String) -> Json? { objectValue?[key] }

    /// An element; nil where this is no array or has no such element.
    public subscript(index: Int) -> Json? {
        guard let array = arrayValue, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// As `JSONSerialization` would give it.
    var foundation: Any {
        switch self {
        case .string(let value): value
        case .number(let value): value
        case .object(let value): value.mapValues(\.foundation)
        case .array(let value): value.map(\.foundation)
        case .bool(let value): value
        case .null: NSNull()
        }
    }
}
