import CountersignCore
import Foundation
import IdentityToolkitWire
import Passkeys

extension IdentityToolkit {
    /// `GET …/projects/{p}/passkeyConfig`: the relying party, as it is in effect.
    func passkeyConfig(_ call: Call) async throws -> PasskeyConfig {
        let party = try await realm.relyingParty()
        return PasskeyConfig(
            name: "projects/\(options.projectID)/passkeyConfig", rpId: party?.id,
            expectedOrigins: party?.origins.sorted())
    }

    /// `PATCH …/projects/{p}/passkeyConfig?updateMask=…`. An empty value goes back to what the server's own address says.
    func updatePasskeyConfig(_ request: PasskeyConfig, _ call: Call) async throws -> PasskeyConfig {
        let mask = UpdateMask(call.query["updateMask"] ?? call.query["update_mask"])
        try mask.validate(leaves: ["name", "rpId", "expectedOrigins"], branches: [])
        let details: [String: JSONValue] = [
            "settings": .array(
                ["rpId", "expectedOrigins"].filter {
                    mask.covers($0, present: $0 == "rpId" ? request.rpId != nil : request.expectedOrigins != nil)
                }.map { .string("passkeys.\($0)") })
        ]
        if mask.covers("rpId", present: request.rpId != nil) {
            var preview = try await realm.settings()
            preview.passkeys.rpID = request.rpId.flatMap { $0.isEmpty ? nil : $0 }
            // The protocol has no word by which an administrator could say that this is meant.
            let lost = try await realm.passkeys.count(lostBy: preview)
            if lost > 0 {
                throw IdentityToolkitError(
                    .invalidConfig,
                    "rpId cannot be changed: passkeys that would stop working: \(lost). `countersign config set "
                        + "passkeys.rpID … --yes` changes it.")
            }
        }
        _ = try await realm.changeSettings(by: call.client, details: details) { [site = realm.site] settings in
            if mask.covers("rpId", present: request.rpId != nil) {
                settings.passkeys.rpID = request.rpId.flatMap { $0.isEmpty ? nil : $0 }
            }
            if mask.covers("expectedOrigins", present: request.expectedOrigins != nil) {
                settings.passkeys.origins = request.expectedOrigins.flatMap { $0.isEmpty ? nil : $0 }
            }
            if let fault = settings.passkeys.fault(at: site) { throw IdentityToolkitError(.invalidConfig, fault) }
            return settings
        }
        return try await passkeyConfig(call)
    }
}
