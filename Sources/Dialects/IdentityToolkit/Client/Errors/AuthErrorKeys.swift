/// The domain of the errors as `NSError`s. Source: Firebase API reference for Swift, `AuthErrors`.
public let AuthErrorDomain = "FIRAuthErrorDomain"

/// The code as a word, for instance `ERROR_SECOND_FACTOR_REQUIRED`.
public let AuthErrorUserInfoNameKey = "FIRAuthErrorUserInfoNameKey"

/// The address that the error is about.
public let AuthErrorUserInfoEmailKey = "FIRAuthErrorUserInfoEmailKey"

/// A credential with which to try again.
public let AuthErrorUserInfoUpdatedCredentialKey = "FIRAuthErrorUserInfoUpdatedCredentialKey"

/// The ``MultiFactorResolver`` with which a sign-in goes on, in errors with the code `secondFactorRequired`.
public let AuthErrorUserInfoMultiFactorResolverKey = "FIRAuthErrorUserInfoMultiFactorResolverKey"

/// In the underlying error: the server's answer, as a dictionary.
public let AuthErrorUserInfoDeserializedResponseKey = "FIRAuthErrorUserInfoDeserializedResponseKey"

/// Ours: the seconds to wait before the next attempt (a `Double`), in `tooManyRequests` and `serverUnavailable`.
public let AuthErrorUserInfoRetryAfterKey = "CountersignAuthErrorUserInfoRetryAfterKey"

/// The same names as members, as newer releases of the original have them. Source: Firebase API reference for Swift,
/// `AuthErrors`.
public enum AuthErrors {
    /// ``AuthErrorDomain``.
    public static let domain = AuthErrorDomain
    /// ``AuthErrorUserInfoNameKey``.
    public static let userInfoNameKey = AuthErrorUserInfoNameKey
    /// ``AuthErrorUserInfoEmailKey``. No error of this module has it.
    public static let userInfoEmailKey = AuthErrorUserInfoEmailKey
    /// ``AuthErrorUserInfoUpdatedCredentialKey``. No error of this module has it.
    public static let userInfoUpdatedCredentialKey = AuthErrorUserInfoUpdatedCredentialKey
    /// ``AuthErrorUserInfoMultiFactorResolverKey``.
    public static let userInfoMultiFactorResolverKey = AuthErrorUserInfoMultiFactorResolverKey
    /// ``AuthErrorUserInfoRetryAfterKey``; ours.
    public static let userInfoRetryAfterKey = AuthErrorUserInfoRetryAfterKey
}
