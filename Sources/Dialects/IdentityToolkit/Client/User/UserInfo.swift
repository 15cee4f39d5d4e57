import Foundation

/// An identity: the user's own, or the one at a provider. Source: Firebase API reference for Swift, `UserInfo`.
public protocol UserInfo: NSObjectProtocol, Sendable {
    /// `Firebase` for the user, otherwise the provider, for instance `password`.
    var providerID: String { get }
    /// The user's id, or the id at the provider.
    var uid: String { get }
    var displayName: String? { get }
    var photoURL: URL? { get }
    var email: String? { get }
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
    public let creationDate: Date?
    public let lastSignInDate: Date?

    init(creationDate: Date?, lastSignInDate: Date?) {
        self.creationDate = creationDate
        self.lastSignInDate = lastSignInDate
    }
}
