/// Why a sign-up could not begin.
public final class SignUpStartError: MSALNativeAuthError, @unchecked Sendable {
    // Proof: it adds no stored properties.

    /// The server wants a browser for this; `errorDescription` says why.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The address has an account. A server that hides addresses does not say so here, unless the application may know.
    public var isUserAlreadyExists: Bool { kind == .userAlreadyExists }
    /// The password is empty or wrong, or the server's rules refuse it.
    public var isInvalidPassword: Bool { kind == .invalidPassword }
    /// The address is empty, or none.
    public var isInvalidUsername: Bool { kind == .invalidUsername }
}

/// Why attributes were not taken.
public final class AttributesRequiredError: MSALNativeAuthGenericError, @unchecked Sendable {
    // Proof: it adds no stored properties.
}

/// Why the new account could not be signed in.
public final class SignInAfterSignUpError: MSALNativeAuthGenericError, @unchecked Sendable {
    // Proof: it adds no stored properties.
}
