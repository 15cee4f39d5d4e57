/// What an administrator may put on an account as custom claims, whatever the dialect.
public enum CustomClaims {
    /// Characters that the claims may have as JSON text (Identity Toolkit's limit, held for all dialects).
    public static let maximumLength = 1000

    /// Why a text is no custom claims.
    public enum Fault: Error, Equatable {
        /// No JSON, or no object.
        case malformed
        /// The text has more than ``maximumLength`` characters.
        case tooLarge
        /// A claim has a name of ``reserved``: this one.
        case reserved(String)
    }

    /// The server's own claim that carries the token epoch.
    public static let epochClaim = "countersign_epoch"
    /// The server's own claim that names the session, in tokens whose `sid` is the developers' to set.
    public static let sessionClaim = "countersign_session"

    /// Names that tokens have a meaning for: OpenID Connect's, Firebase's, and ours.
    public static let reserved: Set<String> = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat", "iss", "jti",
        "nbf", "nonce", "sub", epochClaim, sessionClaim,
    ]

    /// ``reserved`` and what else tokens, introspection and user info of this server say by themselves, or a standard gives a meaning that
    /// receivers act upon (RFC 7662, 8693, 9068, 9396, 9701; OpenID Connect Core 1.0, section 5.1; security events and back-channel
    /// logout): neither the scopes of APIs nor services put a claim of such a name into a token.
    public static let serverClaims: Set<String> = reserved.union([
        "act", "active", "attributes", "authorization_details", "client_id", "countersign_grant", "email",
        "email_verified", "entitlements", "events", "family_name", "given_name", "groups", "may_act", "name",
        "phone_number", "phone_number_verified", "picture", "preferred_username", "roles", "s_hash", "scope", "scp",
        "sid", "sub_jwk", "toe", "token_introspection", "token_type", "txn", "updated_at", "username",
        Tokens.grantClaim,
    ])

    /// The claims that a text is, where it is a JSON object.
    /// - Parameter parse: reads JSON; nil where it is none.
    public static func judge(_ text: String, parse: (String) -> JSONValue?) throws(Fault) -> [String: JSONValue] {
        if text.isEmpty { return [:] }
        guard text.unicodeScalars.count <= maximumLength else { throw .tooLarge }
        guard case .object(let claims)? = parse(text) else { throw .malformed }
        if let name = claims.keys.sorted().first(where: reserved.contains) { throw .reserved(name) }
        return claims
    }
}
