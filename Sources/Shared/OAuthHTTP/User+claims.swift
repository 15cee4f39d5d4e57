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
    /// What the scopes `email`, `profile`, `phone` and `address` open of a user (OpenID Connect Core 1.0, section 5.4): the claims of ID tokens and of
    /// userinfo endpoints.
    public func claims(openedBy scopes: [String]) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [:]
        if scopes.contains("email"), let email {
            claims["email"] = .string(email.canonical)
            claims["email_verified"] = .bool(profile.emailVerified)
        }
        if scopes.contains("profile") {
            claims["name"] = profile.displayName.map { .string($0) }
            claims["picture"] = profile.pictureClaim.map { .string($0) }
            claims["locale"] = profile.locale.map { .string($0) }
        }
        // Whether it is verified is not known here, and not said.
        if scopes.contains("phone") { claims["phone_number"] = profile.phoneNumber.map { .string($0) } }
        if scopes.contains("address") { claims["address"] = postalAddress }
        return claims
    }

    /// The attributes that a postal address is kept in, as native authentication names them, by what the claim calls them.
    private static let addressAttributes = [
        "street_address": "streetAddress", "locality": "city", "region": "state", "postal_code": "postalCode",
        "country": "country",
    ]

    /// The claim `address` (OpenID Connect Core 1.0, section 5.1.1); nil where none of it is known. Nothing is put together to one text:
    /// how that is done is a matter of the country.
    private var postalAddress: JSONValue? {
        let members = Self.addressAttributes.compactMapValues { name -> JSONValue? in
            guard case .string(let text)? = profile.attributes[name], !text.isEmpty else { return nil }
            return .string(text)
        }
        return members.isEmpty ? nil : .object(members)
    }
}
