import Foundation

/// What a sign-in gave. Source: Firebase API reference for Swift, `AuthDataResult`.
public final class AuthDataResult: NSObject, Sendable {
    /// Who has signed in: the new ``Auth/currentUser``. After ``User/reauthenticate(with:)`` and ``User/link(with:)``
    /// it is the user whose method was called.
    public let user: User
    /// Nil after a second factor.
    public let additionalUserInfo: AdditionalUserInfo?
    /// Nil: no web provider signs in here.
    public let credential: OAuthCredential?

    init(user: User, additionalUserInfo: AdditionalUserInfo?) {
        self.user = user
        self.additionalUserInfo = additionalUserInfo
        credential = nil
    }
}

/// Further results of a sign-in.
public final class AdditionalUserInfo: NSObject, Sendable {
    /// For instance `password`; empty for custom tokens and anonymous users.
    public let providerID: String
    /// Whether this sign-in made the account.
    public let isNewUser: Bool
    /// What a web provider says of the user: nothing here.
    public var profile: [String: Any]? { nil }
    /// The user's name at a web provider: none here.
    public var username: String? { nil }

    init(providerID: String, isNewUser: Bool) {
        self.providerID = providerID
        self.isNewUser = isNewUser
    }
}
