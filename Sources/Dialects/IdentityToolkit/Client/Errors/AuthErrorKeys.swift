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
    public static let domain = AuthErrorDomain
    public static let userInfoNameKey = AuthErrorUserInfoNameKey
    public static let userInfoEmailKey = AuthErrorUserInfoEmailKey
    public static let userInfoUpdatedCredentialKey = AuthErrorUserInfoUpdatedCredentialKey
    public static let userInfoMultiFactorResolverKey = AuthErrorUserInfoMultiFactorResolverKey
    public static let userInfoRetryAfterKey = AuthErrorUserInfoRetryAfterKey
}
