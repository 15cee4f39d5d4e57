import CountersignCore
import Foundation
import IdentityToolkitWire
import ServerHTTP

/// What this dialect answers when something is refused. The only place where its error words are put together.
struct IdentityToolkitError: Error, Sendable {
    let httpStatus: Int
    let message: String
    /// gRPC's name of the status, for the envelope of version 2.
    let status: String
    var details: [ErrorDetail]?
    /// Seconds for the header `Retry-After`.
    var retryAfter: Int?

    init(
        _ httpStatus: Int = 400, message: String, status: String = "INVALID_ARGUMENT", details: [ErrorDetail]? = nil,
        retryAfter: Int? = nil
    ) {
        self.httpStatus = httpStatus
        self.message = message
        self.status = status
        self.details = details
        self.retryAfter = retryAfter
    }

    /// A word of the protocol, and a sentence about it.
    init(_ word: ErrorWord, _ sentence: String? = nil) {
        self.init(message: word.message(sentence))
    }

    /// The two forms of the envelope (AIP-193, and the older one of Google's APIs).
    enum Form: Sendable {
        /// With `errors`: versions 1 and 3.
        case errors
        /// With `status`: version 2, the administrator's endpoints, the token service.
        case status
    }

    func envelope(_ form: Form) -> ErrorEnvelope {
        switch form {
        case .errors:
            ErrorEnvelope(
                error: ErrorBody(
                    code: httpStatus, message: message,
                    errors: [ErrorItem(message: message, reason: httpStatus == 403 ? "forbidden" : "invalid")],
                    status: httpStatus == 400 ? nil : status, details: details))
        case .status:
            ErrorEnvelope(error: ErrorBody(code: httpStatus, message: message, status: status, details: details))
        }
    }
}

// MARK: What is wrong with a request

extension IdentityToolkitError {
    static let invalidArgument = IdentityToolkitError(message: "Request contains an invalid argument.")

    static let missingAPIKey = IdentityToolkitError(
        403, message: "The request is missing a valid API key.", status: "PERMISSION_DENIED")

    static let unknownAPIKey = IdentityToolkitError(
        message: "API key not valid. Please pass a valid API key.",
        details: [ErrorDetail(type: "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID")])

    static let missingCredentials = IdentityToolkitError(
        401,
        message: "Request is missing required authentication credential. Expected an administrator's bearer token.",
        status: "UNAUTHENTICATED")

    static let wrongCredentials = IdentityToolkitError(
        403, message: "The caller does not have permission", status: "PERMISSION_DENIED")

    static let providerNotEnabled = IdentityToolkitError(
        .operationNotAllowed, "The identity provider configuration is not found.")

    static let notFound = IdentityToolkitError(
        404, message: "There is no such method here.", status: "NOT_FOUND")

    static let wrongMethod = IdentityToolkitError(
        405, message: "This method does not take that HTTP verb.", status: "INVALID_ARGUMENT")

    static let `internal` = IdentityToolkitError(500, message: "Internal error encountered.", status: "INTERNAL")

    static func overloaded(retryAfter: Int) -> IdentityToolkitError {
        IdentityToolkitError(
            503, message: "The service is currently unavailable.", status: "UNAVAILABLE", retryAfter: retryAfter)
    }

    /// A value that is none of an enumeration (google.rpc.BadRequest).
    static func invalidValue(_ field: String, type: String, value: String) -> IdentityToolkitError {
        invalidValue(field, type: type, json: "\"\(value.prefix(RequestBodyFault.longestExcerpt))\"")
    }

    /// A value of another type, as it was sent.
    static func invalidValue(_ field: String, type: String, json: String) -> IdentityToolkitError {
        let sentence = "Invalid value at '\(field)' (\(type)), \(json)"
        return IdentityToolkitError(
            message: sentence,
            details: [
                ErrorDetail(
                    type: "type.googleapis.com/google.rpc.BadRequest",
                    fieldViolations: [FieldViolation(field: field, description: sentence)])
            ])
    }
}

// MARK: What the core refused

