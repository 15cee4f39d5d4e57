import CountersignCore
import Hummingbird
import ServerHTTP

/// The Management API's policies (Auth0, Management API v2, "Guardian"): which users need a second factor.
extension Guardian {
    private static let allApplications = "all-applications"

    private func policies(_ settings: SecondFactorSettings) throws -> Response {
        try .json(settings.isRequired ? [Self.allApplications] : [])
    }

    func showPolicies(_ request: Request, _ call: GuardianCall) async throws -> Response {
        try policies(try await realm.settings().secondFactors)
    }

    /// `PUT guardian/policies`: `["all-applications"]` requires it of every user, `[]` of those who enrolled one.
    func setPolicies(_ request: Request, _ call: GuardianCall) async throws -> Response {
        guard case .array(let items) = try await request.bodyValue() else {
            throw GuardianError.invalidBody("Send [\"\(Self.allApplications)\"] or [].")
        }
        let isRequired: Bool
        switch items {
        case []: isRequired = false
        case [.string(Self.allApplications)]: isRequired = true
        case _ where items.contains(.string("confidence-score")):
            throw GuardianError(
                400, "feature_disabled", "confidence-score needs a judgement of risk, which this server does not make.")
        default: throw GuardianError.invalidBody("Send [\"\(Self.allApplications)\"] or [].")
        }
        let changed = try await realm.changeSettings(
            by: call.client, details: ["secondFactors.isRequired": .bool(isRequired)]
        ) { settings in
            if isRequired {
                settings.secondFactors.state = .mandatory
            } else if settings.secondFactors.isRequired {
                settings.secondFactors.state = .enabled
            }
            return settings.secondFactors
        }
        return try policies(changed)
    }
}
