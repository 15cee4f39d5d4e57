import Foundation
import JSON

/// What a JWT says, read without judging its signature: for tokens that a client has from the server itself.
package enum JWTPayload {
    /// The claims; nil for anything that is no JWT with an object inside. The header's members are not among them.
    package static func claims(of token: String) -> [String: JSONValue]? {
        guard let payload = CompactJWS(token)?.payload, let bytes = Base64URL.decode(payload, accepting: .all) else {
            return nil
        }
        return try? JSONDecoder().decode([String: JSONValue].self, from: Data(bytes))
    }
}
