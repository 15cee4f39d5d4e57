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

    /// A `NumericDate` (RFC 7519, section 2), which may have a fraction. Nil for what no clock will ever show.
    func date(_ name: String) -> Date? {
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

/// The head of a compact JWS, read before anything is trusted: only the members that are needed, so that a stranger
/// cannot keep the server busy with the others.
struct TokenHeader {
    let alg: String
    let kid: String?

    private struct Members: Decodable {
        let alg: String
        let kid: String?
        let isCritical: Bool

        enum CodingKeys: CodingKey { case alg, kid, crit }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            alg = try members.decode(String.self, forKey: .alg)
            kid = try members.decodeIfPresent(String.self, forKey: .kid)
            isCritical = members.contains(.crit)
        }
    }

    init?(of token: String) {
        guard let parts = TokenParts(token), let bytes = [UInt8](base64URL: parts.header),
            let members = try? JSONDecoder().decode(Members.self, from: Data(bytes)), !members.isCritical
        else { return nil }
        alg = members.alg
        kid = members.kid
    }
}

/// The three parts of a compact JWS of at most 16 kB, whose header and claims are not nested deep: the claims are
/// decoded, as a whole, before the signature is verified.
struct TokenParts {
    let header: Substring
    let payload: Substring
    let signature: Substring

    init?(_ token: String) {
        guard token.utf8.count <= 16_384 else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            parts.prefix(2).allSatisfy({ [UInt8](base64URL: $0).map { $0.isShallowJSON } ?? false })
        else { return nil }
        header = parts[0]
        payload = parts[1]
        signature = parts[2]
    }
}

extension [UInt8] {
    /// Whether arrays and objects of JSON text lie in each other at most 32 deep. Decoding takes time with the square of
    /// the depth, and a token of 16 KiB can be thousands deep.
    var isShallowJSON: Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in self {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isInString: isEscaped = true
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if !isInString { depth += 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if !isInString { depth -= 1 }
            default: break
            }
            if depth > 32 { return false }
        }
        return true
    }
}
