/// Makes credentials of addresses. Source: Firebase API reference for Swift, `EmailAuthProvider`.
public enum EmailAuthProvider {
    public static let id = "password"

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
