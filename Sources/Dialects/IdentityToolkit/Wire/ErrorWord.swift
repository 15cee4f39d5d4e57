/// The words with which the protocol names a refusal, at the beginning of an error's message.
///
/// The list is open: a word that is not in it is still a value. Source: Firebase Auth REST API, common error codes.
public struct ErrorWord: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The word that a message begins with: what stands before its first colon. Source: Firebase Auth REST API, common
    /// error codes.
    public init(message: String) {
        let head = message.prefix { $0 != ":" }
        rawValue = String(head.reversed().drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace })
    }

    /// The message that says the word and, after `" : "`, a sentence about it. Source: Firebase Auth REST API, common
    /// error codes.
    public func message(_ sentence: String? = nil) -> String {
        sentence.map { rawValue + " : " + $0 } ?? rawValue
    }

    public var description: String { rawValue }
}

extension ErrorWord {
    public static let adminOnlyOperation = ErrorWord(rawValue: "ADMIN_ONLY_OPERATION")
    public static let claimsTooLarge = ErrorWord(rawValue: "CLAIMS_TOO_LARGE")
    public static let configurationNotFound = ErrorWord(rawValue: "CONFIGURATION_NOT_FOUND")
    public static let credentialMismatch = ErrorWord(rawValue: "CREDENTIAL_MISMATCH")
    public static let credentialTooOldLoginAgain = ErrorWord(rawValue: "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    public static let duplicateEmail = ErrorWord(rawValue: "DUPLICATE_EMAIL")
    public static let duplicateLocalID = ErrorWord(rawValue: "DUPLICATE_LOCAL_ID")
    public static let duplicateMFAEnrollmentID = ErrorWord(rawValue: "DUPLICATE_MFA_ENROLLMENT_ID")
    public static let duplicateRawID = ErrorWord(rawValue: "DUPLICATE_RAW_ID")
    public static let emailChangeNeedsVerification = ErrorWord(rawValue: "EMAIL_CHANGE_NEEDS_VERIFICATION")
    public static let emailExists = ErrorWord(rawValue: "EMAIL_EXISTS")
    public static let emailNotFound = ErrorWord(rawValue: "EMAIL_NOT_FOUND")
    public static let expiredOOBCode = ErrorWord(rawValue: "EXPIRED_OOB_CODE")
    public static let federatedUserIDAlreadyLinked = ErrorWord(rawValue: "FEDERATED_USER_ID_ALREADY_LINKED")
    public static let forbiddenClaim = ErrorWord(rawValue: "FORBIDDEN_CLAIM")
    public static let insufficientPermission = ErrorWord(rawValue: "INSUFFICIENT_PERMISSION")
    public static let invalidAdjacentIntervalRange = ErrorWord(rawValue: "INVALID_ADJACENT_INTERVAL_RANGE")
    public static let invalidClaims = ErrorWord(rawValue: "INVALID_CLAIMS")
    public static let invalidCode = ErrorWord(rawValue: "INVALID_CODE")
    public static let invalidContinueURI = ErrorWord(rawValue: "INVALID_CONTINUE_URI")
    public static let invalidCustomToken = ErrorWord(rawValue: "INVALID_CUSTOM_TOKEN")
    public static let invalidConfig = ErrorWord(rawValue: "INVALID_CONFIG")
    public static let invalidDuration = ErrorWord(rawValue: "INVALID_DURATION")
    public static let invalidDynamicLinkDomain = ErrorWord(rawValue: "INVALID_DYNAMIC_LINK_DOMAIN")
    public static let invalidEmail = ErrorWord(rawValue: "INVALID_EMAIL")
    public static let invalidGrantType = ErrorWord(rawValue: "INVALID_GRANT_TYPE")
    public static let invalidHashAlgorithm = ErrorWord(rawValue: "INVALID_HASH_ALGORITHM")
    public static let invalidHashParameters = ErrorWord(rawValue: "INVALID_HASH_PARAMETERS")
    public static let invalidHostingLinkDomain = ErrorWord(rawValue: "INVALID_HOSTING_LINK_DOMAIN")
    public static let invalidIdentifier = ErrorWord(rawValue: "INVALID_IDENTIFIER")
    public static let invalidIDPResponse = ErrorWord(rawValue: "INVALID_IDP_RESPONSE")
    public static let invalidIDToken = ErrorWord(rawValue: "INVALID_ID_TOKEN")
    public static let invalidLocalID = ErrorWord(rawValue: "INVALID_LOCAL_ID")
    public static let invalidLoginCredentials = ErrorWord(rawValue: "INVALID_LOGIN_CREDENTIALS")
    public static let invalidMFAEnrollmentID = ErrorWord(rawValue: "INVALID_MFA_ENROLLMENT_ID")
    public static let invalidMFAPendingCredential = ErrorWord(rawValue: "INVALID_MFA_PENDING_CREDENTIAL")
    public static let invalidNewEmail = ErrorWord(rawValue: "INVALID_NEW_EMAIL")
    public static let invalidOOBCode = ErrorWord(rawValue: "INVALID_OOB_CODE")
    public static let invalidPageSelection = ErrorWord(rawValue: "INVALID_PAGE_SELECTION")
    public static let invalidPassword = ErrorWord(rawValue: "INVALID_PASSWORD")
    public static let invalidPendingToken = ErrorWord(rawValue: "INVALID_PENDING_TOKEN")
    public static let invalidPhoneNumber = ErrorWord(rawValue: "INVALID_PHONE_NUMBER")
    public static let invalidProfileAttribute = ErrorWord(rawValue: "INVALID_PROFILE_ATTRIBUTE")
    public static let invalidProjectID = ErrorWord(rawValue: "INVALID_PROJECT_ID")
    public static let invalidProviderID = ErrorWord(rawValue: "INVALID_PROVIDER_ID")
    public static let invalidRefreshToken = ErrorWord(rawValue: "INVALID_REFRESH_TOKEN")
    public static let invalidReqType = ErrorWord(rawValue: "INVALID_REQ_TYPE")
    public static let invalidSessionInfo = ErrorWord(rawValue: "INVALID_SESSION_INFO")
    public static let invalidTenantID = ErrorWord(rawValue: "INVALID_TENANT_ID")
    public static let localIDListExceedsLimit = ErrorWord(rawValue: "LOCAL_ID_LIST_EXCEEDS_LIMIT")
    public static let maximumUserCountExceeded = ErrorWord(rawValue: "MAXIMUM_USER_COUNT_EXCEEDED")
    public static let mfaEnrollmentAlreadyComplete = ErrorWord(rawValue: "MFA_ENROLLMENT_ALREADY_COMPLETE")
    public static let mfaEnrollmentNotFound = ErrorWord(rawValue: "MFA_ENROLLMENT_NOT_FOUND")
    public static let missingAndroidPackageName = ErrorWord(rawValue: "MISSING_ANDROID_PACKAGE_NAME")
    public static let missingCode = ErrorWord(rawValue: "MISSING_CODE")
    public static let missingContinueURI = ErrorWord(rawValue: "MISSING_CONTINUE_URI")
    public static let missingCustomToken = ErrorWord(rawValue: "MISSING_CUSTOM_TOKEN")
    public static let missingDisplayName = ErrorWord(rawValue: "MISSING_DISPLAY_NAME")
    public static let missingEmail = ErrorWord(rawValue: "MISSING_EMAIL")
    public static let missingGrantType = ErrorWord(rawValue: "MISSING_GRANT_TYPE")
    public static let missingHashAlgorithm = ErrorWord(rawValue: "MISSING_HASH_ALGORITHM")
    public static let missingIdentifier = ErrorWord(rawValue: "MISSING_IDENTIFIER")
    public static let missingIDToken = ErrorWord(rawValue: "MISSING_ID_TOKEN")
    public static let missingIOSBundleID = ErrorWord(rawValue: "MISSING_IOS_BUNDLE_ID")
    public static let missingLocalID = ErrorWord(rawValue: "MISSING_LOCAL_ID")
    public static let missingMFAEnrollmentID = ErrorWord(rawValue: "MISSING_MFA_ENROLLMENT_ID")
    public static let missingMFAPendingCredential = ErrorWord(rawValue: "MISSING_MFA_PENDING_CREDENTIAL")
    public static let missingNewEmail = ErrorWord(rawValue: "MISSING_NEW_EMAIL")
    public static let missingOOBCode = ErrorWord(rawValue: "MISSING_OOB_CODE")
    public static let missingPassword = ErrorWord(rawValue: "MISSING_PASSWORD")
    public static let missingPhoneNumber = ErrorWord(rawValue: "MISSING_PHONE_NUMBER")
    public static let missingRefreshToken = ErrorWord(rawValue: "MISSING_REFRESH_TOKEN")
    public static let missingReqType = ErrorWord(rawValue: "MISSING_REQ_TYPE")
    public static let missingSessionInfo = ErrorWord(rawValue: "MISSING_SESSION_INFO")
    public static let missingUserAccount = ErrorWord(rawValue: "MISSING_USER_ACCOUNT")
    public static let notDisabled = ErrorWord(rawValue: "NOT_DISABLED")
    public static let notImplemented = ErrorWord(rawValue: "NOT_IMPLEMENTED")
    public static let operationNotAllowed = ErrorWord(rawValue: "OPERATION_NOT_ALLOWED")
    public static let passwordDoesNotMeetRequirements = ErrorWord(rawValue: "PASSWORD_DOES_NOT_MEET_REQUIREMENTS")
    public static let passwordLoginDisabled = ErrorWord(rawValue: "PASSWORD_LOGIN_DISABLED")
    public static let permissionDenied = ErrorWord(rawValue: "PERMISSION_DENIED")
    public static let phoneNumberExists = ErrorWord(rawValue: "PHONE_NUMBER_EXISTS")
    public static let projectNotFound = ErrorWord(rawValue: "PROJECT_NOT_FOUND")
    public static let quotaExceeded = ErrorWord(rawValue: "QUOTA_EXCEEDED")
    public static let secondFactorExists = ErrorWord(rawValue: "SECOND_FACTOR_EXISTS")
    public static let secondFactorLimitExceeded = ErrorWord(rawValue: "SECOND_FACTOR_LIMIT_EXCEEDED")
    public static let sessionExpired = ErrorWord(rawValue: "SESSION_EXPIRED")
    public static let tenantIDMismatch = ErrorWord(rawValue: "TENANT_ID_MISMATCH")
    public static let tenantNotFound = ErrorWord(rawValue: "TENANT_NOT_FOUND")
    public static let tokenExpired = ErrorWord(rawValue: "TOKEN_EXPIRED")
    public static let tooManyAttemptsTryLater = ErrorWord(rawValue: "TOO_MANY_ATTEMPTS_TRY_LATER")
    public static let tooManyEnrollmentAttempts = ErrorWord(rawValue: "TOO_MANY_ENROLLMENT_ATTEMPTS")
    public static let totpChallengeTimeout = ErrorWord(rawValue: "TOTP_CHALLENGE_TIMEOUT")
    public static let unauthorizedDomain = ErrorWord(rawValue: "UNAUTHORIZED_DOMAIN")
    public static let unexpectedParameter = ErrorWord(rawValue: "UNEXPECTED_PARAMETER")
    public static let unsupportedFirstFactor = ErrorWord(rawValue: "UNSUPPORTED_FIRST_FACTOR")
    public static let unsupportedSecondFactor = ErrorWord(rawValue: "UNSUPPORTED_SECOND_FACTOR")
    public static let unsupportedTenantOperation = ErrorWord(rawValue: "UNSUPPORTED_TENANT_OPERATION")
    public static let unverifiedEmail = ErrorWord(rawValue: "UNVERIFIED_EMAIL")
    public static let userDisabled = ErrorWord(rawValue: "USER_DISABLED")
    public static let userNotFound = ErrorWord(rawValue: "USER_NOT_FOUND")
    public static let weakPassword = ErrorWord(rawValue: "WEAK_PASSWORD")
}
