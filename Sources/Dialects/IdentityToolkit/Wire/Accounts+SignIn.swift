import JSON

/// `POST v1/accounts:signInWithPassword` (legacy `verifyPassword`). Source: REST reference of Identity Platform, v1
/// `accounts`.
public struct SignInWithPasswordRequest: Codable, Sendable, Equatable {
    public var email: String?
    public var password: String?
    public var idToken: String?
    public var returnSecureToken: Bool?
    public var tenantId: String?
    public var clientType: String?
    public var captchaResponse: String?
    public var recaptchaVersion: String?

    public init(
        email: String? = nil, password: String? = nil, idToken: String? = nil, returnSecureToken: Bool? = nil,
        tenantId: String? = nil, clientType: String? = nil, captchaResponse: String? = nil,
        recaptchaVersion: String? = nil
    ) {
        self.email = email
        self.password = password
        self.idToken = idToken
        self.returnSecureToken = returnSecureToken
        self.tenantId = tenantId
        self.clientType = clientType
        self.captchaResponse = captchaResponse
        self.recaptchaVersion = recaptchaVersion
    }
}

/// The answer to ``SignInWithPasswordRequest``: tokens, or, where the account has a second factor, a pending credential
/// with the factors to choose from, also with HTTP 200. Source: REST reference of Identity Platform, v1 `accounts`.
public struct SignInWithPasswordResponse: Codable, Sendable, Equatable {
    public var kind: String?
    public var localId: String?
    public var email: String?
    public var displayName: String?
    public var registered: Bool?
    public var profilePicture: String?
    public var idToken: String?
    public var refreshToken: String?
    /// Seconds, as a string.
    public var expiresIn: Int64String?
    /// Present instead of the tokens where a second factor is asked for.
    public var mfaPendingCredential: String?
    public var mfaInfo: [MFAEnrollment]?

    public init(
        kind: String? = "identitytoolkit#VerifyPasswordResponse", localId: String? = nil, email: String? = nil,
        displayName: String? = nil, registered: Bool? = nil, profilePicture: String? = nil, idToken: String? = nil,
        refreshToken: String? = nil, expiresIn: Int64String? = nil, mfaPendingCredential: String? = nil,
        mfaInfo: [MFAEnrollment]? = nil
    ) {
        self.kind = kind
        self.localId = localId
        self.email = email
        self.displayName = displayName
        self.registered = registered
        self.profilePicture = profilePicture
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.mfaPendingCredential = mfaPendingCredential
        self.mfaInfo = mfaInfo
    }
}

extension SignInWithPasswordResponse: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("displayName", text: displayName)
        json.write("email", text: email)
        json.write("expiresIn", text: expiresIn?.description)
        json.write("idToken", text: idToken)
        json.write("kind", text: kind)
        json.write("localId", text: localId)
        if let mfaInfo {
            json.name("mfaInfo")
            json.beginArray()
            for enrollment in mfaInfo { enrollment.write(to: &json) }
            json.endArray()
        }
        json.write("mfaPendingCredential", text: mfaPendingCredential)
        json.write("profilePicture", text: profilePicture)
        json.write("refreshToken", text: refreshToken)
        if let registered {
            json.name("registered")
            json.write(registered)
        }
        json.endObject()
    }
}

/// `POST v1/accounts:signInWithEmailLink` (legacy `emailLinkSignin`): the code of a mailed link in exchange for tokens.
/// Source: REST reference of Identity Platform, v1 `accounts`.
public struct SignInWithEmailLinkRequest: Codable, Sendable, Equatable {
    public var email: String?
    public var oobCode: String?
    /// The ID token of the account that the address is to be added to.
    public var idToken: String?
    public var returnSecureToken: Bool?
    public var tenantId: String?
    public var clientType: String?

    public init(
        email: String? = nil, oobCode: String? = nil, idToken: String? = nil, returnSecureToken: Bool? = nil,
        tenantId: String? = nil, clientType: String? = nil
    ) {
        self.email = email
        self.oobCode = oobCode
        self.idToken = idToken
        self.returnSecureToken = returnSecureToken
        self.tenantId = tenantId
        self.clientType = clientType
    }
}

