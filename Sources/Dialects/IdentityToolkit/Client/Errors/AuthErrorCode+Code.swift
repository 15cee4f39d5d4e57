extension AuthErrorCode {
    /// The codes, with the original's numbers. Source: Firebase API reference for Swift, `AuthErrorCode`.
    ///
    /// The numbers from 17900 to 17911 are ours: they name what the original reports as ``internalError``.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        case invalidCustomToken = 17000
        case customTokenMismatch = 17002
        case invalidCredential = 17004
        case userDisabled = 17005
        case operationNotAllowed = 17006
        case emailAlreadyInUse = 17007
        case invalidEmail = 17008
        case wrongPassword = 17009
        case tooManyRequests = 17010
        case userNotFound = 17011
        case accountExistsWithDifferentCredential = 17012
        case requiresRecentLogin = 17014
        case providerAlreadyLinked = 17015
        case noSuchProvider = 17016
        case invalidUserToken = 17017
        case networkError = 17020
        case userTokenExpired = 17021
        case invalidAPIKey = 17023
        case userMismatch = 17024
        case credentialAlreadyInUse = 17025
        case weakPassword = 17026
        case appNotAuthorized = 17028
        case expiredActionCode = 17029
        case invalidActionCode = 17030
        case invalidMessagePayload = 17031
        case invalidSender = 17032
        case invalidRecipientEmail = 17033
        case missingEmail = 17034
        case missingIosBundleID = 17036
        case missingAndroidPackageName = 17037
        case unauthorizedDomain = 17038
        case invalidContinueURI = 17039
        case missingContinueURI = 17040
        case missingPhoneNumber = 17041
        case invalidPhoneNumber = 17042
        case missingVerificationCode = 17043
        case invalidVerificationCode = 17044
        case missingVerificationID = 17045
        case invalidVerificationID = 17046
        case missingAppCredential = 17047
        case invalidAppCredential = 17048
        case sessionExpired = 17051
        case quotaExceeded = 17052
        case missingAppToken = 17053
        case notificationNotForwarded = 17054
        case appNotVerified = 17055
        case captchaCheckFailed = 17056
        case webContextAlreadyPresented = 17057
        case webContextCancelled = 17058
        case appVerificationUserInteractionFailure = 17059
        case invalidClientID = 17060
        case webNetworkRequestFailed = 17061
        case webInternalError = 17062
        case webSignInUserInteractionFailure = 17063
        case localPlayerNotAuthenticated = 17066
        case nullUser = 17067
        case dynamicLinkNotActivated = 17068
        case invalidProviderID = 17071
        case tenantIDMismatch = 17072
        case unsupportedTenantOperation = 17073
        case rejectedCredential = 17075
        case gameKitNotLinked = 17076
        case secondFactorRequired = 17078
        case missingMultiFactorSession = 17081
        case missingMultiFactorInfo = 17082
        case invalidMultiFactorSession = 17083
        case multiFactorInfoNotFound = 17084
        case adminRestrictedOperation = 17085
        case unverifiedEmail = 17086
        case secondFactorAlreadyEnrolled = 17087
        case maximumSecondFactorCountExceeded = 17088
        case unsupportedFirstFactor = 17089
        case emailChangeNeedsVerification = 17090
        case missingClientIdentifier = 17093
        case missingOrInvalidNonce = 17094
        case blockingCloudFunctionError = 17105
        case recaptchaNotEnabled = 17200
        case missingRecaptchaToken = 17201
        case invalidRecaptchaToken = 17202
        case invalidRecaptchaAction = 17203
        case missingClientType = 17204
        case missingRecaptchaVersion = 17205
        case invalidRecaptchaVersion = 17206
        case invalidReqType = 17207
        case recaptchaSDKNotLinked = 17208
        case recaptchaSiteKeyMissing = 17209
        case recaptchaActionCreationFailed = 17210
        case passwordDoesNotMeetRequirements = 17211
        /// `PASSKEY_ENROLLMENT_NOT_FOUND`, `PASSKEY_CREDENTIAL_NOT_FOUND`: the server does not know the passkey.
        case missingPasskeyEnrollment = 17212
        case invalidHostingLinkDomain = 17214

        /// `TOTP_CHALLENGE_TIMEOUT`: the pending sign-in is older than the server allows (about five minutes). Begin
        /// at the first factor.
        case totpChallengeTimeout = 17900
        /// `TOO_MANY_ENROLLMENT_ATTEMPTS`: the enrolment's session is used up. Generate a new secret.
        case tooManyEnrollmentAttempts = 17901
        /// `MISSING_DISPLAY_NAME`: `enroll` was called without a display name, which servers refuse.
        case missingDisplayName = 17902
        /// `INVALID_MFA_ENROLLMENT_ID`: the factor chosen at sign-in is unknown, someone else's or withdrawn.
        case invalidMultiFactorEnrollmentID = 17903
        /// `MFA_ENROLLMENT_ALREADY_COMPLETE`: the same secret was confirmed twice.
        case multiFactorEnrollmentAlreadyComplete = 17904
        /// `MISSING_PASSWORD`.
        case missingPassword = 17905
        /// `UNSUPPORTED_SECOND_FACTOR`, and hints of a kind that this module cannot answer.
        case unsupportedSecondFactor = 17906
        /// “Request contains an invalid argument.”, and arguments that this module refuses itself.
        case invalidArgument = 17907
        /// HTTP 502, 503 or 504. ``AuthErrorUserInfoRetryAfterKey`` holds the seconds to wait, where the server named
        /// them.
        case serverUnavailable = 17908
        /// The answer is no JSON, has wrong types, lacks what it must have, or is too long.
        case malformedResponse = 17909
        /// The server's URL is `http` and its host is not this machine. Use TLS, or `useEmulator` in development.
        case insecureConnectionRefused = 17910
        /// Neither the app nor the environment said where the server is, or what they said is no URL.
        case serverNotConfigured = 17911
        /// `INVALID_AUTHENTICATOR_RESPONSE`: what a passkey answered is not right, came too late or came before. Begin again.
        case invalidAuthenticatorResponse = 17912

        case keychainError = 17995
        case internalError = 17999
        case malformedJWT = 18000
    }
}

