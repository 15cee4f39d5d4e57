import JSON

/// One account as `accounts:lookup`, `:batchGet`, `:query` show it and `:batchCreate` takes it. Source: REST reference
/// of Identity Platform, v1 `UserInfo`.
public struct Account: Codable, Sendable, Equatable {
    public var localId: String?
    public var email: String?
    public var emailVerified: Bool?
    public var displayName: String?
    public var photoUrl: String?
    public var phoneNumber: String?
    public var providerUserInfo: [ProviderUserInfo]?
    /// Base64; redacted in every answer but an administrator's export.
    public var passwordHash: String?
    /// Base64.
    public var salt: String?
    public var version: Int?
    /// Milliseconds, a JSON number.
    public var passwordUpdatedAt: Double?
    /// Imports only: a password unencrypted.
    public var rawPassword: String?
    /// Seconds, as a string: tokens issued earlier are refused.
    public var validSince: Int64String?
    public var disabled: Bool?
    /// Milliseconds, as a string.
    public var lastLoginAt: Int64String?
    /// Milliseconds, as a string.
    public var createdAt: Int64String?
    /// RFC 3339.
    public var lastRefreshAt: String?
    public var customAuth: Bool?
    /// A JSON object in a string: claims that an administrator set.
    public var customAttributes: String?
    public var emailLinkSignin: Bool?
    public var initialEmail: String?
    public var tenantId: String?
    public var mfaInfo: [MFAEnrollment]?
    public var passkeyInfo: [PasskeyInfo]?

    public init(
        localId: String? = nil, email: String? = nil, emailVerified: Bool? = nil, displayName: String? = nil,
        photoUrl: String? = nil, phoneNumber: String? = nil, providerUserInfo: [ProviderUserInfo]? = nil,
        passwordHash: String? = nil, salt: String? = nil, version: Int? = nil, passwordUpdatedAt: Double? = nil,
        rawPassword: String? = nil, validSince: Int64String? = nil, disabled: Bool? = nil,
        lastLoginAt: Int64String? = nil, createdAt: Int64String? = nil, lastRefreshAt: String? = nil,
        customAuth: Bool? = nil, customAttributes: String? = nil, emailLinkSignin: Bool? = nil,
        initialEmail: String? = nil, tenantId: String? = nil, mfaInfo: [MFAEnrollment]? = nil,
        passkeyInfo: [PasskeyInfo]? = nil
    ) {
        self.localId = localId
        self.email = email
        self.emailVerified = emailVerified
        self.displayName = displayName
        self.photoUrl = photoUrl
        self.phoneNumber = phoneNumber
        self.providerUserInfo = providerUserInfo
        self.passwordHash = passwordHash
        self.salt = salt
        self.version = version
        self.passwordUpdatedAt = passwordUpdatedAt
        self.rawPassword = rawPassword
        self.validSince = validSince
        self.disabled = disabled
        self.lastLoginAt = lastLoginAt
        self.createdAt = createdAt
        self.lastRefreshAt = lastRefreshAt
        self.customAuth = customAuth
        self.customAttributes = customAttributes
        self.emailLinkSignin = emailLinkSignin
        self.initialEmail = initialEmail
        self.tenantId = tenantId
        self.mfaInfo = mfaInfo
        self.passkeyInfo = passkeyInfo
    }
}

/// An identity under which an account can be signed in. Source: REST reference of Identity Platform, v1 `UserInfo`.
public struct ProviderUserInfo: Codable, Sendable, Equatable {
    public var providerId: String?
    public var federatedId: String?
    public var rawId: String?
    public var email: String?
    public var displayName: String?
    public var photoUrl: String?
    public var phoneNumber: String?
    public var screenName: String?

    public init(
        providerId: String? = nil, federatedId: String? = nil, rawId: String? = nil, email: String? = nil,
        displayName: String? = nil, photoUrl: String? = nil, phoneNumber: String? = nil, screenName: String? = nil
    ) {
        self.providerId = providerId
        self.federatedId = federatedId
        self.rawId = rawId
        self.email = email
        self.displayName = displayName
        self.photoUrl = photoUrl
        self.phoneNumber = phoneNumber
        self.screenName = screenName
    }
}

/// A second factor as answers show it and administrators write it. Source: REST reference of Identity Platform, v1
/// `UserInfo`.
public struct MFAEnrollment: Codable, Sendable, Equatable {
    public var mfaEnrollmentId: String?
    public var displayName: String?
    /// RFC 3339 with fractional seconds; see ``WireTimestamp``.
    public var enrolledAt: String?
    /// A phone number, masked in sign-in answers. Present where the factor is a phone.
    public var phoneInfo: String?
    public var unobfuscatedPhoneInfo: String?
    /// Present, and empty, where the factor is a TOTP authenticator.
    public var totpInfo: TOTPInfo?

    public init(
        mfaEnrollmentId: String? = nil, displayName: String? = nil, enrolledAt: String? = nil,
        phoneInfo: String? = nil, unobfuscatedPhoneInfo: String? = nil, totpInfo: TOTPInfo? = nil
    ) {
        self.mfaEnrollmentId = mfaEnrollmentId
        self.displayName = displayName
        self.enrolledAt = enrolledAt
        self.phoneInfo = phoneInfo
        self.unobfuscatedPhoneInfo = unobfuscatedPhoneInfo
        self.totpInfo = totpInfo
    }
}

extension MFAEnrollment: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("displayName", text: displayName)
        json.write("enrolledAt", text: enrolledAt)
        json.write("mfaEnrollmentId", text: mfaEnrollmentId)
        json.write("phoneInfo", text: phoneInfo)
        if let totpInfo {
            json.name("totpInfo")
            totpInfo.write(to: &json)
        }
        json.write("unobfuscatedPhoneInfo", text: unobfuscatedPhoneInfo)
        json.endObject()
    }
}

/// What marks a factor as TOTP. Answers carry it empty: `{}`.
///
/// The fields are this server's extension for imports, so that accounts can be imported with their authenticators.
public struct TOTPInfo: Codable, Sendable, Equatable {
    /// Base32 without padding.
    public var sharedSecretKey: String?
    /// `SHA1`, `SHA256` or `SHA512`; absent means `SHA1`.
    public var algorithm: String?
    /// Absent means 6.
    public var digits: Int?
    /// Seconds; absent means 30.
    public var period: Int?

    public init(sharedSecretKey: String? = nil, algorithm: String? = nil, digits: Int? = nil, period: Int? = nil) {
        self.sharedSecretKey = sharedSecretKey
        self.algorithm = algorithm
        self.digits = digits
        self.period = period
    }
}

extension TOTPInfo: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("algorithm", text: algorithm)
        json.write("digits", number: digits)
        json.write("period", number: period)
        json.write("sharedSecretKey", text: sharedSecretKey)
        json.endObject()
    }
}

/// The whole list of an account's second factors, in `accounts:update`: it replaces the list that was there, and an
/// empty object clears it. Source: REST reference of Identity Platform, v1 `UserInfo`.
public struct MFAEnrollments: Codable, Sendable, Equatable {
    public var enrollments: [MFAEnrollment]?

    public init(enrollments: [MFAEnrollment]? = nil) {
        self.enrollments = enrollments
    }
}
