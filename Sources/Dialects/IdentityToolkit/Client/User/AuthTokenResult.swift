import ClientHTTP
import Foundation
import JSON

/// An ID token with what it says. Source: Firebase API reference for Swift, `AuthTokenResult`.
public final class AuthTokenResult: NSObject, Sendable {
    /// The token itself, as an app sends it to its own server: a bearer secret.
    public let token: String
    /// When it ends (`exp`). ``User/getIDToken(forcingRefresh:)`` gives another five minutes before.
    public let expirationDate: Date
    /// When the user last proved who they are.
    public let authDate: Date
    /// When the server made it (`iat`).
    public let issuedAtDate: Date
    /// The first factor, for instance `password`.
    public let signInProvider: String
    /// The second factor, `totp`, or empty where there was none.
    public let signInSecondFactor: String
    private let values: [String: JSONValue]

    /// Everything that the token says, as Foundation's JSON reader would give it.
    public var claims: [String: Any] { values.mapValues(\.foundationValue) }

    /// Throws `malformedJWT` where the token is no JWT or lacks `exp`, `auth_time`, `iat` or
    /// `firebase.sign_in_provider`.
    init(token: String) throws {
        let inside = try IDToken(token)
        guard case .object(let firebase)? = inside.claims["firebase"],
            case .string(let provider)? = firebase["sign_in_provider"]
        else { throw AuthErrorCode.refused(.malformedJWT, because: "The claim firebase.sign_in_provider is missing.") }
        self.token = token
        expirationDate = Date(timeIntervalSince1970: try inside.wholeNumber("exp"))
        authDate = Date(timeIntervalSince1970: try inside.wholeNumber("auth_time"))
        issuedAtDate = Date(timeIntervalSince1970: try inside.wholeNumber("iat"))
        signInProvider = provider
        if case .string(let factor)? = firebase["sign_in_second_factor"] {
            signInSecondFactor = factor
        } else {
            signInSecondFactor = ""
        }
        values = inside.claims
    }
}
