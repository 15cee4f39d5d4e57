import CountersignCore
import Foundation
import ServerHTTP

/// Claims that an administrator puts on an account: a JSON object in a string (spec, section 2.6).
enum CustomClaims {
    /// Characters that the text may have.
    static let maximumLength = 1000

    enum Fault: Error, Equatable {
        /// No JSON, or no object.
        case malformed
        case tooLarge
        case reserved(String)
    }

    /// Names that tokens have a meaning for: OpenID Connect's, Firebase's, and ours.
    static let reserved: Set<String> = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat", "iss", "jti",
        "nbf", "nonce", "sub", IDTokens.epochClaim,
    ]

    /// The claims that the text is. No text is no claims.
    static func parse(_ text: String) throws(Fault) -> [String: JSONValue] {
        if text.isEmpty { return [:] }
        guard text.unicodeScalars.count <= maximumLength else { throw .tooLarge }
        guard let value = try? LenientJSON.parse(Array(text.utf8)), case .object(let claims) = value else {
            throw .malformed
        }
        if let name = claims.keys.sorted().first(where: reserved.contains) { throw .reserved(name) }
        return claims
    }
}
