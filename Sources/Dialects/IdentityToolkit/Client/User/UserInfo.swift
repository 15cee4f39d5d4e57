import Foundation

/// An identity: the user's own, or the one at a provider. Source: Firebase API reference for Swift, `UserInfo`.
public protocol UserInfo: NSObjectProtocol, Sendable {
    /// `Firebase` for the user, otherwise the provider, for instance `password`.
    var providerID: String { get }
    /// The user's id, or the id at the provider.
    var uid: String { get }
    /// The name at the provider, for the user's own the account's; nil where there is none.
    var displayName: String? { get }
    /// Where the picture is; nil where there is none.
    var photoURL: URL? { get }
    /// The address; nil where there is none. Whether it is verified, ``User/isEmailVerified`` says.
    var email: String? { get }
    /// The phone number; nil where there is none.
    var phoneNumber: String? { get }
}

/// An identity at a provider.
final class ProviderIdentity: NSObject, UserInfo, Sendable {
    private let provider: Profile.Provider

    init(_ provider: Profile.Provider) { self.provider = provider }

    var providerID: String { provider.providerID }
    var uid: String { provider.uid }
    var displayName: String? { provider.displayName }
    var photoURL: URL? { provider.photoURL }
    var email: String? { provider.email }
    var phoneNumber: String? { provider.phoneNumber }
}

/// When the account was made and last signed in to.
public final class UserMetadata: NSObject, Sendable {
    /// When the account was made, to the millisecond; nil where the server does not say.
    public let creationDate: Date?
    /// When the account was last signed in to, to the millisecond; nil where the server does not say.
    public let lastSignInDate: Date?

    init(creationDate: Date?, lastSignInDate: Date?) {
        self.creationDate = creationDate
        self.lastSignInDate = lastSignInDate
    }
}
