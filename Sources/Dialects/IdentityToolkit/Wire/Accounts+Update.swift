/// `POST v1/accounts:update` (legacy `setAccountInfo`): changes the account of an ID token, applies an e-mail action
/// code, or, with a bearer under `projects/{p}`, changes any account. Source: REST reference of Identity Platform, v1
/// `accounts.update` and `accounts.delete`.
public struct UpdateAccountRequest: Codable, Sendable, Equatable {
    public var idToken: String?
    public var oobCode: String?
    public var email: String?
    public var password: String?
    public var displayName: String?
    public var photoUrl: String?
    /// `DISPLAY_NAME`, `PHOTO_URL`, `EMAIL`, `PASSWORD`, `PROVIDER`, `RAW_USER_INFO`.
    public var deleteAttribute: [String]?
    public var deleteProvider: [String]?
    /// Ids of credentials; those that the account has none of are passed over.
    public var deletePasskey: [String]?
    public var returnSecureToken: Bool?
    public var tenantId: String?
    public var clientType: String?
    public var captchaResponse: String?
    /// Administrators only: the account to change. The remaining fields are theirs too.
    public var localId: String?
    public var emailVerified: Bool?
    public var phoneNumber: String?
    public var disableUser: Bool?
    /// Seconds: tokens issued earlier are refused.
    public var validSince: Int64String?
    /// A JSON object in a string.
    public var customAttributes: String?
    public var mfa: MFAEnrollments?
    /// Milliseconds.
    public var createdAt: Int64String?
    /// Milliseconds.
    public var lastLoginAt: Int64String?
    public var linkProviderUserInfo: ProviderUserInfo?
    public var targetProjectId: String?

    public init(
        idToken: String? = nil, oobCode: String? = nil, email: String? = nil, password: String? = nil,
        displayName: String? = nil, photoUrl: String? = nil, deleteAttribute: [String]? = nil,
        deleteProvider: [String]? = nil, returnSecureToken: Bool? = nil, tenantId: String? = nil,
        clientType: String? = nil, captchaResponse: String? = nil, localId: String? = nil, emailVerified: Bool? = nil,
        phoneNumber: String? = nil, disableUser: Bool? = nil, validSince: Int64String? = nil,
        customAttributes: String? = nil, mfa: MFAEnrollments? = nil, createdAt: Int64String? = nil,
        lastLoginAt: Int64String? = nil, linkProviderUserInfo: ProviderUserInfo? = nil, targetProjectId: String? = nil,
        deletePasskey: [String]? = nil
    ) {
        self.idToken = idToken
        self.oobCode = oobCode
        self.email = email
        self.password = password
        self.displayName = displayName
        self.photoUrl = photoUrl
        self.deleteAttribute = deleteAttribute
        self.deleteProvider = deleteProvider
        self.returnSecureToken = returnSecureToken
        self.tenantId = tenantId
        self.clientType = clientType
        self.captchaResponse = captchaResponse
        self.localId = localId
        self.emailVerified = emailVerified
        self.phoneNumber = phoneNumber
        self.disableUser = disableUser
        self.validSince = validSince
        self.customAttributes = customAttributes
        self.mfa = mfa
        self.createdAt = createdAt
        self.lastLoginAt = lastLoginAt
        self.linkProviderUserInfo = linkProviderUserInfo
        self.targetProjectId = targetProjectId
        self.deletePasskey = deletePasskey
    }
}

/// The answer to ``UpdateAccountRequest``, with tokens where the change revoked the earlier ones. Source: REST
/// reference of Identity Platform, v1 `accounts.update` and `accounts.delete`.
public struct UpdateAccountResponse: Codable, Sendable, Equatable {
    public var kind: String?
    public var localId: String?
    public var email: String?
    public var newEmail: String?
    public var emailVerified: Bool?
    public var displayName: String?
    public var photoUrl: String?
    public var passwordHash: String?
    public var providerUserInfo: [ProviderUserInfo]?
    public var idToken: String?
    public var refreshToken: String?
    /// Seconds, as a string.
    public var expiresIn: Int64String?

    public init(
        kind: String? = "identitytoolkit#SetAccountInfoResponse", localId: String? = nil, email: String? = nil,
        newEmail: String? = nil, emailVerified: Bool? = nil, displayName: String? = nil, photoUrl: String? = nil,
        passwordHash: String? = nil, providerUserInfo: [ProviderUserInfo]? = nil, idToken: String? = nil,
        refreshToken: String? = nil, expiresIn: Int64String? = nil
    ) {
        self.kind = kind
        self.localId = localId
        self.email = email
        self.newEmail = newEmail
        self.emailVerified = emailVerified
        self.displayName = displayName
        self.photoUrl = photoUrl
        self.passwordHash = passwordHash
        self.providerUserInfo = providerUserInfo
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
    }
}

/// `POST v1/accounts:delete` (legacy `deleteAccount`). Source: REST reference of Identity Platform, v1
/// `accounts.update` and `accounts.delete`.
public struct DeleteAccountRequest: Codable, Sendable, Equatable {
    public var idToken: String?
    public var localId: String?
    public var tenantId: String?
    public var targetProjectId: String?

    public init(
        idToken: String? = nil, localId: String? = nil, tenantId: String? = nil, targetProjectId: String? = nil
    ) {
        self.idToken = idToken
        self.localId = localId
        self.tenantId = tenantId
        self.targetProjectId = targetProjectId
    }
}

/// The answer to ``DeleteAccountRequest``. Source: REST reference of Identity Platform, v1 `accounts.update` and
/// `accounts.delete`.
public struct DeleteAccountResponse: Codable, Sendable, Equatable {
    public var kind: String?

    public init(kind: String? = "identitytoolkit#DeleteAccountResponse") {
        self.kind = kind
    }
}
