import CountersignCore
import DialectTestSupport
import Foundation
import Testing

/// Reads tokens as apps do.
enum Tokens {
    static func claims(_ token: JSON) throws -> JSON { try part(token, 1) }
    static func header(_ token: JSON) throws -> JSON { try part(token, 0) }

    private static func part(_ token: JSON, _ index: Int) throws -> JSON {
        let part = try #require(token.text).split(separator: ".")[index]
        return try JSON(parsing: #require([UInt8](base64URL: part)))
    }
}