/// The answer to ``SignInWithEmailLinkRequest``: tokens or a pending credential. Source: REST reference of Identity
/// Platform, v1 `accounts`.
public struct SignInWithEmailLinkResponse: Codable, Sendable, Equatable {
    public var kind: String?
    public var localId: String?
    public var email: String?
    public var isNewUser: Bool?
    public var idToken: String?
    public var refreshToken: String?
    /// Seconds, as a string.
    public var expiresIn: Int64String?
    public var mfaPendingCredential: String?
    public var mfaInfo: [MFAEnrollment]?

    public init(
        kind: String? = "identitytoolkit#EmailLinkSigninResponse", localId: String? = nil, email: String? = nil,
        isNewUser: Bool? = nil, idToken: String? = nil, refreshToken: String? = nil, expiresIn: Int64String? = nil,
        mfaPendingCredential: String? = nil, mfaInfo: [MFAEnrollment]? = nil
    ) {
        self.kind = kind
        self.localId = localId
        self.email = email
        self.isNewUser = isNewUser
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.mfaPendingCredential = mfaPendingCredential
        self.mfaInfo = mfaInfo
    }
}

/// `POST v1/accounts:signInWithCustomToken` (legacy `verifyCustomToken`): a token signed by the app's own server in
/// exchange for a session. Never asks for a second factor. Source: REST reference of Identity Platform, v1 `accounts`.
public struct SignInWithCustomTokenRequest: Codable, Sendable, Equatable {
    public var token: String?
    public var returnSecureToken: Bool?
    public var tenantId: String?
    public var clientType: String?

    public init(
        token: String? = nil, returnSecureToken: Bool? = nil, tenantId: String? = nil, clientType: String? = nil
    ) {
        self.token = token
        self.returnSecureToken = returnSecureToken
        self.tenantId = tenantId
        self.clientType = clientType
    }
}

/// The answer to ``SignInWithCustomTokenRequest``. Source: REST reference of Identity Platform, v1 `accounts`.
public struct SignInWithCustomTokenResponse: Codable, Sendable, Equatable {
    public var kind: String?
    public var idToken: String?
    public var refreshToken: String?
    /// Seconds, as a string.
    public var expiresIn: Int64String?
    public var isNewUser: Bool?

    public init(
        kind: String? = "identitytoolkit#VerifyCustomTokenResponse", idToken: String? = nil,
        refreshToken: String? = nil, expiresIn: Int64String? = nil, isNewUser: Bool? = nil
    ) {
        self.kind = kind
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.isNewUser = isNewUser
    }
}

/// `POST v1/accounts:createAuthUri`: which ways of signing in an address has. With protection against enumeration of
/// addresses the answer says nothing. Source: REST reference of Identity Platform, v1 `accounts`.
public struct CreateAuthURIRequest: Codable, Sendable, Equatable {
    public var identifier: String?
    public var continueUri: String?
    public var providerId: String?
    public var sessionId: String?
    public var tenantId: String?
    public var clientType: String?

    public init(
        identifier: String? = nil, continueUri: String? = nil, providerId: String? = nil, sessionId: String? = nil,
        tenantId: String? = nil, clientType: String? = nil
    ) {
        self.identifier = identifier
        self.continueUri = continueUri
        self.providerId = providerId
        self.sessionId = sessionId
        self.tenantId = tenantId
        self.clientType = clientType
    }
}

/// The answer to ``CreateAuthURIRequest``. Source: REST reference of Identity Platform, v1 `accounts`.
public struct CreateAuthURIResponse: Codable, Sendable, Equatable {
    public var kind: String?
    public var registered: Bool?
    public var allProviders: [String]?
    public var signinMethods: [String]?
    public var sessionId: String?
    public var authUri: String?
    public var providerId: String?
    public var forExistingProvider: Bool?

    public init(
        kind: String? = "identitytoolkit#CreateAuthUriResponse", registered: Bool? = nil,
        allProviders: [String]? = nil, signinMethods: [String]? = nil, sessionId: String? = nil,
        authUri: String? = nil, providerId: String? = nil, forExistingProvider: Bool? = nil
    ) {
        self.kind = kind
        self.registered = registered
        self.allProviders = allProviders
        self.signinMethods = signinMethods
        self.sessionId = sessionId
        self.authUri = authUri
        self.providerId = providerId
        self.forExistingProvider = forExistingProvider
    }
}

/// `POST v2/accounts:revokeToken`: the token of another identity provider is to end. Of the body only the ID token is
/// read, as there are no other providers.
public struct RevokeTokenRequest: Codable, Sendable, Equatable {
    public var idToken: String?

    public init(idToken: String? = nil) {
        self.idToken = idToken
    }
}
