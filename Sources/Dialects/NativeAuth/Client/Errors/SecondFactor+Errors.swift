/// Why no code of a second factor was sent.
public final class MFARequestChallengeError: MSALNativeAuthError, @unchecked Sendable {
    // Proof: it adds no stored properties.

    /// Too many codes or requests went to this contact or device (`provider_blocked_by_rep`): wait, or choose another
    /// method.
    public var isAuthMethodBlocked: Bool { kind == .authMethodBlocked }
    /// The server wants a browser for this; `errorDescription` says why.
    public var isBrowserRequired: Bool { kind == .browserRequired }
}

/// Why a second factor's code was not taken.
public final class MFASubmitChallengeError: MSALNativeAuthError, @unchecked Sendable {
    // Proof: it adds no stored properties.

    /// The code is empty or wrong.
    public var isInvalidChallenge: Bool { kind == .invalidChallenge }
    /// The server wants a browser for this; `errorDescription` says why.
    public var isBrowserRequired: Bool { kind == .browserRequired }
}

/// Why no code was sent to a contact that is to be registered.
public final class RegisterStrongAuthChallengeError: MSALNativeAuthError, @unchecked Sendable {
    // Proof: it adds no stored properties.

    /// The contact is empty, or none.
    public var isInvalidInput: Bool { kind == .invalidInput }
    /// The server wants a browser for this; `errorDescription` says why.
    public var isBrowserRequired: Bool { kind == .browserRequired }
    /// Too many codes went to this contact (`provider_blocked_by_rep`): wait, or take another.
    public var isVerificationContactBlocked: Bool { kind == .verificationContactBlocked }
}

/// Why a contact was not registered.
public final class RegisterStrongAuthSubmitChallengeError: MSALNativeAuthError, @unchecked Sendable {
    // Proof: it adds no stored properties.

    /// The code is empty or wrong.
    public var isInvalidChallenge: Bool { kind == .invalidChallenge }
    /// The server wants a browser for this; `errorDescription` says why.
    public var isBrowserRequired: Bool { kind == .browserRequired }
}
