import Foundation
import SecurityChecksWire

/// What a server gave for a scope; to be shown to resources. Source: MobileFirst client API reference.
public final class AccessToken: NSObject, Sendable {
    private let token: String
    private let words: String
    let expiresAt: Date

    /// - Parameters:
    ///   - withExpiration: seconds from now on.
    ///   - forScope: elements with blanks between them.
    public convenience init(token: String, withExpiration seconds: Int, forScope scope: String) {
        self.init(token, expiresAt: Date().addingTimeInterval(TimeInterval(seconds)), scope: scope)
    }

    init(_ token: String, expiresAt: Date, scope: String) {
        self.token = token
        self.expiresAt = expiresAt
        words = scope
    }

    /// The token itself, a bearer secret; never nil here.
    public var value: String! { token }
    /// The scope that the token is good for, as the server says it, else as it was asked for: elements with blanks between
    /// them; never nil here.
    public var scope: String! { words }
    /// For the header `Authorization`.
    public var asAuthorizationRequestHeaderField: String! { "Bearer " + token }
    /// For a form's body, where a resource takes tokens there (RFC 6750, section 2.2); the token is not
    /// percent-encoded.
    public var asFormEncodedBodyParameter: String! { "access_token=" + token }

    /// Without the token, which is a secret.
    public override var description: String { "<access token for \(words)>" }
}
