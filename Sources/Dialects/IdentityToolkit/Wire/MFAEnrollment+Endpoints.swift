/// `POST v2/accounts/mfaEnrollment:start`: exactly one of the two kinds of factor. Source: REST reference of Identity
/// Platform, v2 `accounts.mfaEnrollment`.
public struct StartMFAEnrollmentRequest: Codable, Sendable, Equatable {
    public var idToken: String?
    public var totpEnrollmentInfo: EmptyObject?
    public var phoneEnrollmentInfo: PhoneEnrollmentInfo?
    public var tenantId: String?

    public init(
        idToken: String? = nil, totpEnrollmentInfo: EmptyObject? = nil,
        phoneEnrollmentInfo: PhoneEnrollmentInfo? = nil, tenantId: String? = nil
    ) {
        self.idToken = idToken
        self.totpEnrollmentInfo = totpEnrollmentInfo
        self.phoneEnrollmentInfo = phoneEnrollmentInfo
        self.tenantId = tenantId
    }
}

/// What the enrolment of a phone factor begins with. Source: REST reference of Identity Platform, v2
/// `accounts.mfaEnrollment`.
public struct PhoneEnrollmentInfo: Codable, Sendable, Equatable {
    public var phoneNumber: String?
    public var recaptchaToken: String?
    public var iosReceipt: String?
    public var iosSecret: String?
    public var captchaResponse: String?
    public var clientType: String?
    public var recaptchaVersion: String?

    public init(
        phoneNumber: String? = nil, recaptchaToken: String? = nil, iosReceipt: String? = nil,
        iosSecret: String? = nil, captchaResponse: String? = nil, clientType: String? = nil,
        recaptchaVersion: String? = nil
    ) {
        self.phoneNumber = phoneNumber
        self.recaptchaToken = recaptchaToken
        self.iosReceipt = iosReceipt
        self.iosSecret = iosSecret
        self.captchaResponse = captchaResponse
        self.clientType = clientType
        self.recaptchaVersion = recaptchaVersion
    }
}

/// The answer to ``StartMFAEnrollmentRequest``. Source: REST reference of Identity Platform, v2
/// `accounts.mfaEnrollment`.
public struct StartMFAEnrollmentResponse: Codable, Sendable, Equatable {
    public var totpSessionInfo: TOTPSessionInfo?
    public var phoneSessionInfo: PhoneSessionInfo?

    public init(totpSessionInfo: TOTPSessionInfo? = nil, phoneSessionInfo: PhoneSessionInfo? = nil) {
        self.totpSessionInfo = totpSessionInfo
        self.phoneSessionInfo = phoneSessionInfo
    }
}

/// The secret that an authenticator is to be given, and the handle with which it is confirmed. Source: REST reference
/// of Identity Platform, v2 `accounts.mfaEnrollment`.
public struct TOTPSessionInfo: Codable, Sendable, Equatable {
    /// Base32 without padding.
    public var sharedSecretKey: String?
    /// A JSON number.
    public var verificationCodeLength: Int?
    /// `SHA1`, `SHA256` or `SHA512`.
    public var hashingAlgorithm: String?
    /// Seconds, a JSON number.
    public var periodSec: Int?
    public var sessionInfo: String?
    /// RFC 3339 with fractional seconds; see ``WireTimestamp``.
    public var finalizeEnrollmentTime: String?

    public init(
        sharedSecretKey: String? = nil, verificationCodeLength: Int? = nil, hashingAlgorithm: String? = nil,
        periodSec: Int? = nil, sessionInfo: String? = nil, finalizeEnrollmentTime: String? = nil
    ) {
        self.sharedSecretKey = sharedSecretKey
        self.verificationCodeLength = verificationCodeLength
        self.hashingAlgorithm = hashingAlgorithm
        self.periodSec = periodSec
        self.sessionInfo = sessionInfo
        self.finalizeEnrollmentTime = finalizeEnrollmentTime
    }
}

/// The handle of a code sent to a phone. Source: REST reference of Identity Platform, v2 `accounts.mfaEnrollment`.
public struct PhoneSessionInfo: Codable, Sendable, Equatable {
    public var sessionInfo: String?

