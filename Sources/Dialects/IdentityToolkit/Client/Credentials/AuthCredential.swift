import Foundation

/// Something that signs a user in. Made by a provider's class, for instance ``EmailAuthProvider``.
open class AuthCredential: NSObject, @unchecked Sendable {
    // Proof: everything stored, here and in the module's subclasses, is immutable and Sendable, and only the module
    // can call the initializer that a subclass needs.

    /// The provider, for instance `password`.
    public let provider: String

    init(provider: String) { self.provider = provider }
}

/// A credential of a web provider. This module makes none; the type stands in ``AuthDataResult``.
public final class OAuthCredential: AuthCredential, @unchecked Sendable {
    // Proof: see AuthCredential; nothing is added.
}

/// An address with a password or a mailed link.
final class EmailAuthCredential: AuthCredential, @unchecked Sendable {
    // Proof: see AuthCredential; what is added is immutable and Sendable.
    enum Secret: Sendable {
        case password(String)
        case link(String)
    }

    let email: String
    let secret: Secret

    init(email: String, secret: Secret) {
        self.email = email
        self.secret = secret
        super.init(provider: EmailAuthProvider.id)
    }
}
