import CountersignCore

extension User {
    /// What the scopes `email` and `profile` open of a user (OpenID Connect Core 1.0, section 5.4): the claims of ID tokens and of
    /// userinfo endpoints.
    public func claims(openedBy scopes: [String]) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [:]
        if scopes.contains("email"), let email {
            claims["email"] = .string(email.canonical)
            claims["email_verified"] = .bool(profile.emailVerified)
        }
        if scopes.contains("profile") {
            claims["name"] = profile.displayName.map { .string($0) }
            claims["picture"] = profile.photoURL.map { .string($0) }
        }
        return claims
    }
}
