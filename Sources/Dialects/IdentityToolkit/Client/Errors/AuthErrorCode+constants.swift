// The original is an enumeration in one release and a structure in another; with these, code for either names a code
// by `AuthErrorCode.wrongPassword`.
extension AuthErrorCode {
    /// ``Code/invalidCustomToken``, number 17000.
    public static var invalidCustomToken: Code { .invalidCustomToken }
    /// ``Code/customTokenMismatch``, number 17002.
    public static var customTokenMismatch: Code { .customTokenMismatch }
    /// ``Code/invalidCredential``, number 17004.
    public static var invalidCredential: Code { .invalidCredential }
    /// ``Code/userDisabled``, number 17005.
    public static var userDisabled: Code { .userDisabled }
    /// ``Code/operationNotAllowed``, number 17006.
    public static var operationNotAllowed: Code { .operationNotAllowed }
    /// ``Code/emailAlreadyInUse``, number 17007.
    public static var emailAlreadyInUse: Code { .emailAlreadyInUse }
    /// ``Code/invalidEmail``, number 17008.
    public static var invalidEmail: Code { .invalidEmail }
    /// ``Code/wrongPassword``, number 17009.
    public static var wrongPassword: Code { .wrongPassword }
    /// ``Code/tooManyRequests``, number 17010.
    public static var tooManyRequests: Code { .tooManyRequests }
    /// ``Code/userNotFound``, number 17011.
    public static var userNotFound: Code { .userNotFound }
    /// ``Code/accountExistsWithDifferentCredential``, number 17012.
    public static var accountExistsWithDifferentCredential: Code { .accountExistsWithDifferentCredential }
    /// ``Code/requiresRecentLogin``, number 17014.
    public static var requiresRecentLogin: Code { .requiresRecentLogin }
    /// ``Code/providerAlreadyLinked``, number 17015.
    public static var providerAlreadyLinked: Code { .providerAlreadyLinked }
    /// ``Code/noSuchProvider``, number 17016.
    public static var noSuchProvider: Code { .noSuchProvider }
    /// ``Code/invalidUserToken``, number 17017.
    public static var invalidUserToken: Code { .invalidUserToken }
    /// ``Code/networkError``, number 17020.
    public static var networkError: Code { .networkError }
    /// ``Code/userTokenExpired``, number 17021.
    public static var userTokenExpired: Code { .userTokenExpired }
    /// ``Code/invalidAPIKey``, number 17023.
    public static var invalidAPIKey: Code { .invalidAPIKey }
    /// ``Code/userMismatch``, number 17024.
    public static var userMismatch: Code { .userMismatch }
    /// ``Code/credentialAlreadyInUse``, number 17025.
    public static var credentialAlreadyInUse: Code { .credentialAlreadyInUse }
    /// ``Code/weakPassword``, number 17026.
    public static var weakPassword: Code { .weakPassword }
    /// ``Code/appNotAuthorized``, number 17028.
    public static var appNotAuthorized: Code { .appNotAuthorized }
    /// ``Code/expiredActionCode``, number 17029.
    public static var expiredActionCode: Code { .expiredActionCode }
    /// ``Code/invalidActionCode``, number 17030.
    public static var invalidActionCode: Code { .invalidActionCode }
    /// ``Code/invalidMessagePayload``, number 17031.
    public static var invalidMessagePayload: Code { .invalidMessagePayload }
    /// ``Code/invalidSender``, number 17032.
    public static var invalidSender: Code { .invalidSender }
    /// ``Code/invalidRecipientEmail``, number 17033.
    public static var invalidRecipientEmail: Code { .invalidRecipientEmail }
    /// ``Code/missingEmail``, number 17034.
    public static var missingEmail: Code { .missingEmail }
    /// ``Code/missingIosBundleID``, number 17036.
    public static var missingIosBundleID: Code { .missingIosBundleID }
    /// ``Code/missingAndroidPackageName``, number 17037.
    public static var missingAndroidPackageName: Code { .missingAndroidPackageName }
    /// ``Code/unauthorizedDomain``, number 17038.
    public static var unauthorizedDomain: Code { .unauthorizedDomain }
    /// ``Code/invalidContinueURI``, number 17039.
    public static var invalidContinueURI: Code { .invalidContinueURI }
    /// ``Code/missingContinueURI``, number 17040.
    public static var missingContinueURI: Code { .missingContinueURI }
    /// ``Code/missingPhoneNumber``, number 17041.
    public static var missingPhoneNumber: Code { .missingPhoneNumber }
    /// ``Code/invalidPhoneNumber``, number 17042.
    public static var invalidPhoneNumber: Code { .invalidPhoneNumber }
    /// ``Code/missingVerificationCode``, number 17043.
    public static var missingVerificationCode: Code { .missingVerificationCode }
    /// ``Code/invalidVerificationCode``, number 17044.
    public static var invalidVerificationCode: Code { .invalidVerificationCode }
    /// ``Code/missingVerificationID``, number 17045.
    public static var missingVerificationID: Code { .missingVerificationID }
    /// ``Code/invalidVerificationID``, number 17046.
    public static var invalidVerificationID: Code { .invalidVerificationID }
    /// ``Code/missingAppCredential``, number 17047.
    public static var missingAppCredential: Code { .missingAppCredential }
    /// ``Code/invalidAppCredential``, number 17048.
    public static var invalidAppCredential: Code { .invalidAppCredential }
    /// ``Code/sessionExpired``, number 17051.
    public static var sessionExpired: Code { .sessionExpired }
    /// ``Code/quotaExceeded``, number 17052.
    public static var quotaExceeded: Code { .quotaExceeded }
    /// ``Code/missingAppToken``, number 17053.
    public static var missingAppToken: Code { .missingAppToken }
    /// ``Code/notificationNotForwarded``, number 17054.
    public static var notificationNotForwarded: Code { .notificationNotForwarded }
    /// ``Code/appNotVerified``, number 17055.
    public static var appNotVerified: Code { .appNotVerified }
    /// ``Code/captchaCheckFailed``, number 17056.
    public static var captchaCheckFailed: Code { .captchaCheckFailed }
    /// ``Code/webContextAlreadyPresented``, number 17057.
    public static var webContextAlreadyPresented: Code { .webContextAlreadyPresented }
    /// ``Code/webContextCancelled``, number 17058.
    public static var webContextCancelled: Code { .webContextCancelled }
    /// ``Code/appVerificationUserInteractionFailure``, number 17059.
    public static var appVerificationUserInteractionFailure: Code { .appVerificationUserInteractionFailure }
    /// ``Code/invalidClientID``, number 17060.
    public static var invalidClientID: Code { .invalidClientID }
    /// ``Code/webNetworkRequestFailed``, number 17061.
    public static var webNetworkRequestFailed: Code { .webNetworkRequestFailed }
    /// ``Code/webInternalError``, number 17062.
    public static var webInternalError: Code { .webInternalError }
    /// ``Code/webSignInUserInteractionFailure``, number 17063.
    public static var webSignInUserInteractionFailure: Code { .webSignInUserInteractionFailure }
    /// ``Code/localPlayerNotAuthenticated``, number 17066.
    public static var localPlayerNotAuthenticated: Code { .localPlayerNotAuthenticated }
    /// ``Code/nullUser``, number 17067.
    public static var nullUser: Code { .nullUser }
    /// ``Code/dynamicLinkNotActivated``, number 17068.
    public static var dynamicLinkNotActivated: Code { .dynamicLinkNotActivated }
    /// ``Code/invalidProviderID``, number 17071.
    public static var invalidProviderID: Code { .invalidProviderID }
    /// ``Code/tenantIDMismatch``, number 17072.
    public static var tenantIDMismatch: Code { .tenantIDMismatch }
    /// ``Code/unsupportedTenantOperation``, number 17073.
    public static var unsupportedTenantOperation: Code { .unsupportedTenantOperation }
    /// ``Code/rejectedCredential``, number 17075.
    public static var rejectedCredential: Code { .rejectedCredential }
    /// ``Code/gameKitNotLinked``, number 17076.
    public static var gameKitNotLinked: Code { .gameKitNotLinked }
    /// ``Code/secondFactorRequired``, number 17078.
    public static var secondFactorRequired: Code { .secondFactorRequired }
    /// ``Code/missingMultiFactorSession``, number 17081.
    public static var missingMultiFactorSession: Code { .missingMultiFactorSession }
    /// ``Code/missingMultiFactorInfo``, number 17082.
    public static var missingMultiFactorInfo: Code { .missingMultiFactorInfo }
    /// ``Code/invalidMultiFactorSession``, number 17083.
    public static var invalidMultiFactorSession: Code { .invalidMultiFactorSession }
    /// ``Code/multiFactorInfoNotFound``, number 17084.
    public static var multiFactorInfoNotFound: Code { .multiFactorInfoNotFound }
    /// ``Code/adminRestrictedOperation``, number 17085.
    public static var adminRestrictedOperation: Code { .adminRestrictedOperation }
    /// ``Code/unverifiedEmail``, number 17086.
    public static var unverifiedEmail: Code { .unverifiedEmail }
    /// ``Code/secondFactorAlreadyEnrolled``, number 17087.
    public static var secondFactorAlreadyEnrolled: Code { .secondFactorAlreadyEnrolled }
    /// ``Code/maximumSecondFactorCountExceeded``, number 17088.
    public static var maximumSecondFactorCountExceeded: Code { .maximumSecondFactorCountExceeded }
    /// ``Code/unsupportedFirstFactor``, number 17089.
    public static var unsupportedFirstFactor: Code { .unsupportedFirstFactor }
    /// ``Code/emailChangeNeedsVerification``, number 17090.
    public static var emailChangeNeedsVerification: Code { .emailChangeNeedsVerification }
    /// ``Code/missingClientIdentifier``, number 17093.
    public static var missingClientIdentifier: Code { .missingClientIdentifier }
    /// ``Code/missingOrInvalidNonce``, number 17094.
    public static var missingOrInvalidNonce: Code { .missingOrInvalidNonce }
    /// ``Code/blockingCloudFunctionError``, number 17105.
    public static var blockingCloudFunctionError: Code { .blockingCloudFunctionError }
    /// ``Code/recaptchaNotEnabled``, number 17200.
    public static var recaptchaNotEnabled: Code { .recaptchaNotEnabled }
    /// ``Code/missingRecaptchaToken``, number 17201.
    public static var missingRecaptchaToken: Code { .missingRecaptchaToken }
    /// ``Code/invalidRecaptchaToken``, number 17202.
    public static var invalidRecaptchaToken: Code { .invalidRecaptchaToken }
    /// ``Code/invalidRecaptchaAction``, number 17203.
    public static var invalidRecaptchaAction: Code { .invalidRecaptchaAction }
    /// ``Code/missingClientType``, number 17204.
    public static var missingClientType: Code { .missingClientType }
    /// ``Code/missingRecaptchaVersion``, number 17205.
    public static var missingRecaptchaVersion: Code { .missingRecaptchaVersion }
    /// ``Code/invalidRecaptchaVersion``, number 17206.
    public static var invalidRecaptchaVersion: Code { .invalidRecaptchaVersion }
    /// ``Code/invalidReqType``, number 17207.
    public static var invalidReqType: Code { .invalidReqType }
    /// ``Code/recaptchaSDKNotLinked``, number 17208.
    public static var recaptchaSDKNotLinked: Code { .recaptchaSDKNotLinked }
    /// ``Code/recaptchaSiteKeyMissing``, number 17209.
    public static var recaptchaSiteKeyMissing: Code { .recaptchaSiteKeyMissing }
    /// ``Code/recaptchaActionCreationFailed``, number 17210.
    public static var recaptchaActionCreationFailed: Code { .recaptchaActionCreationFailed }
    /// ``Code/passwordDoesNotMeetRequirements``, number 17211.
    public static var passwordDoesNotMeetRequirements: Code { .passwordDoesNotMeetRequirements }
    /// ``Code/missingPasskeyEnrollment``, number 17212.
    public static var missingPasskeyEnrollment: Code { .missingPasskeyEnrollment }
    /// ``Code/invalidHostingLinkDomain``, number 17214.
    public static var invalidHostingLinkDomain: Code { .invalidHostingLinkDomain }
    /// ``Code/totpChallengeTimeout``, number 17900.
    public static var totpChallengeTimeout: Code { .totpChallengeTimeout }
    /// ``Code/tooManyEnrollmentAttempts``, number 17901.
    public static var tooManyEnrollmentAttempts: Code { .tooManyEnrollmentAttempts }
    /// ``Code/missingDisplayName``, number 17902.
    public static var missingDisplayName: Code { .missingDisplayName }
    /// ``Code/invalidMultiFactorEnrollmentID``, number 17903.
    public static var invalidMultiFactorEnrollmentID: Code { .invalidMultiFactorEnrollmentID }
    /// ``Code/multiFactorEnrollmentAlreadyComplete``, number 17904.
    public static var multiFactorEnrollmentAlreadyComplete: Code { .multiFactorEnrollmentAlreadyComplete }
    /// ``Code/missingPassword``, number 17905.
    public static var missingPassword: Code { .missingPassword }
    /// ``Code/unsupportedSecondFactor``, number 17906.
    public static var unsupportedSecondFactor: Code { .unsupportedSecondFactor }
    /// ``Code/invalidArgument``, number 17907.
    public static var invalidArgument: Code { .invalidArgument }
    /// ``Code/serverUnavailable``, number 17908.
    public static var serverUnavailable: Code { .serverUnavailable }
    /// ``Code/malformedResponse``, number 17909.
    public static var malformedResponse: Code { .malformedResponse }
    /// ``Code/insecureConnectionRefused``, number 17910.
    public static var insecureConnectionRefused: Code { .insecureConnectionRefused }
    /// ``Code/serverNotConfigured``, number 17911.
    public static var serverNotConfigured: Code { .serverNotConfigured }
    /// ``Code/invalidAuthenticatorResponse``, number 17912.
    public static var invalidAuthenticatorResponse: Code { .invalidAuthenticatorResponse }
    /// ``Code/keychainError``, number 17995.
    public static var keychainError: Code { .keychainError }
    /// ``Code/internalError``, number 17999.
    public static var internalError: Code { .internalError }
    /// ``Code/malformedJWT``, number 18000.
    public static var malformedJWT: Code { .malformedJWT }
}
