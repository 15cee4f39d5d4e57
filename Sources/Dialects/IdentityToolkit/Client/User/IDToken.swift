import Foundation

/// The inside of an ID token, read without judging its signature: the client has it from the server itself.
struct IDToken: Sendable {
    let claims: [String: JSONValue]

    /// Throws `malformedJWT` for anything that is no JWT with an object inside.
    init(_ token: String) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Data(base64URL: parts[1]),
            let claims = try? JSONDecoder().decode([String: JSONValue].self, from: payload)
        else { throw AuthErrorCode(.malformedJWT) }
        self.claims = claims
    }

    /// A whole number among the claims. Throws `malformedJWT` where it is none.
    func wholeNumber(_ name: String) throws -> TimeInterval {
        guard let number = claims[name]?.wholeNumber else {
            throw AuthErrorCode.refused(.malformedJWT, because: "The claim \(name) is missing or no whole number.")
        }
        return number
    }

    /// How long the token is valid from its making, in seconds; nil where it does not say.
    var lifetime: TimeInterval? {
        guard let end = claims["exp"]?.wholeNumber, let start = claims["iat"]?.wholeNumber else { return nil }
        return end - start
    }
}

extension Data {
    fileprivate init?(base64URL text: Substring) {
        var base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        self.init(base64Encoded: base64)
    }
}
