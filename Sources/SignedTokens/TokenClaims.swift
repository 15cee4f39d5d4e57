import Foundation
import JSON

/// The claims of a token (RFC 7519, section 4), as a dialect composes and reads them.
public struct TokenClaims: Codable, Sendable, Equatable {
    public var members: [String: JSONValue]

    public init(_ members: [String: JSONValue]) {
        self.members = members
    }

    public init(from decoder: any Decoder) throws {
        members = try decoder.singleValueContainer().decode([String: JSONValue].self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }

    public subscript(_ name: String) -> JSONValue? { members[name] }

    public func string(_ name: String) -> String? { members[name]?.stringValue }

    /// A `NumericDate` (RFC 7519, section 2), which may have a fraction. Nil for what no clock will ever show.
    package func date(_ name: String) -> Date? {
        let seconds: Double
        switch members[name] {
        case .integer(let value): seconds = Double(value)
        case .number(let value): seconds = value
        default: return nil
        }
        guard (0...1e11).contains(seconds) else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    /// A whole number; fractions are cut, as some issuers write `NumericDate` with one.
    public func integer(_ name: String) -> Int64? {
        switch members[name] {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value.rounded(.down))
        default: nil
        }
    }
}
