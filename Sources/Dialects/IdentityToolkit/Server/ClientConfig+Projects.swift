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

    /// `GET v2/passwordPolicy`: what a password needs, for clients that tell their users before they send one.
    func passwordPolicy(_ call: Call) async throws -> IdentityToolkitWire.PasswordPolicy {
        IdentityToolkitWire.PasswordPolicy(
            customStrengthOptions: PasswordStrengthOptions(call.settings.passwords),
            allowedNonAlphanumericCharacters: Self.signs.map(String.init), enforcementState: "ENFORCE",
            schemaVersion: 1)
    }

    /// The signs on a keyboard. The server takes any other as well.
    private static let signs = "^$*.[]{}()?\"!@#%&/\\,><':;|_~-+=` "
}
