/// `GET v1/projects` (legacy `getProjectConfig`): what a client may know of its project. Source: REST reference of
/// Identity Platform, v1 `projects` and v2 `recaptchaConfig`.
public struct ClientProjectConfig: Codable, Sendable, Equatable {
    public var projectId: String?
    public var authorizedDomains: [String]?
    public var apiKey: String?
    public var allowPasswordUser: Bool?
    public var enableAnonymousUser: Bool?

    public init(
        projectId: String? = nil, authorizedDomains: [String]? = nil, apiKey: String? = nil,
        allowPasswordUser: Bool? = nil, enableAnonymousUser: Bool? = nil
    ) {
        self.projectId = projectId
        self.authorizedDomains = authorizedDomains
        self.apiKey = apiKey
        self.allowPasswordUser = allowPasswordUser
        self.enableAnonymousUser = enableAnonymousUser
    }
}

/// `GET v2/recaptchaConfig`. Source: REST reference of Identity Platform, v1 `projects` and v2 `recaptchaConfig`.
public struct RecaptchaConfig: Codable, Sendable, Equatable {
    public var recaptchaKey: String?
    public var recaptchaEnforcementState: [RecaptchaEnforcement]?

    public init(recaptchaKey: String? = nil, recaptchaEnforcementState: [RecaptchaEnforcement]? = nil) {
        self.recaptchaKey = recaptchaKey
        self.recaptchaEnforcementState = recaptchaEnforcementState
    }
}

/// Whether one way of signing in asks for a captcha. Source: REST reference of Identity Platform, v1 `projects` and v2
/// `recaptchaConfig`.
public struct RecaptchaEnforcement: Codable, Sendable, Equatable {
    /// For instance `EMAIL_PASSWORD_PROVIDER`.
    public var provider: String?
    /// `OFF`, `AUDIT` or `ENFORCE`.
    public var enforcementState: String?

    public init(provider: String? = nil, enforcementState: String? = nil) {
        self.provider = provider
        self.enforcementState = enforcementState
    }
}

/// `GET v2/passwordPolicy`: what a password must have. Clients ask for it before they send one.
public struct PasswordPolicy: Codable, Sendable, Equatable {
    public var customStrengthOptions: PasswordStrengthOptions?
    public var allowedNonAlphanumericCharacters: [String]?
    /// `OFF` or `ENFORCE`.
    public var enforcementState: String?
    public var forceUpgradeOnSignin: Bool?
    public var schemaVersion: Int?

    public init(
        customStrengthOptions: PasswordStrengthOptions? = nil, allowedNonAlphanumericCharacters: [String]? = nil,
        enforcementState: String? = nil, forceUpgradeOnSignin: Bool? = nil, schemaVersion: Int? = nil
    ) {
        self.customStrengthOptions = customStrengthOptions
        self.allowedNonAlphanumericCharacters = allowedNonAlphanumericCharacters
        self.enforcementState = enforcementState
        self.forceUpgradeOnSignin = forceUpgradeOnSignin
        self.schemaVersion = schemaVersion
    }
}

/// The single demands of a ``PasswordPolicy``.
public struct PasswordStrengthOptions: Codable, Sendable, Equatable {
    public var minPasswordLength: Int?
    public var maxPasswordLength: Int?
    public var containsLowercaseCharacter: Bool?
    public var containsUppercaseCharacter: Bool?
    public var containsNumericCharacter: Bool?
    public var containsNonAlphanumericCharacter: Bool?

    public init(
        minPasswordLength: Int? = nil, maxPasswordLength: Int? = nil, containsLowercaseCharacter: Bool? = nil,
        containsUppercaseCharacter: Bool? = nil, containsNumericCharacter: Bool? = nil,
        containsNonAlphanumericCharacter: Bool? = nil
    ) {
        self.minPasswordLength = minPasswordLength
        self.maxPasswordLength = maxPasswordLength
        self.containsLowercaseCharacter = containsLowercaseCharacter
        self.containsUppercaseCharacter = containsUppercaseCharacter
        self.containsNumericCharacter = containsNumericCharacter
        self.containsNonAlphanumericCharacter = containsNonAlphanumericCharacter
    }
}
