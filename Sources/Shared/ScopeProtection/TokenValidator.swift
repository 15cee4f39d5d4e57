import Foundation

/// Says what an access token allows.
public protocol TokenValidator: Sendable {
    /// - Throws: where it is unknown; the request is then refused with 500 and nothing is granted.
    func validate(_ token: String) async throws -> TokenVerdict
}

/// What became of a token.
public enum TokenVerdict: Sendable {
    /// The issuer vouches for the token, and it has not expired. Whether it is enough for a request is a
    /// ``ScopeRequirement``'s to say.
    case valid(ValidToken)
    /// Made up, altered, expired, revoked, or another server's.
    case invalid
    /// The authority is in the middle of a change; the same request may be sent again.
    case conflict
}

/// What a token says that is good. Within a protected handler it is ``current``.
public struct ValidToken: Sendable, Equatable {
    /// `sub`: a user, or a client where no user is known.
    public var subject: String
    /// `client_id`: the application that the token was issued to; nil where the issuer does not say.
    public var clientID: String?
    /// The elements of `scope`; empty where the token has none.
    public var scope: Set<String>
    /// When the token ends: `exp`. Where an issuer's introspection names no end, a minute after its answer.
    public var expiresAt: Date
    /// When the user last proved anything; nil where the token does not say (RFC 9068, section 2.2.1).
    public var authenticatedAt: Date?
    /// `acr` (OpenID Connect Core, section 2).
    public var authenticationContext: String?
    /// The user's name for people, where the issuer tells one.
    public var displayName: String?
    /// The user's id, where it is not the subject.
    public var userID: String?
    /// Whether a user has logged in, and not only a client.
    public var isUser: Bool
    /// The key that the token is bound to (RFC 9449, section 6): it counts with a proof of that key alone. Nil for a bearer token.
    public var keyThumbprint: String?

    /// Makes a token as a ``TokenValidator`` of your own found it; nothing is verified here.
    public init(
        subject: String, clientID: String? = nil, scope: Set<String>, expiresAt: Date, authenticatedAt: Date? = nil,
        authenticationContext: String? = nil, displayName: String? = nil, userID: String? = nil, isUser: Bool = true,
        keyThumbprint: String? = nil
    ) {
        self.subject = subject
        self.clientID = clientID
        self.scope = scope
        self.expiresAt = expiresAt
        self.authenticatedAt = authenticatedAt
        self.authenticationContext = authenticationContext
        self.displayName = displayName
        self.userID = userID
        self.isUser = isUser
        self.keyThumbprint = keyThumbprint
    }

    /// The token of the request that is being handled; nil outside of protected handlers.
    @TaskLocal public static var current: ValidToken?
}
