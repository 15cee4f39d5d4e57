import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP

/// How devices learn about requests (Auth0, Management API v2, "Guardian"). Where the original takes a certificate
/// (`p12`), this takes the key that Apple gives today: `p8` with `key_id` and `team_id`.
extension Guardian {
    private struct SelectedProvider: Codable, Sendable {
        let provider: String?
    }

    private struct APNsProvider: Codable, Sendable {
        var key_id: String?
        var team_id: String?
        var bundle_id: String?
        var sandbox: Bool?
        /// Never answered.
        var p8: String?
        var p12: String?
        var enabled: Bool?
    }

    func showSelectedProvider(_ request: Request, _ call: GuardianCall) async throws -> Response {
        try .json(SelectedProvider(provider: try await realm.pushProviders.selected().rawValue))
    }

    func selectProvider(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let name = try await request.decodeBody(as: SelectedProvider.self).provider
        switch name {
        case "direct": try await realm.pushProviders.select(.direct, by: call.client)
        case "guardian": try await realm.pushProviders.select(.polled, by: call.client)
        case "sns": throw GuardianError.noSNS
        default: throw GuardianError.invalidBody("provider has to be direct or guardian.")
        }
        return try .json(SelectedProvider(provider: name))
    }

    func showAPNs(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let status = try await realm.pushProviders.apns()
        let isEnabled = try await realm.pushProviders.selected() == .direct && status.isComplete
        return try .json(answer(status, isEnabled: isEnabled))
    }

    func replaceAPNs(_ request: Request, _ call: GuardianCall) async throws -> Response {
        try await changeAPNs(request, call, replacesAll: true)
    }

    func updateAPNs(_ request: Request, _ call: GuardianCall) async throws -> Response {
        try await changeAPNs(request, call, replacesAll: false)
    }

    private func changeAPNs(_ request: Request, _ call: GuardianCall, replacesAll: Bool) async throws -> Response {
        let body = try await request.decodeBody(as: APNsProvider.self)
        guard body.p12 == nil else { throw GuardianError.noPKCS12 }
        if replacesAll {
            let missing =
                [("key_id", body.key_id), ("team_id", body.team_id), ("bundle_id", body.bundle_id)]
                .filter { $0.1 == nil }.map(\.0) + (body.p8 == nil ? ["p8"] : [])
            guard missing.isEmpty else {
                throw GuardianError.invalidBody(
                    "\(missing.joined(separator: ", ")) missing; PATCH changes single ones.")
            }
        }
        for (name, value) in [("key_id", body.key_id), ("team_id", body.team_id)] {
            guard value.map(APNsSettings.isIdentifier) ?? true else {
                throw GuardianError.invalidBody("\(name) has to be the letters and digits that Apple gave it.")
            }
        }
        guard body.bundle_id.map(APNsSettings.isBundleIdentifier) ?? true else {
            throw GuardianError.invalidBody("bundle_id has to be one such as com.example.app.")
        }
        let change = PushProviders.APNsChange(
            keyID: body.key_id, teamID: body.team_id, bundleID: body.bundle_id, isSandbox: body.sandbox,
            privateKey: body.p8.map { Secret(Self.pem($0)) })
        guard
            let status = try await realm.pushProviders.changeAPNs(change, replacesAll: replacesAll, by: call.client)
        else {
            throw GuardianError.invalidBody("p8 has to be the text of Apple's .p8 file: a P-256 key in PEM.")
        }
        return try .json(answer(status, isEnabled: nil))
    }

    /// The key's text, also where the file was encoded once more, as `p12` was.
    private static func pem(_ text: String) -> String {
        guard !text.contains("-----BEGIN"), let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters)
        else { return text }
        return String(decoding: data, as: UTF8.self)
    }

    private func answer(_ status: PushProviders.APNsStatus, isEnabled: Bool?) -> APNsProvider {
        APNsProvider(
            key_id: status.settings.keyID, team_id: status.settings.teamID, bundle_id: status.settings.bundleID,
            sandbox: status.settings.isSandbox, enabled: isEnabled)
    }

    func refuseFCM(_ request: Request, _ call: GuardianCall) async throws -> Response { throw GuardianError.noFCM }

    func refuseSNS(_ request: Request, _ call: GuardianCall) async throws -> Response { throw GuardianError.noSNS }
}
