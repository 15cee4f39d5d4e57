import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `GET …/projects/{p}/config`: the whole configuration, always with `mfa.state` (spec, trap 8).
    func projectConfig(_ call: Call) async throws -> ProjectConfig {
        let settings = try await realm.settings()
        return ProjectConfig(settings, projectID: options.projectID, authorizedDomains: authorizedDomains(settings))
    }

    /// `PATCH …/projects/{p}/config?updateMask=…`: changes what the mask names; without a mask, what the body brings.
    func updateProjectConfig(_ request: ProjectConfig, _ call: Call) async throws -> ProjectConfig {
        let mask = UpdateMask(call.query["updateMask"] ?? call.query["update_mask"])
        try request.mfa?.validate()
        try request.validateAuthorizedDomains()
        let settings = try await realm.changeSettings(by: call.client) { settings in
            if mask.covers("mfa", present: request.mfa != nil) {
                settings.secondFactors.apply(request.mfa ?? MultiFactorAuthConfig(), mask: mask)
            }
            if mask.covers("emailPrivacyConfig.enableImprovedEmailPrivacy", present: request.emailPrivacyConfig != nil)
            {
                settings.privacy.hidesAddresses =
                    request.emailPrivacyConfig?.enableImprovedEmailPrivacy ?? PrivacySettings().hidesAddresses
            }
            if mask.covers("signIn.anonymous.enabled", present: request.signIn?.anonymous != nil) {
                settings.signUp.anonymous = request.signIn?.anonymous?.enabled ?? false
            }
            if mask.covers("authorizedDomains", present: request.authorizedDomains != nil) {
                settings.links.authorizedDomains = request.authorizedDomains
            }
            return settings
        }
        return ProjectConfig(settings, projectID: options.projectID, authorizedDomains: authorizedDomains(settings))
    }
}

/// The field mask of a PATCH: dotted paths, separated by commas, in camel or snake case.
struct UpdateMask: Sendable {
    /// Nil: no mask was given.
    let paths: [String]?

    init(_ text: String?) {
        paths = text.flatMap { text in
            let paths = text.split(separator: ",").map { path in
                let path = Self.camelCased(path.trimmingCharacters(in: .whitespaces))
                // `mfa.*` is all there is of `mfa`.
                return path.hasSuffix(".*") ? String(path.dropLast(2)) : path
            }
            return paths.isEmpty ? nil : paths
        }
    }

    /// Whether the mask names the path, something above it or something below it.
    /// - Parameter present: whether the body has it, which counts where there is no mask.
    func covers(_ path: String, present: Bool) -> Bool {
        guard let paths else { return present }
        return paths.contains { given in
            given == "*" || given == path || path.hasPrefix(given + ".") || given.hasPrefix(path + ".")
        }
    }

    private static func camelCased(_ path: String) -> String {
        var result = ""
        var raise = false
        for character in path {
            if character == "_" {
                raise = true
            } else {
                result += raise ? character.uppercased() : String(character)
                raise = false
            }
        }
        return result
    }
}

extension ProjectConfig {
    fileprivate func validateAuthorizedDomains() throws {
        guard let authorizedDomains else { return }
        if authorizedDomains.count > LinkSettings.mostDomains {
            throw IdentityToolkitError(
                message: "INVALID_CONFIG : At most \(LinkSettings.mostDomains) authorized domains.")
        }
        if let bad = authorizedDomains.first(where: { !LinkSettings.isDomain($0) }) {
            throw IdentityToolkitError(message: "INVALID_CONFIG : \(bad.prefix(64)) is not a host name.")
        }
    }
}

extension MultiFactorAuthConfig {
    private static let type = "type.googleapis.com/google.cloud.identitytoolkit.admin.v2.MultiFactorAuthConfig"

    /// Refuses words and numbers that the protocol does not have (spec, section 3.1).
    func validate() throws {
        if let state, state != "STATE_UNSPECIFIED", SecondFactorSettings.State(rawValue: state) == nil {
            throw IdentityToolkitError.invalidValue("config.mfa.state", type: "\(Self.type).State", value: state)
        }
        for (index, provider) in (enabledProviders ?? []).enumerated() where provider != "PHONE_SMS" {
            throw IdentityToolkitError.invalidValue(
                "config.mfa.enabled_providers[\(index)]", type: "\(Self.type).Provider", value: provider)
        }
        for (index, entry) in (providerConfigs ?? []).enumerated() {
            if let state = entry.state, state != "MFA_STATE_UNSPECIFIED",
                SecondFactorSettings.State(rawValue: state) == nil
            {
                throw IdentityToolkitError.invalidValue(
                    "config.mfa.provider_configs[\(index)].state",
                    type: "type.googleapis.com/google.cloud.identitytoolkit.admin.v2.ProviderConfig.MfaState",
                    value: state)
            }
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

extension SecondFactorSettings {
    /// Takes over what the mask names.
    fileprivate mutating func apply(_ config: MultiFactorAuthConfig, mask: UpdateMask) {
        if mask.covers("mfa.state", present: config.state != nil) {
            // The reference page switches TOTP on with a body that has no state (spec, trap 8).
            if let text = config.state {
                state = State(rawValue: text) ?? .disabled
            } else if mask.paths?.contains("mfa.state") == true {
                state = .disabled
            }
        }
        if mask.covers("mfa.enabledProviders", present: config.enabledProviders != nil) {
            listsPhone = config.enabledProviders?.contains("PHONE_SMS") ?? false
        }
        if mask.covers("mfa.providerConfigs", present: config.providerConfigs != nil) {
            let entry = config.providerConfigs?.last { $0.totpProviderConfig != nil }
            totp = entry.map { entry in
                TOTPSettings(
                    state: entry.state.flatMap(State.init(rawValue:)) ?? .disabled,
                    adjacentIntervals: entry.totpProviderConfig?.adjacentIntervals)
            }
        }
    }
}

extension ProjectConfig {
    /// The configuration as administrators read it.
    init(_ settings: RealmSettings, projectID: String, authorizedDomains: [String]) {
        let second = settings.secondFactors
        let mfa = MultiFactorAuthConfig(
            state: second.state.rawValue,
            enabledProviders: second.listsPhone ? ["PHONE_SMS"] : nil,
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
                email: EmailSignInConfig(enabled: true, passwordRequired: false),
                anonymous: ProviderSwitch(enabled: settings.signUp.allowsAnonymous), allowDuplicateEmails: false),
            mfa: mfa,
            authorizedDomains: authorizedDomains,
            emailPrivacyConfig: EmailPrivacyConfig(enableImprovedEmailPrivacy: settings.privacy.hidesAddresses),
            subtype: "IDENTITY_PLATFORM")
    }
}