extension AuthErrorCode.Code {
    /// What happened, for people. An app shows its own sentence.
    var sentence: String {
        switch self {
        case .invalidCustomToken: "The custom token is malformed or its signature does not hold."
        case .customTokenMismatch: "The custom token belongs to another project."
        case .invalidCredential: "The credential is wrong, malformed or has expired."
        case .userDisabled: "An administrator has disabled this account."
        case .operationNotAllowed: "This way of signing in is switched off in the project."
        case .emailAlreadyInUse: "Another account has this address already."
        case .invalidEmail: "The address is not well formed."
        case .wrongPassword: "The password is wrong or empty."
        case .tooManyRequests: "There were too many attempts; wait before the next one."
        case .userNotFound: "There is no such account; it may have been deleted."
        case .accountExistsWithDifferentCredential: "An account with this address exists and signs in another way."
        case .requiresRecentLogin: "This needs a recent sign-in: reauthenticate the user and try again."
        case .providerAlreadyLinked: "The account has an identity of this provider already."
        case .noSuchProvider: "The account has no identity of this provider."
        case .invalidUserToken: "The user's token is no longer accepted; sign in again."
        case .networkError: "The server could not be reached."
        case .userTokenExpired: "The user's session has ended; sign in again."
        case .invalidAPIKey: "The server does not know this API key."
        case .userMismatch: "The credential belongs to another account than the signed-in one."
        case .credentialAlreadyInUse: "The credential belongs to another account already."
        case .weakPassword: "The password is too weak."
        case .appNotAuthorized: "This app may not use the API key."
        case .expiredActionCode: "The code of the link has expired."
        case .invalidActionCode: "The code of the link is malformed or was used already."
        case .invalidMessagePayload: "The mail's template is not valid."
        case .invalidSender: "The mail's sender is not valid."
        case .invalidRecipientEmail: "The recipient's address is not valid."
        case .missingEmail: "An address is needed."
        case .missingIosBundleID: "An iOS bundle id is needed."
        case .missingAndroidPackageName: "An Android package name is needed."
        case .unauthorizedDomain: "The project does not allow the domain of the continue URL."
        case .invalidContinueURI: "The continue URL is not well formed."
        case .missingContinueURI: "A continue URL is needed."
        case .missingPhoneNumber: "A phone number is needed."
        case .invalidPhoneNumber: "The phone number is not well formed."
        case .missingVerificationCode: "A verification code is needed."
        case .invalidVerificationCode: "The verification code is wrong, too old or was used already."
        case .missingVerificationID: "A verification id is needed."
        case .invalidVerificationID: "The verification's session is not known."
        case .missingAppCredential: "An app credential is needed."
        case .invalidAppCredential: "The app credential is not valid."
        case .sessionExpired: "The code's time is over; begin again."
        case .quotaExceeded: "The quota for this operation is used up; wait before the next attempt."
        case .missingAppToken: "The app has no push token yet."
        case .notificationNotForwarded: "The app does not hand its push notifications on."
        case .appNotVerified: "The app could not be verified."
        case .captchaCheckFailed: "The captcha's answer is not valid."
        case .webContextAlreadyPresented: "A web page for signing in is shown already."
        case .webContextCancelled: "The user closed the web page for signing in."
        case .appVerificationUserInteractionFailure: "The verification of the app failed."
        case .invalidClientID: "The client id is not valid."
        case .webNetworkRequestFailed: "The web page for signing in could not be reached."
        case .webInternalError: "The web page for signing in failed."
        case .webSignInUserInteractionFailure: "Signing in on the web page failed."
        case .localPlayerNotAuthenticated: "The local player is not signed in."
        case .nullUser: "A user is needed."
        case .dynamicLinkNotActivated: "Dynamic links are not activated."
        case .invalidProviderID: "The provider's id is not valid."
        case .tenantIDMismatch: "The user belongs to another tenant."
        case .unsupportedTenantOperation: "Tenants do not support this."
        case .rejectedCredential: "The credential was rejected."
        case .gameKitNotLinked: "GameKit is not linked."
        case .secondFactorRequired: "A second factor is needed to finish signing in."
        case .missingMultiFactorSession: "The session of the second factor is missing."
        case .missingMultiFactorInfo: "The second factor's id is missing."
        case .invalidMultiFactorSession: "The session of the second factor is not valid; give the first factor again."
        case .multiFactorInfoNotFound: "The account has no such second factor."
        case .adminRestrictedOperation: "Only administrators may do this."
        case .unverifiedEmail: "The address must be verified first."
        case .secondFactorAlreadyEnrolled: "This second factor is enrolled already."
        case .maximumSecondFactorCountExceeded: "The account has as many second factors of this kind as it may have."
        case .unsupportedFirstFactor: "Second factors cannot be added to this way of signing in."
        case .emailChangeNeedsVerification: "The new address must be verified before it replaces the old one."
        case .missingClientIdentifier: "The client's identification is missing."
        case .missingOrInvalidNonce: "The nonce is missing or does not match."
        case .blockingCloudFunctionError: "A function of the project blocked this."
        case .recaptchaNotEnabled: "Captchas are not enabled in the project."
        case .missingRecaptchaToken: "A captcha token is needed."
        case .invalidRecaptchaToken: "The captcha token is not valid."
        case .invalidRecaptchaAction: "The captcha token is for another action."
        case .missingClientType: "The client's type is missing."
        case .missingRecaptchaVersion: "The captcha's version is missing."
        case .invalidRecaptchaVersion: "The captcha's version is not valid."
        case .invalidReqType: "The type of the request is not valid."
        case .recaptchaSDKNotLinked: "The captcha SDK is not linked."
        case .recaptchaSiteKeyMissing: "The captcha's site key is missing."
        case .recaptchaActionCreationFailed: "The captcha's action could not be made."
        case .passwordDoesNotMeetRequirements: "The password does not meet the project's requirements."
        case .missingPasskeyEnrollment: "The server does not know this passkey."
        case .invalidHostingLinkDomain: "The link domain is not one of the project's."
        case .totpChallengeTimeout:
            "Too much time passed between the first factor and the code; give the first factor again."
        case .tooManyEnrollmentAttempts: "Too many wrong codes; begin the enrolment again."
        case .missingDisplayName: "The second factor needs a name."
        case .invalidMultiFactorEnrollmentID: "The account has no second factor with this id."
        case .multiFactorEnrollmentAlreadyComplete: "This enrolment was finished before."
        case .missingPassword: "A password is needed."
        case .unsupportedSecondFactor: "This kind of second factor is not supported here."
        case .invalidArgument: "The request is not valid."
        case .serverUnavailable: "The server is not available at the moment."
        case .malformedResponse: "The server's answer could not be understood."
        case .insecureConnectionRefused: "Plain http is accepted only on this machine."
        case .serverNotConfigured:
            "No server is known: call useServer(_:) or useEmulator(withHost:port:), or set COUNTERSIGN_URL."
        case .invalidAuthenticatorResponse: "The authenticator's answer is not right, or came too late; begin again."
        case .keychainError: "The user could not be written to or removed from the storage."
        case .internalError: "Something went wrong that has no code of its own; see the underlying error."
        case .malformedJWT: "The token is not a well-formed ID token."
        }
    }

    /// The code as a word, `ERROR_SECOND_FACTOR_REQUIRED`: the value under ``AuthErrorUserInfoNameKey``.
    var name: String {
        guard self != .networkError else { return "ERROR_NETWORK_REQUEST_FAILED" }
        var words = "ERROR_"
        var previous: Character = "_"
        for (character, next) in zip("\(self)", "\(self)".dropFirst() + "A") {
            let startsWord = character.isUppercase && (previous.isLowercase || next.isLowercase)
            if startsWord, previous != "_" { words += "_" }
            words += character.uppercased()
            previous = character
        }
        return words
    }
}
