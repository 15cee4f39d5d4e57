import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `GET …/projects/{p}/config`: the whole configuration, always with `mfa.state`, without which the Node Admin SDK
    /// throws.
    func projectConfig(_ call: Call) async throws -> ProjectConfig {
        projectConfig(of: try await realm.settings())
    }

    private func projectConfig(of settings: RealmSettings) -> ProjectConfig {
        ProjectConfig(
            settings, projectID: options.projectID, authorizedDomains: authorizedDomains(settings),
            isDevelopment: realm.mode.allowsAnonymousUsers)
    }

    /// `PATCH …/projects/{p}/config?updateMask=…`: changes what the mask names; without a mask, what the body brings. What
    /// cannot be changed is refused by name.
    func updateProjectConfig(_ request: ConfigPatch, _ call: Call) async throws -> ProjectConfig {
        let mask = UpdateMask(call.query["updateMask"] ?? call.query["update_mask"])
        try mask.validate(
            leaves: Self.changeableSettings + FixedSettings.outputOnly, branches: FixedSettings.paths)
        try FixedSettings.validate(request.body, mask: mask)
        let config = request.config
        try config.mfa?.validate()
        try config.passwordPolicyConfig?.validate()
        try config.validateAuthorizedDomains()
        let named = Self.changeableSettings.filter { mask.covers($0, present: request.body.value(at: $0) != nil) }
        let details: [String: JSONValue] = ["settings": .array(named.map { .string($0) })]
        let settings = try await realm.changeSettings(by: call.client, details: details) { settings in
            if mask.covers("mfa", present: config.mfa != nil) {
                settings.apply(config.mfa ?? MultiFactorAuthConfig(), mask: mask)
            }
            if mask.covers("emailPrivacyConfig.enableImprovedEmailPrivacy", present: config.emailPrivacyConfig != nil) {
                settings.privacy.hidesAddresses =
                    config.emailPrivacyConfig?.enableImprovedEmailPrivacy ?? PrivacySettings().hidesAddresses
            }
            if mask.covers("authorizedDomains", present: config.authorizedDomains != nil) {
                settings.links.authorizedDomains = config.authorizedDomains
            }
            settings.apply(config.signIn, mask: mask)
            settings.apply(config.client?.permissions, mask: mask)
            settings.passwords.apply(config.passwordPolicyConfig ?? PasswordPolicyConfig(), mask: mask)
            return settings
        }
        return projectConfig(of: settings)
    }

    private static let changeableSettings = [
        "mfa.state", "mfa.enabledProviders", "mfa.providerConfigs", "emailPrivacyConfig.enableImprovedEmailPrivacy",
        "signIn.anonymous.enabled", "signIn.email.enabled", "signIn.email.passwordRequired",
        "client.permissions.disabledUserSignup", "client.permissions.disabledUserDeletion",
        "passwordPolicyConfig.passwordPolicyEnforcementState", "passwordPolicyConfig.forceUpgradeOnSignin",
        "passwordPolicyConfig.passwordPolicyVersions", "authorizedDomains",
    ]
}

/// A configuration as it came: what is done of it, and all that it says.
struct ConfigPatch: Decodable, Sendable {
    let config: ProjectConfig
    let body: JSONValue

    init(from decoder: any Decoder) throws {
        config = try ProjectConfig(from: decoder)
        body = try decoder.singleValueContainer().decode(JSONValue.self)
    }
}

extension RealmSettings {
    fileprivate mutating func apply(_ config: SignInConfig?, mask: UpdateMask) {
        if mask.covers("signIn.anonymous.enabled", present: config?.anonymous != nil) {
            signUp.anonymous = config?.anonymous?.enabled ?? false
        }
        let email = config?.email
        if mask.covers("signIn.email.enabled", present: email?.enabled != nil) {
            identityToolkit.allowsEmail = email?.enabled ?? IdentityToolkitSettings().allowsEmail
        }
        if mask.covers("signIn.email.passwordRequired", present: email?.passwordRequired != nil) {
            identityToolkit.allowsEmailLinks = email?.passwordRequired != true
        }
    }

    fileprivate mutating func apply(_ permissions: ClientPermissions?, mask: UpdateMask) {
        if mask.covers("client.permissions.disabledUserSignup", present: permissions?.disabledUserSignup != nil) {
            signUp.isOpen = permissions?.disabledUserSignup != true
        }
        if mask.covers("client.permissions.disabledUserDeletion", present: permissions?.disabledUserDeletion != nil) {
            identityToolkit.allowsDeletion = permissions?.disabledUserDeletion != true
        }
    }
}