extension IdentityToolkitError {
    /// A password or link that does not sign in.
    init(signIn refusal: Refusal, hidesAddresses: Bool) {
        switch refusal.reason {
        case .unknownUser where !hidesAddresses: self.init(.emailNotFound)
        case .wrongAnswer where !hidesAddresses: self.init(.invalidPassword)
        case .wrongAnswer, .unknownUser: self.init(.invalidLoginCredentials)
        case .secondFactorRequired:
            self.init(.operationNotAllowed, "A second factor is required and none is enrolled.")
        default: self.init(common: refusal)
        }
    }

    /// A code of a second factor at sign-in (Identity Platform documentation, "Enabling TOTP MFA for your app").
    init(secondFactor refusal: Refusal) {
        switch refusal.reason {
        case .unknownFlow, .flowFinished, .unexpectedAnswer: self.init(.invalidPendingToken)
        case .flowExpired: self.init(.totpChallengeTimeout, "TOTP challenge timeout, provide first factor again.")
        case .unknownFactor: self.init(.invalidMFAEnrollmentID)
        case .factorNotOffered: self.init(.operationNotAllowed, "TOTP based MFA not enabled.")
        case .wrongAnswer, .replayed: self.init(.invalidCode)
        case .lockedOut, .authenticatorDisabled, .flowExhausted, .sourceLimited:
            self.init(.quotaExceeded, "Exceeded quota.")
        default: self.init(common: refusal)
        }
        retryAfter = nil
    }

    /// A code that was to finish an enrolment.
    init(enrolment refusal: Refusal) {
        switch refusal.reason {
        case .unknownFlow, .unexpectedAnswer: self.init(.invalidSessionInfo)
        case .flowExpired: self.init(.sessionExpired)
        case .flowFinished:
            self.init(.mfaEnrollmentAlreadyComplete, "This MFA enrollment has already been completed.")
        case .flowExhausted: self.init(.tooManyEnrollmentAttempts, "restart enrollment")
        case .wrongAnswer, .replayed: self.init(.invalidCode)
        case .factorLimitReached: self.init(enrolment: .limitReached)
        case .factorNotOffered: self.init(enrolment: .notOffered)
        default: self.init(common: refusal)
        }
    }

    /// An ID token that does not count.
    init(idToken refusal: TokenRefusal) {
        switch refusal {
        case .userNotFound: self.init(.userNotFound)
        case .revoked, .expired, .sessionEnded: self.init(.tokenExpired)
        case .userDisabled: self.init(.userDisabled)
        default: self.init(.invalidIDToken)
        }
    }

    /// A session that is not enough for what its user asks.
    init(ownSession fault: OwnSession.Fault) {
        switch fault {
        case .revoked: self.init(.tokenExpired)
        case .signInTooOld, .secondFactorMissing: self.init(.credentialTooOldLoginAgain)
        }
    }

    /// An enrolment that did not begin.
    init(enrolment refusal: Enrolments.EnrolmentRefusal) {
        switch refusal {
        case .userNotFound: self.init(.userNotFound)
        case .notOffered: self.init(.operationNotAllowed, "TOTP based MFA not enabled.")
        case .unverifiedEmail, .noAddress:
            self.init(.unverifiedEmail, "Need to verify email first before enrolling second factors.")
        case .unsupportedFirstFactor:
            self.init(.unsupportedFirstFactor, "MFA is not available for the given first factor.")
        case .signInTooOld: self.init(.credentialTooOldLoginAgain)
        case .revoked: self.init(.tokenExpired)
        case .limitReached:
            self.init(.secondFactorLimitExceeded, "Too many TOTP based second factors enrolled for this account.")
        case .limited:
            self.init(.tooManyAttemptsTryLater, "Too many enrollments were begun for this account. Try again later.")
        }
    }

