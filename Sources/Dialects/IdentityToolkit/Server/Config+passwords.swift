import CountersignCore
import IdentityToolkitWire

/// Identity Platform's password policy (documentation, "Enable, disable, and use password policies"), as the realm's.
extension PasswordPolicyConfig {
    private static let path = "passwordPolicyConfig"
    private static let options = "\(path).passwordPolicyVersions[0].customStrengthOptions"
    /// What `minPasswordLength` may be.
    private static let minimumLengths = 6...30

    /// Refuses what is not done, and numbers that make no sense.
    func validate() throws {
        let state = try Enumeration.passwordPolicyState.word(
            passwordPolicyEnforcementState, at: "config.password_policy_config.password_policy_enforcement_state")
        if state == "OFF" {
            throw Self.refusal("passwordPolicyEnforcementState cannot be OFF: a policy is always enforced")
        }
        if forceUpgradeOnSignin == true {
            throw Self.refusal("forceUpgradeOnSignin cannot be on: passwords are judged when they are set")
        }
        guard let versions = passwordPolicyVersions, !versions.isEmpty else { return }
        guard versions.count == 1 else { throw Self.refusal("passwordPolicyVersions has to have one entry") }
        guard let options = versions[0].customStrengthOptions else { return }
        let minimum = options.minPasswordLength ?? CountersignCore.PasswordPolicy.standard.minimumLength
        guard Self.minimumLengths.contains(minimum) else {
            throw IdentityToolkitError(
                .invalidConfig, "\(Self.options).minPasswordLength has to be between 6 and 30.")
        }
        if let maximum = options.maxPasswordLength,
            !(minimum...CountersignCore.PasswordPolicy.longestMaximum).contains(maximum)
        {
            throw IdentityToolkitError(
                .invalidConfig,
                "\(Self.options).maxPasswordLength has to be between minPasswordLength and "
                    + "\(CountersignCore.PasswordPolicy.longestMaximum).")
        }
    }

    private static func refusal(_ sentence: String) -> IdentityToolkitError {
        IdentityToolkitError(.invalidConfig, "\(path).\(sentence).")
    }

    /// The policy as administrators read it.
    init(_ policy: CountersignCore.PasswordPolicy) {
        self.init(
            passwordPolicyEnforcementState: "ENFORCE",
            passwordPolicyVersions: [
                PasswordPolicyVersion(customStrengthOptions: PasswordStrengthOptions(policy), schemaVersion: 1)
            ])
    }
}

extension CountersignCore.PasswordPolicy {
    /// Takes over what the mask names: the lengths and kinds of characters of the one version, or the standard ones where
    /// the body has none.
    mutating func apply(_ config: PasswordPolicyConfig, mask: UpdateMask) {
        let path = "passwordPolicyConfig.passwordPolicyVersions"
        guard mask.covers(path, present: config.passwordPolicyVersions != nil) else { return }
        let options = config.passwordPolicyVersions?.first?.customStrengthOptions
        minimumLength = options?.minPasswordLength ?? Self.standard.minimumLength
        // This protocol has one length for all users.
        minimumLengthAlone = nil
        maximumLength = options?.maxPasswordLength
        let kinds: [(CharacterKind, Bool?)] = [
            (.lowercase, options?.containsLowercaseCharacter), (.uppercase, options?.containsUppercaseCharacter),
            (.digit, options?.containsNumericCharacter), (.symbol, options?.containsNonAlphanumericCharacter),
        ]
        required = Set(kinds.filter { $0.1 == true }.map(\.0))
    }
}

extension PasswordStrengthOptions {
    /// What a password needs, as clients and administrators read it: what is not asked for is left out.
    init(_ policy: CountersignCore.PasswordPolicy) {
        func isRequired(_ kind: CharacterKind) -> Bool? { policy.required.contains(kind) ? true : nil }
        self.init(
            minPasswordLength: policy.minimumLengthAlone ?? policy.minimumLength,
            maxPasswordLength: policy.maximumLength ?? CountersignCore.PasswordPolicy.maximumLength,
            containsLowercaseCharacter: isRequired(.lowercase), containsUppercaseCharacter: isRequired(.uppercase),
            containsNumericCharacter: isRequired(.digit), containsNonAlphanumericCharacter: isRequired(.symbol))
    }
}
