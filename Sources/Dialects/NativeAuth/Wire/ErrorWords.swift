/// What a refusal is, in a word.
///
/// The list is open: what is not in it is still a value. Source: MSAL for iOS.
public struct ErrorWord: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

extension ErrorWord {
    public static let accessDenied = ErrorWord(rawValue: "access_denied")
    public static let attributesRequired = ErrorWord(rawValue: "attributes_required")
    public static let authorizationPending = ErrorWord(rawValue: "authorization_pending")
    public static let credentialRequired = ErrorWord(rawValue: "credential_required")
    public static let expiredRefreshToken = ErrorWord(rawValue: "expired_refresh_token")
    public static let expiredToken = ErrorWord(rawValue: "expired_token")
    public static let invalidClient = ErrorWord(rawValue: "invalid_client")
    public static let invalidGrant = ErrorWord(rawValue: "invalid_grant")
    public static let invalidRequest = ErrorWord(rawValue: "invalid_request")
    public static let invalidScope = ErrorWord(rawValue: "invalid_scope")
    public static let serverError = ErrorWord(rawValue: "server_error")
    public static let slowDown = ErrorWord(rawValue: "slow_down")
    public static let unauthorizedClient = ErrorWord(rawValue: "unauthorized_client")
    public static let unsupportedAuthMethod = ErrorWord(rawValue: "unsupported_auth_method")
    public static let unsupportedChallengeType = ErrorWord(rawValue: "unsupported_challenge_type")
    public static let unsupportedGrantType = ErrorWord(rawValue: "unsupported_grant_type")
    public static let userAlreadyExists = ErrorWord(rawValue: "user_already_exists")
    public static let userNotFound = ErrorWord(rawValue: "user_not_found")
    public static let verificationRequired = ErrorWord(rawValue: "verification_required")
}

/// What more a refusal says.
///
/// The list is open: what is not in it is still a value. Source: MSAL for iOS.
public struct Suberror: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

extension Suberror {
    public static let attributeValidationFailed = Suberror(rawValue: "attribute_validation_failed")
    /// The application may not have the scope, or was not allowed it yet.
    public static let consentRequired = Suberror(rawValue: "consent_required")
    public static let introspectRequired = Suberror(rawValue: "introspect_required")
    /// The code is wrong.
    public static let invalidOOBValue = Suberror(rawValue: "invalid_oob_value")
    public static let mfaRequired = Suberror(rawValue: "mfa_required")
    public static let nativeAuthAPIDisabled = Suberror(rawValue: "nativeauthapi_disabled")
    public static let passwordBanned = Suberror(rawValue: "password_banned")
    /// It has characters that are not allowed.
    public static let passwordIsInvalid = Suberror(rawValue: "password_is_invalid")
    public static let passwordRecentlyUsed = Suberror(rawValue: "password_recently_used")
    public static let passwordTooLong = Suberror(rawValue: "password_too_long")
    public static let passwordTooShort = Suberror(rawValue: "password_too_short")
    public static let passwordTooWeak = Suberror(rawValue: "password_too_weak")
    /// The contact is blocked.
    public static let providerBlockedByReputation = Suberror(rawValue: "provider_blocked_by_rep")
    public static let registrationRequired = Suberror(rawValue: "registration_required")
}

extension Suberror {
    /// Whether another password would do.
    public var isAboutPassword: Bool {
        [
            .passwordBanned, .passwordIsInvalid, .passwordRecentlyUsed, .passwordTooLong, .passwordTooShort,
            .passwordTooWeak,
        ].contains(self)
    }
}

/// A refusal's number, as clients and support staff know it.
///
/// The list is open. Source: MSAL for iOS.
public struct ErrorNumber: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }
}

extension ErrorNumber {
    public static let userNotFound = ErrorNumber(rawValue: 50_034)
    public static let mfaRequired = ErrorNumber(rawValue: 50_076)
    public static let wrongPassword = ErrorNumber(rawValue: 50_126)
    /// The password has to be changed first.
    public static let resetRequired = ErrorNumber(rawValue: 50_142)
    /// Our choice: no document names one.
    public static let wrongCode = ErrorNumber(rawValue: 50_181)
    public static let credentialRequired = ErrorNumber(rawValue: 55_103)
    public static let attributesRequired = ErrorNumber(rawValue: 55_106)
    public static let invalidContinuationToken = ErrorNumber(rawValue: 55_200)
    public static let invalidParameter = ErrorNumber(rawValue: 90_100)
    /// The account has no password to reset.
    public static let noPassword = ErrorNumber(rawValue: 500_222)
    public static let userBlocked = ErrorNumber(rawValue: 550_024)
    /// The application is not registered as a public client.
    public static let confidentialClient = ErrorNumber(rawValue: 550_022)
    public static let expiredToken = ErrorNumber(rawValue: 552_003)
    public static let weakPassword = ErrorNumber(rawValue: 399_246)
    public static let invalidAuthenticationType = ErrorNumber(rawValue: 400_002)
    public static let invalidVerificationContact = ErrorNumber(rawValue: 901_001)
    /// The challenge types lack `redirect`.
    public static let missingRedirect = ErrorNumber(rawValue: 901_007)
    public static let userAlreadyExists = ErrorNumber(rawValue: 1_003_037)
}
