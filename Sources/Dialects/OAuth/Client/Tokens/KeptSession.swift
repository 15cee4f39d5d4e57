import Foundation
import SignedTokens

/// An access token, and how it is sent.
public struct AccessToken: Sendable, Equatable, Codable {
    /// The token as it is sent; its content is for the API.
    public let text: String
    /// `Bearer`, or `DPoP` for one that counts with a proof of this device's key alone.
    public let type: String
    /// What was granted, which may be less than was asked for.
    public let scopes: [String]
    /// When it ends, by this machine's clock.
    public let expiresAt: Date

    /// Whether it is bound to a key.
    public var isBound: Bool { type.lowercased() == "dpop" }
}

/// What is kept of a sign-in. Later members are optional: what an earlier version kept is read.
struct KeptSession: Codable, Equatable {
    var clientID: String
    var issuer: String
    var user: SignedInUser?
    var idToken: String?
    var refreshToken: String?
    /// The private key that tokens are bound to.
    var key: Data?
    var scopes: [String]
    var resources: [String]
    /// By the API that they are for; an empty name for the server itself, or for the one API there is.
    var accessTokens: [String: AccessToken]
}
