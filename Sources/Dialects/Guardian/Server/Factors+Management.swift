import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP

/// The Management API's factors (Auth0, Management API v2, "Guardian").
extension Guardian {
    private struct FactorSwitch: Encodable {
        let name: String
        let enabled: Bool
        let trial_expired = false
    }

    private struct Enabled: Codable, Sendable {
        let enabled: Bool?
    }

    private static let otherFactors = ["sms", "email", "duo", "webauthn-roaming", "webauthn-platform"]

    func listFactors(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let settings = try await realm.settings().secondFactors
        return try .json(
            [
                FactorSwitch(name: "push-notification", enabled: settings.offersPush),
                FactorSwitch(name: "otp", enabled: settings.offersTOTP),
                FactorSwitch(name: "recovery-code", enabled: true),
            ] + Self.otherFactors.map { FactorSwitch(name: $0, enabled: false) })
    }

    func switchFactor(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let name = call.parameters["name"] ?? "push-notification"
        guard let enabled = try await request.decodeBody(as: Enabled.self).enabled else {
            throw GuardianError.invalidBody("Send {\"enabled\": true} or {\"enabled\": false}.")
        }
        switch name {
        case "push-notification":
            try await realm.changeSettings(by: call.client, details: ["secondFactors.offersPush": .bool(enabled)]) {
                $0.secondFactors.offersPush = enabled
            }
        case "otp":
            try await realm.changeSettings(by: call.client, details: ["secondFactors.totp.state": .bool(enabled)]) {
                let state = enabled ? SecondFactorSettings.State.enabled : .disabled
                if $0.secondFactors.totp == nil {
                    $0.secondFactors.totp = TOTPSettings(state: state, adjacentIntervals: 1)
                } else {
                    $0.secondFactors.totp?.state = state
                }
            }
        case "recovery-code":
            guard enabled else {
                throw GuardianError(400, "invalid_body", "Recovery codes cannot be switched off.")
            }
        case _ where Self.otherFactors.contains(name):
            guard !enabled else {
                throw GuardianError(400, "feature_disabled", "This server has no factor \(name).")
            }
        default: throw GuardianError(404, "not_found", "There is no factor of this name.")
        }
        return try .json(Enabled(enabled: enabled))
    }
}
