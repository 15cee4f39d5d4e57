import JSON

/// `POST v2/accounts/mfaSignIn:start`: sends a code to a phone. TOTP has no use for it. Source: REST reference of
/// Identity Platform, v2 `accounts.mfaSignIn`.
public struct StartMFASignInRequest: Codable, Sendable, Equatable {
    public var mfaPendingCredential: String?
    public var mfaEnrollmentId: String?
    public var phoneSignInInfo: PhoneSignInInfo?
    public var tenantId: String?

    public init(
        mfaPendingCredential: String? = nil, mfaEnrollmentId: String? = nil, phoneSignInInfo: PhoneSignInInfo? = nil,
        tenantId: String? = nil
    ) {
        self.mfaPendingCredential = mfaPendingCredential
        self.mfaEnrollmentId = mfaEnrollmentId
        self.phoneSignInInfo = phoneSignInInfo
        self.tenantId = tenantId
    }
}

/// What sending a code to a phone begins with. Source: REST reference of Identity Platform, v2 `accounts.mfaSignIn`.
public struct PhoneSignInInfo: Codable, Sendable, Equatable {
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

/// The answer to ``StartMFASignInRequest``. Source: REST reference of Identity Platform, v2 `accounts.mfaSignIn`.
public struct StartMFASignInResponse: Codable, Sendable, Equatable {
    public var phoneResponseInfo: PhoneSessionInfo?

    public init(phoneResponseInfo: PhoneSessionInfo? = nil) {
        self.phoneResponseInfo = phoneResponseInfo
    }
}

/// `POST v2/accounts/mfaSignIn:finalize`: the second factor of a sign-in. Source: REST reference of Identity Platform,
/// v2 `accounts.mfaSignIn`.
public struct FinalizeMFASignInRequest: Codable, Sendable, Equatable {
    public var mfaPendingCredential: String?
    public var mfaEnrollmentId: String?
    public var totpVerificationInfo: TOTPVerificationInfo?
    public var phoneVerificationInfo: PhoneVerificationInfo?
    public var tenantId: String?

    public init(
        mfaPendingCredential: String? = nil, mfaEnrollmentId: String? = nil,
        totpVerificationInfo: TOTPVerificationInfo? = nil, phoneVerificationInfo: PhoneVerificationInfo? = nil,
        tenantId: String? = nil
    ) {
        self.mfaPendingCredential = mfaPendingCredential
        self.mfaEnrollmentId = mfaEnrollmentId
        self.totpVerificationInfo = totpVerificationInfo
        self.phoneVerificationInfo = phoneVerificationInfo
        self.tenantId = tenantId
    }
}

/// The answer to ``FinalizeMFASignInRequest``. Source: REST reference of Identity Platform, v2 `accounts.mfaSignIn`.
public struct FinalizeMFASignInResponse: Codable, Sendable, Equatable {
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

extension FinalizeMFASignInResponse: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("idToken", text: idToken)
        if let phoneAuthInfo {
            json.name("phoneAuthInfo")
            json.beginObject()
            json.write("phoneNumber", text: phoneAuthInfo.phoneNumber)
            json.endObject()
        }
        json.write("refreshToken", text: refreshToken)
        if totpAuthInfo != nil {
            json.name("totpAuthInfo")
            json.beginObject()
            json.endObject()
        }
        json.endObject()
    }
}
