/// `POST v1/accounts:sendOobCode` (legacy `getOobConfirmationCode`): mails a link, or hands it to an administrator who
/// sent `returnOobLink`. Source: REST reference of Identity Platform, v1 `accounts.sendOobCode` and
/// `accounts.resetPassword`.
public struct SendOobCodeRequest: Codable, Sendable, Equatable {
    /// `VERIFY_EMAIL`, `PASSWORD_RESET`, `EMAIL_SIGNIN` or `VERIFY_AND_CHANGE_EMAIL`.
    public var requestType: String?
    public var email: String?
    public var newEmail: String?
    public var idToken: String?
    public var continueUrl: String?
    public var iOSBundleId: String?
    public var iOSAppStoreId: String?
    public var androidPackageName: String?
    public var androidInstallApp: Bool?
    public var androidMinimumVersion: String?
    public var canHandleCodeInApp: Bool?
    public var dynamicLinkDomain: String?
    public var linkDomain: String?
    /// Administrators only: answer with the link in place of a mail.
    public var returnOobLink: Bool?
    public var tenantId: String?
    public var clientType: String?
    public var captchaResp: String?
    public var recaptchaVersion: String?
    public var userIp: String?
    public var targetProjectId: String?

    public init(
        requestType: String? = nil, email: String? = nil, newEmail: String? = nil, idToken: String? = nil,
        continueUrl: String? = nil, iOSBundleId: String? = nil, iOSAppStoreId: String? = nil,
        androidPackageName: String? = nil, androidInstallApp: Bool? = nil, androidMinimumVersion: String? = nil,
        canHandleCodeInApp: Bool? = nil, dynamicLinkDomain: String? = nil, linkDomain: String? = nil,
        returnOobLink: Bool? = nil, tenantId: String? = nil, clientType: String? = nil, captchaResp: String? = nil,
        recaptchaVersion: String? = nil, userIp: String? = nil, targetProjectId: String? = nil
    ) {
        self.requestType = requestType
        self.email = email
        self.newEmail = newEmail
        self.idToken = idToken
        self.continueUrl = continueUrl
        self.iOSBundleId = iOSBundleId
        self.iOSAppStoreId = iOSAppStoreId
        self.androidPackageName = androidPackageName
        self.androidInstallApp = androidInstallApp
        self.androidMinimumVersion = androidMinimumVersion
        self.canHandleCodeInApp = canHandleCodeInApp
        self.dynamicLinkDomain = dynamicLinkDomain
        self.linkDomain = linkDomain
        self.returnOobLink = returnOobLink
        self.tenantId = tenantId
        self.clientType = clientType
        self.captchaResp = captchaResp
        self.recaptchaVersion = recaptchaVersion
        self.userIp = userIp
        self.targetProjectId = targetProjectId
    }
}

/// The answer to ``SendOobCodeRequest``; code and link only for administrators. Source: REST reference of Identity
/// Platform, v1 `accounts.sendOobCode` and `accounts.resetPassword`.
public struct SendOobCodeResponse: Codable, Sendable, Equatable {
    public var kind: String?
    public var email: String?
    public var oobCode: String?
    public var oobLink: String?

    public init(
        kind: String? = "identitytoolkit#GetOobConfirmationCodeResponse", email: String? = nil,
        oobCode: String? = nil, oobLink: String? = nil
    ) {
        self.kind = kind
        self.email = email
        self.oobCode = oobCode
        self.oobLink = oobLink
    }
}

/// `POST v1/accounts:resetPassword`: without a new password only says what the code is for. Source: REST reference of
/// Identity Platform, v1 `accounts.sendOobCode` and `accounts.resetPassword`.
public struct ResetPasswordRequest: Codable, Sendable, Equatable {
    public var oobCode: String?
    public var newPassword: String?
    public var email: String?
    public var oldPassword: String?
    public var tenantId: String?

    public init(
        oobCode: String? = nil, newPassword: String? = nil, email: String? = nil, oldPassword: String? = nil,
        tenantId: String? = nil
    ) {
        self.oobCode = oobCode
        self.newPassword = newPassword
        self.email = email
        self.oldPassword = oldPassword
        self.tenantId = tenantId
    }
}

/// The answer to ``ResetPasswordRequest``. Source: REST reference of Identity Platform, v1 `accounts.sendOobCode` and
/// `accounts.resetPassword`.
public struct ResetPasswordResponse: Codable, Sendable, Equatable {
    public var kind: String?
    public var requestType: String?
    public var email: String?
    public var newEmail: String?

    public init(
        kind: String? = "identitytoolkit#ResetPasswordResponse", requestType: String? = nil, email: String? = nil,
        newEmail: String? = nil
    ) {
        self.kind = kind
        self.requestType = requestType
        self.email = email
        self.newEmail = newEmail
    }
}
