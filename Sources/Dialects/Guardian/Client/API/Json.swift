import Foundation

/// Any JSON.
public enum Json: Codable, Sendable, Equatable {
    case string(String)
    case number(Double)
    case object([String: Json])
    case array([Json])
    case bool(Bool)
    case null

    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([Json].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: Json].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .string(let string): try value.encode(string)
        case .number(let number): try value.encode(number)
        case .object(let object): try value.encode(object)
        case .array(let array): try value.encode(array)
        case .bool(let bool): try value.encode(bool)
        case .null: try value.encodeNil()
        }
    }

    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    public var doubleValue: Double? { if case .number(let value) = self { value } else { nil } }
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var objectValue: [String: Json]? { if case .object(let value) = self { value } else { nil } }
    public var arrayValue: [Json]? { if case .array(let value) = self { value } else { nil } }
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
