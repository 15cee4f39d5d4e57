extension AuthErrorCode {
    /// The codes, with the original's numbers. Source: Firebase API reference for Swift, `AuthErrorCode`.
    ///
    /// The numbers from 17900 to 17912 are ours: they name what the original reports as ``internalError``.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// `INVALID_CUSTOM_TOKEN`, `MISSING_CUSTOM_TOKEN`: the custom token is malformed, has expired, or its signature
        /// does not hold.
        case invalidCustomToken = 17000
        /// `CREDENTIAL_MISMATCH`: the custom token is for another project, or of a signer whose key is not registered.
        case customTokenMismatch = 17002
        /// `INVALID_LOGIN_CREDENTIALS`: address or password is wrong; a server that hides addresses does not say which.
        /// Also `INVALID_PENDING_TOKEN`: the sign-in that waits for a second factor is unknown or over.
        case invalidCredential = 17004
        /// `USER_DISABLED`: an administrator has disabled the account. A signed-in user is signed out.
        case userDisabled = 17005
        /// `OPERATION_NOT_ALLOWED`, `PASSWORD_LOGIN_DISABLED`: the server's settings switch this off, or do not have it
        /// at all; and credentials that are of no address.
        case operationNotAllowed = 17006
        /// `EMAIL_EXISTS`: another account has the address.
        case emailAlreadyInUse = 17007
        /// `INVALID_EMAIL`, `INVALID_IDENTIFIER`, `INVALID_NEW_EMAIL`: the text is no address; or the address is not
        /// the one to which a sign-in link was mailed.
        case invalidEmail = 17008
        /// `INVALID_PASSWORD`, from servers that do not hide addresses; and an empty password, at once.
        case wrongPassword = 17009
        /// `TOO_MANY_ATTEMPTS_TRY_LATER`, and any other refusal with HTTP 429. ``AuthErrorUserInfoRetryAfterKey`` holds
        /// the seconds to wait, where the server named them.
        case tooManyRequests = 17010
        /// `USER_NOT_FOUND`, and `EMAIL_NOT_FOUND` from servers that do not hide addresses: there is no such account,
        /// or it has been deleted. A signed-in user is signed out.
        case userNotFound = 17011
        /// Not reported here: the original's for web providers whose address another account has.
        case accountExistsWithDifferentCredential = 17012
        /// `CREDENTIAL_TOO_OLD_LOGIN_AGAIN`: the sign-in is too long ago for this change, or shows too few factors.
        /// Call ``User/reauthenticate(with:)`` and try again.
        case requiresRecentLogin = 17014
        /// ``User/link(with:)``: the account has a password or an address for links already. Nothing was sent.
        case providerAlreadyLinked = 17015
        /// ``User/unlink(fromProvider:)``: the account has no such way of signing in. Nothing was sent.
        case noSuchProvider = 17016
        /// `INVALID_ID_TOKEN`, `MISSING_ID_TOKEN`; and a removed second factor on which the session rested. The user is
        /// signed out.
        case invalidUserToken = 17017
        /// No answer came: no connection, no trust in the certificate, or the time was over. `NSUnderlyingErrorKey` has
        /// the system's error.
        case networkError = 17020
        /// `TOKEN_EXPIRED`: the tokens were revoked or are too old; and refresh tokens that the server does not take,
        /// for which the original has no code. The user is signed out.
        case userTokenExpired = 17021
        /// The server knows no application with this API key, or got none.
        case invalidAPIKey = 17023
        /// ``User/reauthenticate(with:)``: the credential is another account's.
        case userMismatch = 17024
        /// `CREDENTIAL_ALREADY_IN_USE`: another enrolment has the passkey's id.
        case credentialAlreadyInUse = 17025
        /// `WEAK_PASSWORD`: too short, too long, among the commonest, the address itself, or used lately;
        /// `NSLocalizedFailureReasonErrorKey` says which. Empty passwords are refused at once.
        case weakPassword = 17026
        /// Not reported here: the original's for keys that are restricted to other apps.
        case appNotAuthorized = 17028
        /// `EXPIRED_OOB_CODE`: the mailed link's time is over. Ask for another mail.
        case expiredActionCode = 17029
        /// `INVALID_OOB_CODE`, `MISSING_OOB_CODE`: the mailed link's code is unknown, used, or for something else; and
        /// texts that are no link of the kind asked for, at once.
        case invalidActionCode = 17030
        /// Not reported here: the original's for templates of mails that its project has wrong.
        case invalidMessagePayload = 17031
        /// Not reported here: the original's for senders of mails that its project has wrong.
        case invalidSender = 17032
        /// Not reported here: the original's for recipients of mails that its project has wrong.
        case invalidRecipientEmail = 17033
        /// `MISSING_EMAIL`, `MISSING_NEW_EMAIL`, `MISSING_IDENTIFIER`; and empty addresses, at once.
        case missingEmail = 17034
        /// `MISSING_IOS_BUNDLE_ID`, which this server does not send.
        case missingIosBundleID = 17036
        /// `MISSING_ANDROID_PACKAGE_NAME`, which this server does not send.
        case missingAndroidPackageName = 17037
        /// `UNAUTHORIZED_DOMAIN`: ``ActionCodeSettings/url`` leads to a host that the operator has not listed.
        case unauthorizedDomain = 17038
        /// `INVALID_CONTINUE_URI`: ``ActionCodeSettings/url`` is not absolute, or has no host.
        case invalidContinueURI = 17039
        /// `MISSING_CONTINUE_URI`; and a sign-in link without ``ActionCodeSettings/url``, at once.
        case missingContinueURI = 17040
        /// `MISSING_PHONE_NUMBER`, which this server does not send: it has no sign-in by phone.
        case missingPhoneNumber = 17041
        /// `INVALID_PHONE_NUMBER`. No call of this module sends a number.
        case invalidPhoneNumber = 17042
        /// `MISSING_CODE`, which this server does not send: an empty code is ``invalidArgument``.
        case missingVerificationCode = 17043
        /// `INVALID_CODE`: the authenticator's code is wrong, too old, or was used already. It may be tried again.
        case invalidVerificationCode = 17044
        /// `MISSING_SESSION_INFO`, which this server does not send.
        case missingVerificationID = 17045
        /// `INVALID_SESSION_INFO`: the enrolment's session is not known. Generate a new secret.
        case invalidVerificationID = 17046
        /// Not reported here: the original's for phone numbers, whose codes it sends to verified apps alone.
        case missingAppCredential = 17047
        /// Not reported here: the original's for phone numbers, whose codes it sends to verified apps alone.
        case invalidAppCredential = 17048
        /// `SESSION_EXPIRED`: the enrolment's time is over. Generate a new secret.
        case sessionExpired = 17051
        /// `QUOTA_EXCEEDED`: too many wrong codes of the second factor. This server does not say how long to wait.
        case quotaExceeded = 17052
        /// Not reported here: the original's for apps without a push token, which it needs for phone numbers.
        case missingAppToken = 17053
        /// Not reported here: the original's for apps that keep its silent pushes to themselves.
        case notificationNotForwarded = 17054
        /// Not reported here: the original's for apps that could not be verified before a code is sent to a phone.
        case appNotVerified = 17055
        /// Not reported here: the original's for a wrong answer to its captcha.
        case captchaCheckFailed = 17056
        /// Not reported here: the original's for a second web page at the same time. This module shows none.
        case webContextAlreadyPresented = 17057
        /// Not reported here: the original's for a web page that the user closed. This module shows none.
        case webContextCancelled = 17058
        /// Not reported here: the original's for an app's verification on a web page that failed.
        case appVerificationUserInteractionFailure = 17059
        /// Not reported here: the original's for a wrong OAuth client id of the app.
        case invalidClientID = 17060
        /// Not reported here: the original's for a web page that could not be loaded. This module shows none.
        case webNetworkRequestFailed = 17061
        /// Not reported here: the original's for a web page that failed. This module shows none.
        case webInternalError = 17062
        /// Not reported here: the original's for a sign-in on a web page that failed. This module shows none.
        case webSignInUserInteractionFailure = 17063
        /// Not reported here: the original's for players of Game Center.
        case localPlayerNotAuthenticated = 17066
        /// ``Auth/updateCurrentUser(_:completion:)`` was called without a user.
        case nullUser = 17067
        /// Not reported here: the original's for a service that makes links to apps, and that the vendor has ended.
        case dynamicLinkNotActivated = 17068
        /// `INVALID_PROVIDER_ID`, which this server does not send to apps.
        case invalidProviderID = 17071
        /// ``Auth/updateCurrentUser(_:)``: the user is of another tenant than ``Auth/tenantID``.
        case tenantIDMismatch = 17072
        /// `UNSUPPORTED_TENANT_OPERATION`, which this server does not send: its tenants share all users.
        case unsupportedTenantOperation = 17073
        /// Not reported here: the original's for credentials of web providers that were malformed or misused.
        case rejectedCredential = 17075
        /// Not reported here: the original's for apps that do not link GameKit.
        case gameKitNotLinked = 17076
        /// The first factor was right, and the account asks for a second: ``AuthErrorUserInfoMultiFactorResolverKey``
        /// holds the ``MultiFactorResolver`` that goes on. No user is signed in yet.
        case secondFactorRequired = 17078
        /// `MISSING_MFA_PENDING_CREDENTIAL`, which this server does not send.
        case missingMultiFactorSession = 17081
        /// `MISSING_MFA_ENROLLMENT_ID`, which this server does not send: an empty id is ``invalidArgument``.
        case missingMultiFactorInfo = 17082
        /// `INVALID_MFA_PENDING_CREDENTIAL`, as other servers call what is ``invalidCredential`` from this one. Give
        /// the first factor again.
        case invalidMultiFactorSession = 17083
        /// `MFA_ENROLLMENT_NOT_FOUND`: ``MultiFactor/unenroll(withFactorUID:)`` named a factor that the account does
        /// not have.
        case multiFactorInfoNotFound = 17084
        /// `ADMIN_ONLY_OPERATION`: only administrators may do this, for instance make accounts where sign-up is closed,
        /// or delete them.
        case adminRestrictedOperation = 17085
        /// `UNVERIFIED_EMAIL`: a second factor or passkey needs an account with a verified address.
        case unverifiedEmail = 17086
        /// `SECOND_FACTOR_EXISTS`, which this server does not send.
        case secondFactorAlreadyEnrolled = 17087
        /// `SECOND_FACTOR_LIMIT_EXCEEDED`: the account has as many authenticators, or passkeys, as it may have.
        case maximumSecondFactorCountExceeded = 17088
        /// `UNSUPPORTED_FIRST_FACTOR`: the session began in a way, for instance anonymously, to which no second factor
        /// or passkey can be added.
        case unsupportedFirstFactor = 17089
        /// `EMAIL_CHANGE_NEEDS_VERIFICATION`: an account with second factors has a verified address always. Use
        /// ``User/sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:)``.
        case emailChangeNeedsVerification = 17090
        /// Not reported here: the original's for calls about phones without a token of the app.
        case missingClientIdentifier = 17093
        /// Not reported here: the original's for ID tokens of web providers.
        case missingOrInvalidNonce = 17094
        /// Not reported here: the original's for its blocking functions, which this server does not have.
        case blockingCloudFunctionError = 17105
        /// Not reported here: the original's for reCAPTCHA, which neither this module nor the server uses.
        case recaptchaNotEnabled = 17200
        /// Not reported here: the original's for reCAPTCHA, which neither this module nor the server uses.
        case missingRecaptchaToken = 17201
        /// Not reported here: the original's for reCAPTCHA, which neither this module nor the server uses.
        case invalidRecaptchaToken = 17202
        /// Not reported here: the original's for reCAPTCHA, which neither this module nor the server uses.
        case invalidRecaptchaAction = 17203
        /// Not reported here: the original's for requests that do not say which kind of client they come from.
        case missingClientType = 17204
        /// Not reported here: the original's for reCAPTCHA, which neither this module nor the server uses.
        case missingRecaptchaVersion = 17205
        /// Not reported here: the original's for reCAPTCHA, which neither this module nor the server uses.
        case invalidRecaptchaVersion = 17206
        /// `INVALID_REQ_TYPE`, `MISSING_REQ_TYPE`: a mail of a kind that is not sent on request. No call of this module
        /// asks for one.
        case invalidReqType = 17207
        /// Not reported here: the original's for reCAPTCHA, which neither this module nor the server uses.
        case recaptchaSDKNotLinked = 17208
        /// Not reported here: the original's for reCAPTCHA, which neither this module nor the server uses.
        case recaptchaSiteKeyMissing = 17209
        /// Not reported here: the original's for reCAPTCHA, which neither this module nor the server uses.
        case recaptchaActionCreationFailed = 17210
        /// `PASSWORD_DOES_NOT_MEET_REQUIREMENTS`: the password lacks kinds of characters;
        /// `NSLocalizedFailureReasonErrorKey` says which.
        case passwordDoesNotMeetRequirements = 17211
        /// `PASSKEY_ENROLLMENT_NOT_FOUND`, `PASSKEY_CREDENTIAL_NOT_FOUND`: the server does not know the passkey.
        case missingPasskeyEnrollment = 17212
        /// The original's for a ``ActionCodeSettings/linkDomain`` that is not the project's. This server refuses one
        /// that is not its own with `INVALID_HOSTING_LINK_DOMAIN`.
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

        /// The signed-in user could not be written to or removed from the storage, and nothing has changed.
        /// `NSUnderlyingErrorKey` has the storage's error.
        case keychainError = 17995
        /// A refusal that has no code of its own. `NSUnderlyingErrorKey` has an error whose `userInfo` holds the HTTP
        /// status under `HTTPStatus`, and the answer under ``AuthErrorUserInfoDeserializedResponseKey``.
        case internalError = 17999
        /// The ID token is no JWT, or lacks a claim that ``AuthTokenResult`` reads.
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
