/// Why a sign-in could not begin.
public final class SignInStartError: MSALNativeAuthError, @unchecked Sendable {
    // Proof: it adds no stored properties.

    /// The server wants a browser for this; `errorDescription` says why.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// There is no such account, and the server says so.
    public var isUserNotFound: Bool { kind == .userNotFound }
    /// Address and password do not fit.
    public var isInvalidCredentials: Bool { kind == .invalidCredentials }
    /// The address is empty, or none.
    public var isInvalidUsername: Bool { kind == .invalidUsername }
}

/// Why a password was not taken.
public final class PasswordRequiredError: MSALNativeAuthError, @unchecked Sendable {
    // Proof: it adds no stored properties.

    /// The server wants a browser for this; `errorDescription` says why.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The password is empty or wrong, or the server's rules refuse it.
    public var isInvalidPassword: Bool { kind == .invalidPassword }
}

/// Why a code was not taken.
public final class VerifyCodeError: MSALNativeAuthError, @unchecked Sendable {
    // Proof: it adds no stored properties.

    /// The server wants a browser for this; `errorDescription` says why.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The code is empty or wrong.
    public var isInvalidCode: Bool { kind == .invalidCode }
}

/// Why no other code was sent.
public final class ResendCodeError: MSALNativeAuthGenericError, @unchecked Sendable {
    // Proof: it adds no stored properties.
}

/// Why there is no access token.
public final class RetrieveAccessTokenError: MSALNativeAuthError, @unchecked Sendable {
    // Proof: it adds no stored properties.

    /// The server wants a browser for this; `errorDescription` says why.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// The session is over: sign in again.
    public var isRefreshTokenExpired: Bool { kind == .refreshTokenExpired }
    /// The app may not have such a token.
    public var isInvalidScope: Bool { kind == .invalidScope }
}