    /// A passkey that was not made, or does not sign in (firebase-tools, `auth/operations.ts`; firebase-ios-sdk, `AuthErrorCode`).
    init(passkey refusal: Refusal) {
        switch refusal.reason {
        case .unknownFactor: self.init(.passkeyCredentialNotFound)
        case .replayed: self.init(.credentialAlreadyInUse)
        case .unknownFlow, .flowExpired, .flowFinished, .flowExhausted, .unexpectedAnswer:
            self.init(
                .invalidAuthenticatorResponse, "The challenge is unknown, expired, or was answered. Begin again.")
        case .unsuitableAuthenticator:
            self.init(
                .invalidAuthenticatorResponse,
                "The authenticator does not make what is asked for: a passkey that it keeps, with its user verified.")
        case .wrongAnswer: self.init(.invalidAuthenticatorResponse)
        case .factorNotOffered: self.init(passkeyEnrolment: .notOffered)
        case .factorLimitReached: self.init(passkeyEnrolment: .limitReached)
        case .secondFactorRequired:
            self.init(.operationNotAllowed, "A second factor is required and none is enrolled.")
        default: self.init(common: refusal)
        }
    }

    /// A passkey that does not sign in: a question that was answered before is not a credential of another user.
    init(passkeySignIn refusal: Refusal) {
        self.init(passkey: refusal.reason == .replayed ? Refusal(.flowFinished) : refusal)
    }

    /// A passkey that is not to be made.
    init(passkeyEnrolment refusal: Enrolments.EnrolmentRefusal) {
        switch refusal {
        case .notOffered: self.init(.operationNotAllowed, "Passkeys are not enabled.")
        case .limitReached:
            self.init(.secondFactorLimitExceeded, "Too many passkeys are enrolled for this account.")
        case .unverifiedEmail: self.init(.unverifiedEmail, "Need to verify email first before enrolling a passkey.")
        case .unsupportedFirstFactor:
            self.init(.unsupportedFirstFactor, "Passkeys are not available for the given first factor.")
        default: self.init(enrolment: refusal)
        }
    }

    /// A code of a mailed link.
    init(link refusal: Refusal) {
        switch refusal.reason {
        case .unknownFlow, .flowFinished, .unexpectedAnswer, .flowExhausted: self.init(.invalidOOBCode)
        case .flowExpired: self.init(.expiredOOBCode)
        case .wrongAnswer: self.init(.invalidEmail, "The email provided does not match the sign-in email address.")
        case .signInTooOld: self.init(.credentialTooOldLoginAgain)
        default: self.init(common: refusal)
        }
    }

    init(customToken refusal: Refusal) {
        switch refusal.reason {
        case .malformedCredential: self.init(.invalidCustomToken, "The custom token format is incorrect.")
        case .foreignCredential:
            self.init(
                .credentialMismatch, "The custom token was made for another project, or with an unregistered key.")
        case .flowExpired: self.init(.invalidCustomToken, "The custom token has expired.")
        case .missingIdentifier: self.init(.missingIdentifier)
        case .malformedClaims: self.init(.invalidClaims)
        case .reservedClaim: self.init(.forbiddenClaim, refusal.claim)
        case .claimsTooLarge: self.init(.claimsTooLarge)
        default: self.init(common: refusal)
        }
    }

    /// A mail that is not sent.
    init(mail refusal: Refusal) {
        switch refusal.reason {
        case .userNotFound: self.init(.emailNotFound)
        case .unexpectedAnswer: self.init(.missingEmail)
        case .addressTaken: self.init(.emailExists)
        case .signInTooOld: self.init(.credentialTooOldLoginAgain)
        case .flowExpired: self.init(.tokenExpired)
        default: self.init(common: refusal)
        }
    }

    /// Why the last owner of the realm is neither disabled nor removed.
    static let lastOwner = "The user is the last owner of the realm. Give another user the role first."

    init(account refusal: AccountRefusal) {
        switch refusal {
        case .addressTaken: self.init(.emailExists)
        case .idTaken: self.init(.duplicateLocalID)
        case .phoneNumberTaken: self.init(.phoneNumberExists)
        case .lastOwner: self.init(.operationNotAllowed, Self.lastOwner)
        case .unknownFactor: self.init(.invalidMFAEnrollmentID)
        case .weakPassword(let fault): self.init(weakPassword: fault)
        case .signUpClosed, .anonymousNotAllowed: self.init(.adminOnlyOperation)
        case .limited:
            self.init(.tooManyAttemptsTryLater, "Too many accounts were made from here. Try again later.")
        case .newPasswordsLimited:
            self.init(.tooManyAttemptsTryLater, "Too many new passwords were tried. Try again later.")
        case .userNotFound: self.init(.userNotFound)
        case .revoked: self.init(.tokenExpired)
        case .signInTooOld: self.init(.credentialTooOldLoginAgain)
        case .busy: self = .overloaded(retryAfter: 1)
        }
    }

