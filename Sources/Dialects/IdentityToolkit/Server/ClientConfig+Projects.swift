import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// `GET projects`: what a client may know of the project.
    func clientProjectConfig(_ call: Call) async throws -> ClientProjectConfig {
        ClientProjectConfig(projectId: options.projectID, authorizedDomains: authorizedDomains(call.settings))
    }

    /// `GET v2/recaptchaConfig`: no captcha is asked for; limits do its work.
    func recaptchaConfig(_ call: Call) async throws -> RecaptchaConfig {
        RecaptchaConfig(recaptchaEnforcementState: [])
    }

    /// `GET v1/recaptchaParams`: likewise, for older clients.
    func recaptchaParams(_ call: Call) async throws -> [String: String] {
        ["kind": "identitytoolkit#GetRecaptchaParamResponse", "recaptchaStoken": "", "recaptchaSiteKey": ""]
    }

    /// `GET v2/passwordPolicy`: what a password needs. Length only: rules of composition help nobody.
    func passwordPolicy(_ call: Call) async throws -> IdentityToolkitWire.PasswordPolicy {
        let policy = call.settings.passwords
        return IdentityToolkitWire.PasswordPolicy(
            customStrengthOptions: PasswordStrengthOptions(
                minPasswordLength: policy.minimumLengthAlone ?? policy.minimumLength,
                maxPasswordLength: CountersignCore.PasswordPolicy.maximumLength),
            enforcementState: "ENFORCE", schemaVersion: 1)
    }
}