    public init(sessionInfo: String? = nil) {
        self.sessionInfo = sessionInfo
    }
}

/// `POST v2/accounts/mfaEnrollment:finalize`. Source: REST reference of Identity Platform, v2 `accounts.mfaEnrollment`.
public struct FinalizeMFAEnrollmentRequest: Codable, Sendable, Equatable {
    public var idToken: String?
    public var displayName: String?
    public var totpVerificationInfo: TOTPVerificationInfo?
    public var phoneVerificationInfo: PhoneVerificationInfo?
    public var tenantId: String?

    public init(
        idToken: String? = nil, displayName: String? = nil, totpVerificationInfo: TOTPVerificationInfo? = nil,
        phoneVerificationInfo: PhoneVerificationInfo? = nil, tenantId: String? = nil
    ) {
        self.idToken = idToken
        self.displayName = displayName
        self.totpVerificationInfo = totpVerificationInfo
        self.phoneVerificationInfo = phoneVerificationInfo
        self.tenantId = tenantId
    }
}

/// A code from an authenticator; the session only in enrolments. Source: REST reference of Identity Platform, v2
/// `accounts.mfaEnrollment`.
public struct TOTPVerificationInfo: Codable, Sendable, Equatable {
    public var sessionInfo: String?
    public var verificationCode: String?

    public init(sessionInfo: String? = nil, verificationCode: String? = nil) {
        self.sessionInfo = sessionInfo
        self.verificationCode = verificationCode
    }
}

/// A code from a phone. Source: REST reference of Identity Platform, v2 `accounts.mfaEnrollment`.
public struct PhoneVerificationInfo: Codable, Sendable, Equatable {
    public var sessionInfo: String?
    public var phoneNumber: String?
    public var code: String?

    public init(sessionInfo: String? = nil, phoneNumber: String? = nil, code: String? = nil) {
        self.sessionInfo = sessionInfo
        self.phoneNumber = phoneNumber
        self.code = code
    }
}

/// The answer to ``FinalizeMFAEnrollmentRequest``: tokens that carry the second factor. Source: REST reference of
/// Identity Platform, v2 `accounts.mfaEnrollment`.
public struct FinalizeMFAEnrollmentResponse: Codable, Sendable, Equatable {
    public var idToken: String?
    public var refreshToken: String?
    public var totpAuthInfo: EmptyObject?
    public var phoneAuthInfo: PhoneAuthInfo?

    public init(
        idToken: String? = nil, refreshToken: String? = nil, totpAuthInfo: EmptyObject? = nil,
        phoneAuthInfo: PhoneAuthInfo? = nil
    ) {
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.totpAuthInfo = totpAuthInfo
        self.phoneAuthInfo = phoneAuthInfo
    }
}

/// The number that was proven. Source: REST reference of Identity Platform, v2 `accounts.mfaEnrollment`.
public struct PhoneAuthInfo: Codable, Sendable, Equatable {
    public var phoneNumber: String?

    public init(phoneNumber: String? = nil) {
        self.phoneNumber = phoneNumber
    }
}

/// `POST v2/accounts/mfaEnrollment:withdraw`. Source: REST reference of Identity Platform, v2 `accounts.mfaEnrollment`.
public struct WithdrawMFARequest: Codable, Sendable, Equatable {
    public var idToken: String?
    public var mfaEnrollmentId: String?
    public var tenantId: String?

    public init(idToken: String? = nil, mfaEnrollmentId: String? = nil, tenantId: String? = nil) {
        self.idToken = idToken
        self.mfaEnrollmentId = mfaEnrollmentId
        self.tenantId = tenantId
    }
}

/// The answer to ``WithdrawMFARequest``. Empty where the session rested on the withdrawn factor and others remain.
/// Source: REST reference of Identity Platform, v2 `accounts.mfaEnrollment`.
public struct WithdrawMFAResponse: Codable, Sendable, Equatable {
    public var idToken: String?
    public var refreshToken: String?

    public init(idToken: String? = nil, refreshToken: String? = nil) {
        self.idToken = idToken
        self.refreshToken = refreshToken
    }
}
