/// What a token's header says that it is (`typ`; RFC 7515, section 4.1.9). Tokens of one kind are never taken for tokens
/// of another (RFC 8725, section 3.11).
public struct TokenType: StringName {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The header has no `typ`.
    public static let untyped = TokenType(rawValue: "")
    /// ID tokens, and whatever names no type of its own.
    public static let jwt = TokenType(rawValue: "JWT")
    /// Access tokens (RFC 9068, section 2.1).
    public static let accessToken = TokenType(rawValue: "at+jwt")
    /// Assertions of applications (draft-ietf-oauth-rfc7523bis).
    public static let clientAssertion = TokenType(rawValue: "client-authentication+jwt")

    /// What applications are told that a session ended by (OpenID Connect Back-Channel Logout 1.0, section 2.4).
    public static let logout = TokenType(rawValue: "logout+jwt")

    /// Parameters of an authorization request that an application signed (RFC 9101, section 10.8).
    public static let requestObject = TokenType(rawValue: "oauth-authz-req+jwt")

    /// A header's `typ`: without regard to case, and with or without `application/` before it. An empty one is no media type and not the
    /// same as none: it is of a type that no token has.
    init(header text: String?) {
        guard let text else {
            self = .untyped
            return
        }
        let prefix = "application/"
        let bare = text.lowercased().hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        if bare.isEmpty {
            self = TokenType(rawValue: prefix)
            return
        }
        let known = [Self.jwt, .accessToken, .clientAssertion, .logout, .requestObject].first {
            $0.rawValue.lowercased() == bare.lowercased()
        }
        self = known ?? TokenType(rawValue: bare)
    }
}
