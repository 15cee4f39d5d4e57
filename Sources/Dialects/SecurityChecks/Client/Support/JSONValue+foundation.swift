import ClientHTTP
import Foundation
import JSON

extension JSONValue {
    /// What an app hands over as Foundation has JSON: dictionaries with texts as keys, arrays, texts, numbers, `NSNull`.
    /// Throws ``WLError`` (`ILLEGAL_ARGUMENT_EXCEPTION`) for anything else.
    init(foundation value: Any) throws {
        switch value {
        case is NSNull: self = .null
        case let value as JSONValue: self = value
        case let value as String: self = .string(value)
        case let value as [Any]: self = .array(try value.map(JSONValue.init(foundation:)))
        case let value as [AnyHashable: Any]:
            var members: [String: JSONValue] = [:]
            for (key, member) in value {
                guard let name = key.base as? String else {
                    throw WLError(.illegalArgument, "A key is no text: \(type(of: key.base)).")
                }
                members[name] = try JSONValue(foundation: member)
            }
            self = .object(members)
        default: self = try Self.scalar(value)
        }
    }

    private static func scalar(_ value: Any) throws -> JSONValue {
        // By the value's own type first: some of Foundation's numbers pass for truth values.
        if type(of: value) == Bool.self, let value = value as? Bool { return .bool(value) }
        if let value = value as? any BinaryInteger, let whole = Int64(exactly: value) { return .integer(whole) }
        if let value = value as? any BinaryFloatingPoint, Double(value).isFinite { return .number(Double(value)) }
        if let value = value as? NSNumber {
            if String(cString: value.objCType) == "c" { return .bool(value.boolValue) }
            if let whole = Int64(exactly: value) { return .integer(whole) }
            if value.doubleValue.isFinite { return .number(value.doubleValue) }
        }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            guard let wrapped = mirror.children.first?.value else { return .null }
            return try JSONValue(foundation: wrapped)
        }
        throw WLError(.illegalArgument, "JSON has no \(type(of: value)).")
    }

    /// What a handler is given: the members, or nil for a null and for what has none.
    var handlerDictionary: [AnyHashable: Any]? {
        guard case .object(let members) = self else { return nil }
        return members.reduce(into: [:]) { $0[AnyHashable($1.key)] = $1.value.foundationValue }
    }
}
