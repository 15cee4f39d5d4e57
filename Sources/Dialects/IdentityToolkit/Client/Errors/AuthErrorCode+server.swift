import ClientHTTP
import Foundation
import IdentityToolkitWire
import JSON

extension AuthErrorCode {
    /// The error for a refusal of the server. Source: firebase-ios-sdk, `AuthBackend`.
    init(refusal response: HTTPClientResponse) {
        let body = (try? JSONDecoder().decode(ErrorEnvelope.self, from: response.body))?.error
        let message = body?.message ?? ""
        let code = Self.code(forMessage: message, body: body, status: response.status)
        var info: [String: any Sendable] = [NSUnderlyingErrorKey: Self.underlying(response)]
        if let colon = message.firstIndex(of: ":") {
            let reason = message[message.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            if !reason.isEmpty { info[NSLocalizedFailureReasonErrorKey] = reason }
        }
        if code == .tooManyRequests || code == .serverUnavailable, let seconds = response.retryAfter {
            info[AuthErrorUserInfoRetryAfterKey] = seconds
        }
        self.init(code, userInfo: info)
    }

    /// An answer that was to be a success and cannot be read. It is not kept, since it may hold tokens.
    static func malformed(_ error: any Error) -> Self {
        .init(
            .malformedResponse,
            userInfo: [
                NSUnderlyingErrorKey: error as NSError,
                NSLocalizedFailureReasonErrorKey: "The answer is not what the protocol says.",
            ])
    }

    /// An answer that lacks what it must have.
    static func malformed(_ reason: String) -> Self {
        .init(.malformedResponse, userInfo: [NSLocalizedFailureReasonErrorKey: reason])
    }

    /// No answer was had.
    init(_ error: HTTPClientError) {
        let code: Code =
            if error.isPlainHTTPRefused {
                .insecureConnectionRefused
            } else if error.isUnsupportedURL {
                .serverNotConfigured
            } else if error.isResponseTooLarge {
                .malformedResponse
            } else {
                .networkError
            }
        self.init(
            code,
            userInfo: [
                NSLocalizedFailureReasonErrorKey: error.description,
                NSUnderlyingErrorKey: (error.underlying ?? error) as NSError,
            ])
    }

    /// The same error with a sentence about the cause.
    static func refused(_ code: Code, because reason: String) -> Self {
        .init(code, userInfo: [NSLocalizedFailureReasonErrorKey: reason])
    }

    private static func code(forMessage message: String, body: ErrorBody?, status: Int) -> Code {
        if let code = codes[ErrorWord(message: message)] { return code }
        if message.hasPrefix("API key not valid") || message.contains("missing a valid API key")
            || body?.errors?.contains(where: { $0.reason == "keyInvalid" }) == true
        {
            return .invalidAPIKey
        }
        if message == "Request contains an invalid argument." || message.hasPrefix("Invalid value ") {
            return .invalidArgument
        }
        return switch status {
        case 429: .tooManyRequests
        case 502, 503, 504: .serverUnavailable
        default: .internalError
        }
    }

    private static func underlying(_ response: HTTPClientResponse) -> NSError {
        var info: [String: Any] = ["HTTPStatus": response.status]
        if let answer = try? JSONDecoder().decode([String: JSONValue].self, from: response.body) {
            info[AuthErrorUserInfoDeserializedResponseKey] = answer.mapValues(\.foundationValue)
        }
        return NSError(domain: "FIRAuthInternalErrorDomain", code: 3, userInfo: info)
    }

    private static let codes: [ErrorWord: Code] = [
        .userNotFound: .userNotFound,
        .emailNotFound: .userNotFound,
        .invalidIDToken: .invalidUserToken,
        .missingIDToken: .invalidUserToken,
        .tokenExpired: .userTokenExpired,
        // The session is over for good, and the original, which has no code for this, would keep a user who can do
        // nothing.
        .invalidRefreshToken: .userTokenExpired,
        .missingRefreshToken: .userTokenExpired,
        .credentialTooOldLoginAgain: .requiresRecentLogin,
        .emailExists: .emailAlreadyInUse,
        .invalidEmail: .invalidEmail,
        .invalidIdentifier: .invalidEmail,
        .invalidNewEmail: .invalidEmail,
        .missingEmail: .missingEmail,
        .missingNewEmail: .missingEmail,
        .missingIdentifier: .missingEmail,
        .operationNotAllowed: .operationNotAllowed,
        .passwordLoginDisabled: .operationNotAllowed,
        .userDisabled: .userDisabled,
        .weakPassword: .weakPassword,
        .passwordDoesNotMeetRequirements: .passwordDoesNotMeetRequirements,
        .tooManyAttemptsTryLater: .tooManyRequests,
        .invalidPassword: .wrongPassword,
        .missingPassword: .missingPassword,
        .invalidLoginCredentials: .invalidCredential,
        .invalidPendingToken: .invalidCredential,
        .invalidIDPResponse: .invalidCredential,
        .invalidCustomToken: .invalidCustomToken,
        .missingCustomToken: .invalidCustomToken,
        .credentialMismatch: .customTokenMismatch,
        .expiredOOBCode: .expiredActionCode,
        .invalidOOBCode: .invalidActionCode,
        .missingOOBCode: .invalidActionCode,
        .invalidCode: .invalidVerificationCode,
        .missingCode: .missingVerificationCode,
        .invalidSessionInfo: .invalidVerificationID,
        .missingSessionInfo: .missingVerificationID,
        .sessionExpired: .sessionExpired,
        .quotaExceeded: .quotaExceeded,
        .invalidMFAPendingCredential: .invalidMultiFactorSession,
        .missingMFAPendingCredential: .missingMultiFactorSession,
        .mfaEnrollmentNotFound: .multiFactorInfoNotFound,
        .missingMFAEnrollmentID: .missingMultiFactorInfo,
        .invalidMFAEnrollmentID: .invalidMultiFactorEnrollmentID,
        .mfaEnrollmentAlreadyComplete: .multiFactorEnrollmentAlreadyComplete,
        .passkeyEnrollmentNotFound: .missingPasskeyEnrollment,
        .passkeyCredentialNotFound: .missingPasskeyEnrollment,
        .invalidAuthenticatorResponse: .invalidAuthenticatorResponse,
        .missingAuthenticatorResponse: .invalidAuthenticatorResponse,
        .invalidCredentialID: .invalidAuthenticatorResponse,
        .credentialAlreadyInUse: .credentialAlreadyInUse,
        .secondFactorExists: .secondFactorAlreadyEnrolled,
        .secondFactorLimitExceeded: .maximumSecondFactorCountExceeded,
        .unsupportedFirstFactor: .unsupportedFirstFactor,
        .unsupportedSecondFactor: .unsupportedSecondFactor,
        .unverifiedEmail: .unverifiedEmail,
        .emailChangeNeedsVerification: .emailChangeNeedsVerification,
        .tenantIDMismatch: .tenantIDMismatch,
        .unsupportedTenantOperation: .unsupportedTenantOperation,
        .adminOnlyOperation: .adminRestrictedOperation,
        .totpChallengeTimeout: .totpChallengeTimeout,
        .tooManyEnrollmentAttempts: .tooManyEnrollmentAttempts,
        .missingDisplayName: .missingDisplayName,
        .invalidContinueURI: .invalidContinueURI,
        .missingContinueURI: .missingContinueURI,
        .unauthorizedDomain: .unauthorizedDomain,
        .missingIOSBundleID: .missingIosBundleID,
        .missingAndroidPackageName: .missingAndroidPackageName,
        .invalidHostingLinkDomain: .invalidHostingLinkDomain,
        .invalidReqType: .invalidReqType,
        .missingReqType: .invalidReqType,
        .invalidPhoneNumber: .invalidPhoneNumber,
        .missingPhoneNumber: .missingPhoneNumber,
        .invalidProviderID: .invalidProviderID,
    ]
}

extension HTTPClientResponse {
    /// Seconds; the form with a date is not read.
    fileprivate var retryAfter: TimeInterval? {
        header("Retry-After").flatMap { Double($0) }.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
}