extension ProjectConfig {
    fileprivate func validateAuthorizedDomains() throws {
        guard let authorizedDomains else { return }
        if authorizedDomains.count > LinkSettings.mostDomains {
            throw IdentityToolkitError(
                .invalidConfig, "At most \(LinkSettings.mostDomains) authorized domains.")
        }
        if let bad = authorizedDomains.first(where: { !LinkSettings.isDomain($0) }) {
            throw IdentityToolkitError(.invalidConfig, "\(bad.prefix(64)) is not a host name.")
        }
    }
}

extension MultiFactorAuthConfig {
    /// Refuses words and numbers that the protocol does not have.
    func validate() throws {
        _ = try Enumeration.secondFactorState.word(state, at: "config.mfa.state")
        _ = try Enumeration.secondFactorProvider.words(enabledProviders ?? []) {
            "config.mfa.enabled_providers[\($0)]"
        }
        for (index, entry) in (providerConfigs ?? []).enumerated() {
            _ = try Enumeration.providerState.word(entry.state, at: "config.mfa.provider_configs[\(index)].state")
            if let intervals = entry.totpProviderConfig?.adjacentIntervals,
                !TOTPSettings.allowedAdjacentIntervals.contains(intervals)
            {
                throw IdentityToolkitError(
                    .invalidAdjacentIntervalRange,
                    "Allowed number of adjacent intervals must be between 0 and 10, inclusive")
            }
        }
    }
}

extension RealmSettings {
    /// Takes over what the mask names.
    fileprivate mutating func apply(_ config: MultiFactorAuthConfig, mask: UpdateMask) {
        if mask.covers("mfa.state", present: config.state != nil) {
            // The reference page switches TOTP on with a body that has no state.
            if let text = config.state {
                secondFactors.state = SecondFactorSettings.State(.secondFactorState, text) ?? .disabled
            } else if mask.paths?.contains("mfa.state") == true {
                secondFactors.state = .disabled
            }
        }
        if mask.covers("mfa.enabledProviders", present: config.enabledProviders != nil) {
            let providers = try? Enumeration.secondFactorProvider.words(config.enabledProviders ?? []) { _ in "" }
            identityToolkit.listsPhone = providers?.contains("PHONE_SMS") ?? false
        }
        if mask.covers("mfa.providerConfigs", present: config.providerConfigs != nil) {
            let entry = config.providerConfigs?.last { $0.totpProviderConfig != nil }
            secondFactors.totp = entry.map { entry in
                TOTPSettings(
                    state: SecondFactorSettings.State(.providerState, entry.state) ?? .disabled,
                    adjacentIntervals: entry.totpProviderConfig?.adjacentIntervals)
            }
        }
    }
}

extension SecondFactorSettings.State {
    /// Nil where a request names none; its words were checked before.
    fileprivate init?(_ enumeration: Enumeration, _ text: String?) {
        guard let word = try? enumeration.word(text, at: "") else { return nil }
        self.init(rawValue: word)
    }
}

extension ProjectConfig {
    /// The configuration as administrators read it.
    /// - Parameter isDevelopment: whether anonymous users are allowed where the setting is unset.
    init(_ settings: RealmSettings, projectID: String, authorizedDomains: [String], isDevelopment: Bool) {
        let second = settings.secondFactors
        let mfa = MultiFactorAuthConfig(
            state: second.state.rawValue,
            enabledProviders: settings.identityToolkit.listsPhone ? ["PHONE_SMS"] : nil,
            providerConfigs: second.totp.map { totp in
                [
                    MultiFactorProviderConfig(
                        state: totp.state.rawValue,
                        // Zero is left out, as protocol buffers do; an absent number reads the same and means five.
                        totpProviderConfig: TOTPProviderConfig(
                            adjacentIntervals: totp.adjacentIntervals == 0 ? nil : totp.adjacentIntervals))
                ]
            })
        self.init(
            name: "projects/\(projectID)/config",
            signIn: SignInConfig(
                email: EmailSignInConfig(
                    enabled: settings.identityToolkit.allowsEmail,
                    passwordRequired: !settings.identityToolkit.allowsEmailLinks),
                anonymous: ProviderSwitch(enabled: settings.signUp.anonymous ?? isDevelopment),
                allowDuplicateEmails: false),
            client: ClientConfig(
                permissions: ClientPermissions(
                    disabledUserSignup: !settings.signUp.isOpen,
                    disabledUserDeletion: !settings.identityToolkit.allowsDeletion)),
            mfa: mfa,
            authorizedDomains: authorizedDomains,
            emailPrivacyConfig: EmailPrivacyConfig(enableImprovedEmailPrivacy: settings.privacy.hidesAddresses),
            passwordPolicyConfig: PasswordPolicyConfig(settings.passwords),
            subtype: "IDENTITY_PLATFORM")
    }
}
