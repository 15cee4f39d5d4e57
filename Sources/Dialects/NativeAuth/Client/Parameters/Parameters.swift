import Foundation

/// The user to sign in, and the scopes.
public final class MSALNativeAuthSignInParameters: NSObject {
    /// The address.
    public let username: String
    /// Without it the account is asked for a code, or for the password in a step of its own.
    public var password: String?
    /// Scopes beside `openid`, `profile` and `offline_access`.
    public var scopes: [String]?
    /// Claims that the tokens shall have.
    public var claimsRequest: MSALClaimsRequest?
    /// Stands in each request of the flow; one is made where none is given.
    public var correlationId: UUID?

    /// A sign-in of the account with this address.
    ///
    /// - Parameter username: an empty one is refused with `isInvalidUsername`, and nothing is sent.
    public init(username: String) { self.username = username }
}

/// The user of the new account.
public final class MSALNativeAuthSignUpParameters: NSObject {
    /// The address.
    public let username: String
    /// The account's password; nil makes an account without one, unless the server asks for it in a step of its own.
    public var password: String?
    /// What the account's profile shall say, by the names that the server has for it; values must be JSON.
    public var attributes: [String: Any]?
    /// Stands in each request of the flow, and in the server's log; one is made where none is given.
    public var correlationId: UUID?

    /// A sign-up with this address.
    ///
    /// - Parameter username: an empty one is refused with `isInvalidUsername`, and nothing is sent.
    public init(username: String) { self.username = username }
}

/// Whose password to reset.
public final class MSALNativeAuthResetPasswordParameters: NSObject {
    /// The address.
    public let username: String
    /// Stands in each request of the flow, and in the server's log; one is made where none is given.
    public var correlationId: UUID?

    /// A reset for the account with this address.
    ///
    /// - Parameter username: an empty one is refused with `isInvalidUsername`, and nothing is sent.
    public init(username: String) { self.username = username }
}

/// What to sign in for, after a sign-up.
public final class MSALNativeAuthSignInAfterSignUpParameters: NSObject {
    /// Scopes beside `openid`, `profile` and `offline_access`.
    public var scopes: [String]?
    /// Claims that the tokens shall have.
    public var claimsRequest: MSALClaimsRequest?

    public override init() {}
}

/// What to sign in for, after a password reset.
public final class MSALNativeAuthSignInAfterResetPasswordParameters: NSObject {
    /// Scopes beside `openid`, `profile` and `offline_access`.
    public var scopes: [String]?
    /// Claims that the tokens shall have.
    public var claimsRequest: MSALClaimsRequest?

    public override init() {}
}

/// Which access token to get.
public final class MSALNativeAuthGetAccessTokenParameters: NSObject {
    /// Asks the server, whatever is in the cache.
    public var forceRefresh = false
    /// Whether the result has the refresh token, for a back end that goes on with it. It is a secret.
    public var returnRefreshToken = false
    /// Scopes that the token must have; none takes the one from the sign-in. `openid`, `profile`, `offline_access` and
    /// the client id are refused.
    public var scopes: [String]?
    /// Claims that the token shall have; the cache is passed over.
    public var claimsRequest: MSALClaimsRequest?
    /// Stands in the requests of a refresh, and in the server's log; the sign-in's where none is given.
    public var correlationId: UUID?

    public override init() {}
}

/// Which second factor to register.
public final class MSALNativeAuthChallengeAuthMethodParameters: NSObject {
    /// One of the methods that ``RegisterStrongAuthState`` came with.
    public let authMethod: MSALAuthMethod
    /// The address or phone number of the factor.
    public let verificationContact: String

    /// Registers a contact by a method.
    ///
    /// - Parameter verificationContact: an empty one is refused with `isInvalidInput`, and nothing is sent. This server
    ///   registers mailboxes alone, and not the one whose code began the sign-in.
    public init(authMethod: MSALAuthMethod, verificationContact: String) {
        self.authMethod = authMethod
        self.verificationContact = verificationContact
    }
}
