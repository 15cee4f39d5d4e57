/// The project's settings: what `GET` and `PATCH` of `v2/projects/{p}/config` answer, and `PATCH`'s body, of which the
/// query item `updateMask` says which fields count. Also under `admin/v2`. Source: REST reference of Identity Platform,
/// v2 `Config`.
public struct ProjectConfig: Codable, Sendable, Equatable {
    /// `projects/{number}/config`.
    public var name: String?
    public var signIn: SignInConfig?
    public var client: ClientConfig?
    public var mfa: MultiFactorAuthConfig?
    public var authorizedDomains: [String]?
    public var emailPrivacyConfig: EmailPrivacyConfig?
    public var passwordPolicyConfig: PasswordPolicyConfig?
    public var subtype: String?

    public init(
        name: String? = nil, signIn: SignInConfig? = nil, client: ClientConfig? = nil,
        mfa: MultiFactorAuthConfig? = nil,
        authorizedDomains: [String]? = nil, emailPrivacyConfig: EmailPrivacyConfig? = nil,
        passwordPolicyConfig: PasswordPolicyConfig? = nil, subtype: String? = nil
    ) {
        self.name = name
        self.signIn = signIn
        self.client = client
        self.mfa = mfa
        self.authorizedDomains = authorizedDomains
        self.emailPrivacyConfig = emailPrivacyConfig
        self.passwordPolicyConfig = passwordPolicyConfig
        self.subtype = subtype
    }
}

/// Which ways of signing in are on. Source: REST reference of Identity Platform, v2 `Config`.
public struct SignInConfig: Codable, Sendable, Equatable {
    public var email: EmailSignInConfig?
    public var phoneNumber: ProviderSwitch?
    public var anonymous: ProviderSwitch?
    public var allowDuplicateEmails: Bool?

    public init(
        email: EmailSignInConfig? = nil, phoneNumber: ProviderSwitch? = nil, anonymous: ProviderSwitch? = nil,
        allowDuplicateEmails: Bool? = nil
    ) {
        self.email = email
        self.phoneNumber = phoneNumber
        self.anonymous = anonymous
        self.allowDuplicateEmails = allowDuplicateEmails
    }
}

/// What clients may do to accounts.
public struct ClientConfig: Codable, Sendable, Equatable {
    public var permissions: ClientPermissions?

    public init(permissions: ClientPermissions? = nil) {
        self.permissions = permissions
    }
}

/// Whether users are kept from making and deleting their own accounts.
public struct ClientPermissions: Codable, Sendable, Equatable {
    public var disabledUserSignup: Bool?
    public var disabledUserDeletion: Bool?

    public init(disabledUserSignup: Bool? = nil, disabledUserDeletion: Bool? = nil) {
        self.disabledUserSignup = disabledUserSignup
        self.disabledUserDeletion = disabledUserDeletion
    }
}

/// Whether addresses may sign in, and whether only with a password. Source: REST reference of Identity Platform, v2
/// `Config`.
public struct EmailSignInConfig: Codable, Sendable, Equatable {
    public var enabled: Bool?
    public var passwordRequired: Bool?

    public init(enabled: Bool? = nil, passwordRequired: Bool? = nil) {
        self.enabled = enabled
        self.passwordRequired = passwordRequired
    }
}

/// A way of signing in that is on or off. Source: REST reference of Identity Platform, v2 `Config`.
public struct ProviderSwitch: Codable, Sendable, Equatable {
    public var enabled: Bool?

    public init(enabled: Bool? = nil) {
        self.enabled = enabled
    }
}

/// The second factors of the project. `state` is always in an answer; TOTP is switched by its own entry in
/// `providerConfigs`, and not by `state`. Source: REST reference of Identity Platform, v2 `Config`.
public struct MultiFactorAuthConfig: Codable, Sendable, Equatable {
    /// `DISABLED`, `ENABLED` or `MANDATORY`.
    public var state: String?
    /// `PHONE_SMS`.
    public var enabledProviders: [String]?
    public var providerConfigs: [MultiFactorProviderConfig]?

    public init(
        state: String? = nil, enabledProviders: [String]? = nil, providerConfigs: [MultiFactorProviderConfig]? = nil
    ) {
        self.state = state
        self.enabledProviders = enabledProviders
        self.providerConfigs = providerConfigs
    }
}

/// One kind of second factor. An entry without `totpProviderConfig` says nothing. Source: REST reference of Identity
/// Platform, v2 `Config`.
public struct MultiFactorProviderConfig: Codable, Sendable, Equatable {
    /// `MFA_STATE_UNSPECIFIED`, `DISABLED`, `ENABLED` or `MANDATORY`.
    public var state: String?
    public var totpProviderConfig: TOTPProviderConfig?

    public init(state: String? = nil, totpProviderConfig: TOTPProviderConfig? = nil) {
        self.state = state
        self.totpProviderConfig = totpProviderConfig
    }
}

/// How far a code's time may be off. Source: REST reference of Identity Platform, v2 `Config`.
public struct TOTPProviderConfig: Codable, Sendable, Equatable {
    /// Steps of 30 s on either side, 0 to 10. Absent means 5 in a request; an answer leaves 0 out.
    public var adjacentIntervals: Int?

    public init(adjacentIntervals: Int? = nil) {
        self.adjacentIntervals = adjacentIntervals
    }
}

/// Whether answers hide which addresses have accounts. Source: REST reference of Identity Platform, v2 `Config`.
public struct EmailPrivacyConfig: Codable, Sendable, Equatable {
    public var enableImprovedEmailPrivacy: Bool?

    public init(enableImprovedEmailPrivacy: Bool? = nil) {
        self.enableImprovedEmailPrivacy = enableImprovedEmailPrivacy
    }
}

/// The password rules as an administrator sets them. Source: REST reference of Identity Platform, v2 `Config`.
public struct PasswordPolicyConfig: Codable, Sendable, Equatable {
    /// `OFF` or `ENFORCE`.
    public var passwordPolicyEnforcementState: String?
    public var forceUpgradeOnSignin: Bool?
    public var passwordPolicyVersions: [PasswordPolicyVersion]?
    public var lastUpdateTime: String?

    public init(
        passwordPolicyEnforcementState: String? = nil, forceUpgradeOnSignin: Bool? = nil,
        passwordPolicyVersions: [PasswordPolicyVersion]? = nil, lastUpdateTime: String? = nil
    ) {
        self.passwordPolicyEnforcementState = passwordPolicyEnforcementState
        self.forceUpgradeOnSignin = forceUpgradeOnSignin
        self.passwordPolicyVersions = passwordPolicyVersions
        self.lastUpdateTime = lastUpdateTime
    }
}

/// One version of the password rules. Source: REST reference of Identity Platform, v2 `Config`.
public struct PasswordPolicyVersion: Codable, Sendable, Equatable {
    public var customStrengthOptions: PasswordStrengthOptions?
    public var allowedNonAlphanumericCharacters: [String]?
    public var schemaVersion: Int?

    public init(
        customStrengthOptions: PasswordStrengthOptions? = nil, allowedNonAlphanumericCharacters: [String]? = nil,
        schemaVersion: Int? = nil
    ) {
        self.customStrengthOptions = customStrengthOptions
        self.allowedNonAlphanumericCharacters = allowedNonAlphanumericCharacters
        self.schemaVersion = schemaVersion
    }
}
