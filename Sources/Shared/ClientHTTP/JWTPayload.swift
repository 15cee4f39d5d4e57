import Foundation

/// What a JWT says, read without judging its signature: for tokens that a client has from the server itself.
package enum JWTPayload {
    /// The claims; nil for anything that is no JWT with an object inside. The header's members are not among them.
    package static func claims(of token: String) -> [String: JSONTree]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Data(base64URL: parts[1]) else { return nil }
        return try? JSONDecoder().decode([String: JSONTree].self, from: payload)
    }
}

extension Data {
    /// Base64 for URLs (RFC 4648, section 5), with or without padding; nil where it is none.
    package init?(base64URL text: some StringProtocol) {
        var base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        self.init(base64Encoded: base64)
    }
}
