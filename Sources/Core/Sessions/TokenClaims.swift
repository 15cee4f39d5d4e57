import Foundation
import JWTKit

/// The claims of a token (RFC 7519, section 4), as a dialect composes and reads them.
public struct TokenClaims: JWTPayload, Equatable {
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

    /// Nothing: times are judged by the realm's clock, issuer and audience by the dialect.
    public func verify(using algorithm: some JWTAlgorithm) async throws {}

    public subscript(_ name: String) -> JSONValue? { members[name] }

    public func string(_ name: String) -> String? { members[name]?.stringValue }

    /// A whole number; fractions are cut, as some issuers write `NumericDate` with one.
    public func integer(_ name: String) -> Int64? {
        switch members[name] {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value.rounded(.down))
        default: nil
        }
    }
}

/// The head of a compact JWS, read before anything is trusted.
struct TokenHeader {
    let alg: String
    let kid: String?

    init?(of token: String) {
        guard token.utf8.count <= 16_384 else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = [UInt8](base64URL: parts[0]),
            let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(bytes)),
            let alg = members["alg"]?.stringValue, members["crit"] == nil
        else { return nil }
        self.alg = alg
        kid = members["kid"]?.stringValue
    }
}
