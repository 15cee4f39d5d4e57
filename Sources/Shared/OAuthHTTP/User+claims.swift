import CountersignCore

/// What a user is in: claims that have a scope of their own each, which an application has only where it was registered with it.
public enum Memberships {
    /// Opens the claim `groups`: names, in order (RFC 9068, section 2.2.3.1).
    public static let groups = "groups"
    /// Opens the claim `roles`: the role of an administrator, or an empty list (RFC 9068, section 2.2.3.1).
    public static let roles = "roles"
    public static let scopes = [groups, roles]

    /// The claims that the scopes open of a user, as of now.
    public static func claims(
        of user: UserID, openedBy scopes: [String], in realm: Realm
    ) async throws -> [String: JSONValue] {
        var claims: [String: JSONValue] = [:]
        if scopes.contains(groups) {
            claims[groups] = .array(try await realm.groups.groups(of: user).map { .string($0.rawValue) })
        }
        if scopes.contains(roles) {
            let role = try await realm.administrators.role(of: user)
            claims[roles] = .array(role.map { [.string($0.rawValue)] } ?? [])
        }
        return claims
    }
}

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
            claims["locale"] = profile.locale.map { .string($0) }
        }
        // Whether it is verified is not known here, and not said.
        if scopes.contains("phone") { claims["phone_number"] = profile.phoneNumber.map { .string($0) } }
        return claims
    }
}
