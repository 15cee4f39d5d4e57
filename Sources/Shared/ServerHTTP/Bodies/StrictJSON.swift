import CountersignCore
import Foundation

/// Reads what clients send, and refuses members that the type does not have, and values of another type: a misspelt one must not look as if
/// it had been heard.
public enum StrictJSON {
    /// - Throws: ``RequestBodyFault``, also where a number was sent for a string, or the like; ``UnknownMember``.
    public static func decode<T: Codable>(_ type: T.Type, from body: JSONValue) throws -> T {
        let value = try LenientJSON.decode(type, from: body)
        // What was understood is what comes out again.
        let understood = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
        let path =
            try unknownMember(of: body, beside: understood, path: "")
            ?? (hasNull(body) ? unknownNull(in: body, as: JSONSchema(of: type).closed, path: "") : nil)
        if let path {
            throw UnknownMember(path: path, known: Mirror(reflecting: value).children.compactMap(\.label))
        }
        return value
    }

    /// A member that was sent and that nothing reads.
    public struct UnknownMember: Error, Sendable {
        public let path: String
        /// The members that there are.
        public let known: [String]

        /// What may have been meant.
        public var remedy: String {
            NearestName.of(path, among: known).map { "Did you mean \($0)?" }
                ?? (known.isEmpty ? "It has none." : "It has \(known.joined(separator: ", ")).")
        }
    }

    private static func hasNull(_ value: JSONValue) -> Bool {
        switch value {
        case .null: true
        case .object(let members): members.values.contains(where: hasNull)
        case .array(let elements): elements.contains(where: hasNull)
        default: false
        }
    }

    /// The path of the first null whose member the type does not have. What is understood does not show it: null of a member that there is
    /// leaves nothing there either.
    private static func unknownNull(in value: JSONValue, as schema: JSONValue, path: String) -> String? {
        guard case .object(let described) = schema else { return nil }
        switch value {
        case .object(let sent):
            var properties: [String: JSONValue] = [:]
            if case .object(let known)? = described["properties"] { properties = known }
            let others = described["additionalProperties"]
            for (name, value) in sent.sorted(by: { $0.key < $1.key }) {
                let path = path.isEmpty ? name : "\(path).\(name)"
                guard let member = properties[name] ?? others else { continue }
                if value == .null, member == .bool(false) { return path }
                if let unknown = unknownNull(in: value, as: member, path: path) { return unknown }
            }
            return nil
        case .array(let elements):
            guard let items = described["items"] else { return nil }
            for (index, element) in elements.enumerated() {
                if let unknown = unknownNull(in: element, as: items, path: "\(path)[\(index)]") { return unknown }
            }
            return nil
        default: return nil
        }
    }

    /// The path of the first member, in alphabetical order, that was sent and not understood; null is for ``unknownNull(in:as:path:)``.
    /// - Throws: ``RequestBodyFault`` for one that was understood as another type than it was sent as.
    private static func unknownMember(
        of sent: JSONValue, beside understood: JSONValue, path: String
    ) throws -> String? {
        func wrongType(_ expected: RequestBodyFault.Expected) -> RequestBodyFault {
            .wrongType(path: path, expected: expected, found: sent.excerpt())
        }
        switch (sent, understood) {
        case (.integer, .string), (.number, .string): throw wrongType(.string)
        case (.string, .bool): throw wrongType(.boolean)
        case (.string, .integer): throw wrongType(.integer(bits: 64, isSigned: true))
        case (.string, .number): throw wrongType(.number)
        case (.object(let sent), .object(let understood)):
            for (name, value) in sent.sorted(by: { $0.key < $1.key }) where value != .null {
                let path = path.isEmpty ? name : "\(path).\(name)"
                guard let counterpart = understood[name] else { return path }
                if let unknown = try unknownMember(of: value, beside: counterpart, path: path) { return unknown }
            }
            return nil
        case (.array(let sent), .array(let understood)):
            for (index, (value, counterpart)) in zip(sent, understood).enumerated() {
                if let unknown = try unknownMember(of: value, beside: counterpart, path: "\(path)[\(index)]") {
                    return unknown
                }
            }
            return nil
        default: return nil
        }
    }
}
