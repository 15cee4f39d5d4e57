/// Why a reset could not begin.
public final class ResetPasswordStartError: MSALNativeAuthError, @unchecked Sendable {
    // Proof: it adds no stored properties.

    /// The server wants a browser for this; `errorDescription` says why.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The account signs in without a password.
    public var isUserDoesNotHavePassword: Bool { kind == .userDoesNotHavePassword }
    /// There is no such account, and the server says so.
    public var isUserNotFound: Bool { kind == .userNotFound }
    /// The address is empty, or none.
    public var isInvalidUsername: Bool { kind == .invalidUsername }
}

/// Why the account could not be signed in after its reset.
public final class SignInAfterResetPasswordError: MSALNativeAuthGenericError, @unchecked Sendable {
    // Proof: it adds no stored properties.
}
