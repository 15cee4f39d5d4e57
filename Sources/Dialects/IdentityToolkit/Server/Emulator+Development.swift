import CountersignCore
import Foundation
import IdentityToolkitWire

/// What the emulator has beside the protocol, under `--dev` alone (firebase-tools, the Authentication emulator). Like
/// the emulator's, these endpoints need no key.
extension IdentityToolkit {
    /// Messages of the outbox that are searched for open codes, the newest.
    private static let searchedMessages = 1000

    /// `DELETE emulator/v1/projects/{p}/accounts`: removes all users.
    func deleteAllAccounts(_ call: Call) async throws -> [String: String] {
        _ = try await realm.accounts.deleteAll(by: call.client)
        return [:]
    }

    /// `GET emulator/v1/projects/{p}/config`.
    func emulatorConfig(_ call: Call) async throws -> EmulatorConfig {
        EmulatorConfig(try await realm.settings())
    }

    /// `PATCH emulator/v1/projects/{p}/config`: changes what the body brings.
    func updateEmulatorConfig(_ request: EmulatorConfig, _ call: Call) async throws -> EmulatorConfig {
        if request.signIn?.allowDuplicateEmails == true {
            throw IdentityToolkitError(.operationNotAllowed, "An address is one account's here, always.")
        }
        let settings = try await realm.changeSettings(by: call.client) { settings in
            if let hides = request.emailPrivacyConfig?.enableImprovedEmailPrivacy {
                settings.privacy.hidesAddresses = hides
            }
            return settings
        }
        return EmulatorConfig(settings)
    }

    /// `GET emulator/v1/projects/{p}/oobCodes`: the mailed codes that are still open, the oldest first. The server
    /// keeps only digests; the codes are in the mails. One that was handed to an administrator is nowhere.
    func openOobCodes(_ call: Call) async throws -> EmulatorOobCodes {
        var codes: [EmulatorOobCode] = []
        for opened in try await realm.outbox.messages(limit: Self.searchedMessages) {
            guard let link = opened.content.values["link"],
                let code = URLComponents(string: "/\(link)")?.queryItems?.first(where: { $0.name == "oobCode" })?.value,
                case .open(let summary) = try await realm.authenticator.status(
                    of: FlowHandle(code), expecting: .anyLink), summary.isLink
            else { continue }
            codes.append(
                EmulatorOobCode(
                    email: summary.email?.canonical, newEmail: summary.newEmail?.canonical,
                    requestType: summary.purpose.requestType, oobCode: code, oobLink: "\(options.publicURL())/\(link)"))
        }
        return EmulatorOobCodes(oobCodes: codes)
    }

    /// `GET emulator/v1/projects/{p}/verificationCodes`: none, as no text messages are sent.
    func openVerificationCodes(_ call: Call) async throws -> EmulatorVerificationCodes {
        EmulatorVerificationCodes(verificationCodes: [])
    }
}

extension EmulatorConfig {
    fileprivate init(_ settings: RealmSettings) {
        self.init(
            signIn: SignInConfig(allowDuplicateEmails: false),
            emailPrivacyConfig: EmailPrivacyConfig(enableImprovedEmailPrivacy: settings.privacy.hidesAddresses))
    }
}

extension IdentityToolkit {
    /// What SDKs of the emulator read at `/` to see that it is up (Firebase CLI, the emulator's `GET /`).
    public static let emulatorGreeting: JSONValue = .object([
        "authEmulator": .object([
            "ready": .bool(true), "docs": "docs/ in the source tree",
            "apiSpec": "/.well-known/openid-configuration",
        ])
    ])
}