    /// A second factor that an administrator cannot add.
    init(newFactor enrollment: MFAEnrollment) {
        if enrollment.totpInfo != nil {
            self.init(.unsupportedSecondFactor, "attempting to add a new TOTP enrollment")
        } else if enrollment.phoneInfo != nil {
            self.init(.operationNotAllowed, "SMS based MFA not enabled.")
        } else {
            self.init(.invalidMFAEnrollmentID)
        }
    }

    init(weakPassword fault: PasswordPolicyFault) {
        switch fault {
        case .tooShort(let minimum):
            self.init(.weakPassword, "Password should be at least \(minimum) characters")
        case .tooLong(let maximum):
            self.init(.weakPassword, "Password should be at most \(maximum) characters")
        case .lacks(let kinds):
            let sentences = kinds.map { "Password must contain \($0.oneOfThem)" }.joined(separator: ", ")
            self.init(.passwordDoesNotMeetRequirements, "Missing password requirements: [\(sentences)]")
        case .common:
            self.init(.weakPassword, "Password is one of the commonest and would soon be guessed")
        case .containsAddress:
            self.init(.weakPassword, "Password should not be the email address")
        case .recentlyUsed:
            self.init(.weakPassword, "Password should not be one that the account has or had lately")
        }
    }

    /// What means the same everywhere.
    private init(common refusal: Refusal) {
        switch refusal.reason {
        case .userDisabled: self.init(.userDisabled)
        case .userNotFound, .unknownUser: self.init(.userNotFound)
        case .lockedOut, .sourceLimited, .authenticatorDisabled, .flowExhausted:
            self.init(
                .tooManyAttemptsTryLater,
                "Access to this account has been temporarily disabled due to many failed login attempts. Try again later."
            )
        case .weakPassword:
            self.init(weakPassword: refusal.passwordFault ?? .common)
        case .addressTaken: self.init(.emailExists)
        case .signUpClosed: self.init(.adminOnlyOperation)
        case .busy: self = .overloaded(retryAfter: 1)
        default: self = .invalidArgument
        }
    }
}

extension CharacterKind {
    /// As production says it.
    fileprivate var oneOfThem: String {
        switch self {
        case .lowercase: "a lower case character"
        case .uppercase: "an upper case character"
        case .digit: "a numeric character"
        case .symbol: "a non-alphanumeric character"
        }
    }
}

// MARK: Rows of an import

extension ImportRefusal {
    /// As production says it of a row, in sentences and not in words.
    var message: String {
        switch self {
        case .idTaken, .different: "localId belongs to an existing account - can not overwrite."
        case .addressTaken: "email exists in other account in database"
        case .phoneNumberTaken: "phone number exists in other account in database"
        case .factorIDTaken: "Enrollment id already exists."
        case .tooManyFactors: "Too many TOTP based second factors for this account."
        case .passwordTooLong: "rawPassword is too long"
        case .lastOwner: IdentityToolkitError.lastOwner
        case .overloaded: "Too many passwords wait to be hashed. Import this account again."
        // Its administration holds the first token, which may do both.
        case .administrator, .groups: "The account cannot be changed by this import."
        }
    }
}

extension IdentityToolkitError {
    /// A scheme of password hashes that none can be imported with.
    init(import fault: PasswordImportFault) {
        switch fault {
        case .unknownAlgorithm: self.init(.invalidHashAlgorithm)
        case .invalidParameter(let sentence), .invalidHash(let sentence): self.init(.invalidHashParameters, sentence)
        }
    }

    /// What is wrong with custom claims.
    init(claims fault: CustomClaims.Fault) {
        switch fault {
        case .malformed: self.init(.invalidClaims)
        case .tooLarge: self.init(.claimsTooLarge)
        case .reserved(let name): self.init(.forbiddenClaim, name)
        }
    }
}

/// The core's policy, not the wire's type of the same name.
typealias PasswordPolicyFault = CountersignCore.PasswordPolicy.Fault
