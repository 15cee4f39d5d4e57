/// `POST v1/accounts:signUp` (legacy `signupNewUser`): makes an account. A body without an address makes an anonymous
/// one.
///
/// The same body, sent with a bearer to `projects/{p}/accounts`, is an administrator's «create user»; the fields that
/// only an administrator may send stand last. Source: REST reference of Identity Platform, v1 `accounts.signUp`.
public struct SignUpRequest: Codable, Sendable, Equatable {
    public var email: String?
    public var password: String?
    public var displayName: String?
    public var photoUrl: String?
    /// The ID token of the account that the address and password are to be added to (an anonymous one, as a rule).
    public var idToken: String?
    public var tenantId: String?
    public var returnSecureToken: Bool?
    public var clientType: String?
    public var captchaResponse: String?
    public var recaptchaVersion: String?
    /// Administrators only: the id that the new account is to have.
    public var localId: String?
    public var phoneNumber: String?
    public var emailVerified: Bool?
    public var disabled: Bool?
    /// Administrators only: second factors that the account starts with.
    public var mfaInfo: [MFAEnrollment]?
    public var targetProjectId: String?

    public init(
        email: String? = nil, password: String? = nil, displayName: String? = nil, photoUrl: String? = nil,
        idToken: String? = nil, tenantId: String? = nil, returnSecureToken: Bool? = nil, clientType: String? = nil,
        captchaResponse: String? = nil, recaptchaVersion: String? = nil, localId: String? = nil,
        phoneNumber: String? = nil, emailVerified: Bool? = nil, disabled: Bool? = nil,
        mfaInfo: [MFAEnrollment]? = nil, targetProjectId: String? = nil
    ) {
        self.email = email
        self.password = password
        self.displayName = displayName
        self.photoUrl = photoUrl
        self.idToken = idToken
        self.tenantId = tenantId
        self.returnSecureToken = returnSecureToken
        self.clientType = clientType
        self.captchaResponse = captchaResponse
        self.recaptchaVersion = recaptchaVersion
        self.localId = localId
        self.phoneNumber = phoneNumber
        self.emailVerified = emailVerified
        self.disabled = disabled
        self.mfaInfo = mfaInfo
        self.targetProjectId = targetProjectId
    }
}

/// The answer to ``SignUpRequest``. Without tokens where an administrator asked. Source: REST reference of Identity
/// Platform, v1 `accounts.signUp`.
public struct SignUpResponse: Codable, Sendable, Equatable {
    public var kind: String?
    public var localId: String?
    public var email: String?
    public var displayName: String?
    public var idToken: String?
    public var refreshToken: String?
    /// Seconds, as a string.
    public var expiresIn: Int64String?

    public init(
        kind: String? = "identitytoolkit#SignupNewUserResponse", localId: String? = nil, email: String? = nil,
        displayName: String? = nil, idToken: String? = nil, refreshToken: String? = nil, expiresIn: Int64String? = nil
    ) {
        self.kind = kind
        self.localId = localId
        self.email = email
        self.displayName = displayName
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
    }
}
