import Foundation

/// An application as it is registered at an authorization server: who asks, for what.
public struct ClientApplication: Sendable, Equatable {
    /// To the letter as the server's metadata has it, such as `https://auth.example.org`.
    public var issuer: String
    /// As registered, without a secret: a secret in a program that users have is none.
    public var clientID: String
    /// `openid` asks for an ID token, `offline_access` for a refresh token.
    public var scopes: [String]
    /// The APIs that tokens are for (RFC 8707); none for the server itself. With several, each token names one.
    public var resources: [String]
    /// Whether tokens are bound to a key of this device (RFC 9449), so that a stolen one is worth nothing.
    public var bindsTokens: Bool
    /// Whether authorization requests go to the server first and not through the browser's address (RFC 9126). Servers whose
    /// metadata demands it get it anyhow.
    public var pushesRequests: Bool

    /// Describes a registration; the server is asked when a session needs it.
    /// - Parameters:
    ///   - issuer: to the letter as the server's metadata has it.
    ///   - clientID: as registered, without a secret.
    ///   - scopes: what every sign-in asks for.
    ///   - resources: the APIs that tokens are for; none for the server itself.
    ///   - bindsTokens: whether tokens are bound to a key of this device (RFC 9449).
    ///   - pushesRequests: whether authorization requests go to the server first (RFC 9126).
    public init(
        issuer: String, clientID: String, scopes: [String] = ["openid", "offline_access"], resources: [String] = [],
        bindsTokens: Bool = false, pushesRequests: Bool = false
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.scopes = scopes
        self.resources = resources
        self.bindsTokens = bindsTokens
        self.pushesRequests = pushesRequests
    }
}

/// What one sign-in asks for beyond what its application always does.
public struct SignInRequest: Sendable, Equatable {
    /// Fills the name in, and decides nothing.
    public var loginHint: String?
    /// The least assurance, the best first (OpenID Connect Core 1.0, section 3.1.2.1): `aal2` for two factors.
    public var acrValues: [String]
    /// Seconds since the user last proved anything, at most; 0 asks for everything anew.
    public var maxAge: Int?
    /// `login`, `consent`, `select_account`, `create`.
    public var prompt: String?
    /// Languages of the pages, the best first.
    public var languages: [String]

    /// A request that asks for nothing more, unless it is said.
    public init(
        loginHint: String? = nil, acrValues: [String] = [], maxAge: Int? = nil, prompt: String? = nil,
        languages: [String] = []
    ) {
        self.loginHint = loginHint
        self.acrValues = acrValues
        self.maxAge = maxAge
        self.prompt = prompt
        self.languages = languages
    }
}

/// The user who signed in, as the server's ID token says.
public struct SignedInUser: Sendable, Equatable, Codable {
    /// `sub`: never changes, and is never another user's.
    public let id: String
    /// `sid`, of the session at the server.
    public let sessionID: String?
    /// `acr`: how well the user was proven, in the server's words; nil where it does not say.
    public let acr: String?
    /// `auth_time`: when the user proved something last; nil where the server does not say.
    public let authenticatedAt: Date?
}
