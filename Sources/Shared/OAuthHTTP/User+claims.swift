import CountersignCore

extension User {
    /// What the scopes `email`, `profile` and `phone` open of a user (OpenID Connect Core 1.0, section 5.4): the claims of ID tokens and of
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
        // Whether it is verified is not known here, and not said.
        if scopes.contains("phone") { claims["phone_number"] = profile.phoneNumber.map { .string($0) } }
        return claims
    }
}
