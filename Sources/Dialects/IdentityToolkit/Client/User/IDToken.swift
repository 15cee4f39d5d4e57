import ClientHTTP
import Foundation
import JSON

/// The inside of an ID token, read without judging its signature: the client has it from the server itself.
struct IDToken: Sendable {
    let claims: [String: JSONValue]

    /// Throws `malformedJWT` for anything that is no JWT with an object inside.
    init(_ token: String) throws {
        guard let claims = JWTPayload.claims(of: token) else { throw AuthErrorCode(.malformedJWT) }
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
