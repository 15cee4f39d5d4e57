import Foundation
import JSON

/// JSON Web Tokens that a device signs (RFC 7519).
enum JWT {
    private struct Header<JWK: Encodable>: Encodable {
        let alg: String
        let typ: String
        let jwk: JWK?
    }

    static func signed(_ claims: some Encodable, with key: any SigningKey) throws -> String {
        try signed(claims, typ: "JWT", jwk: nil as NoContent?, with: key)
    }

    /// - Parameter jwk: the public half, where the header has to have it.
    static func signed(
        _ claims: some Encodable, typ: String, jwk: (some Encodable)?, with key: any SigningKey
    ) throws -> String {
        let algorithm = try PublicHalf(of: key.secKey).algorithm
        let header = Header(alg: algorithm.rawValue, typ: typ, jwk: jwk)
        let encoder = JSONEncoder.wire
        let input = try encoder.encode(header).base64URL + "." + encoder.encode(claims).base64URL
        do {
            return try input + "." + key.signature(for: Data(input.utf8)).base64URL
        } catch let error as GuardianError {
            throw error
        } catch {
            throw GuardianError.cannotSign(error)
        }
    }

    /// A time in whole seconds, rounded down. The vendor's iOS SDK sends fractions, which not every parser takes.
    static func seconds(_ date: Date) -> Int64 {
        Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
    }
}
