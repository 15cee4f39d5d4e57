/// Makes credentials of addresses. Source: Firebase API reference for Swift, `EmailAuthProvider`.
public enum EmailAuthProvider {
    /// What ``AuthCredential/provider``, ``AdditionalUserInfo/providerID`` and ``User/providerData`` call addresses,
    /// with a password or without.
    public static let id = "password"

    /// A credential of an address and its password, for ``Auth/signIn(with:)``, ``User/reauthenticate(with:)`` and
    /// ``User/link(with:)``. Nothing is checked or sent here.
    public static func credential(withEmail email: String, password: String) -> AuthCredential {
        EmailAuthCredential(email: email, secret: .password(password))
    }

    /// - Parameter link: the whole link of the mail.
    public static func credential(withEmail email: String, link: String) -> AuthCredential {
        EmailAuthCredential(email: email, secret: .link(link))
    }
}

/// The id of the provider of addresses.
public let EmailAuthProviderID = EmailAuthProvider.id

/// The sign-in method with a password.
public let EmailPasswordAuthSignInMethod = "password"

/// The sign-in method with a mailed link.
public let EmailLinkAuthSignInMethod = "emailLink"
