import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import ServerHTTP

/// The log in Guardian's words (Auth0, "Log Event Type Codes": `gd_…`).
extension Guardian {
    private struct Entry: Encodable {
        let _id: String
        let log_id: String
        let date: String
        let type: String
        let description: String
        let ip: String?
        let user_id: String?
        let client_id: String?
        let tenant_name: String
        let is_mobile = false
        let details: JSONValue
    }

    /// Events that this protocol has a word for.
    private static func type(of event: AuditEvent) -> (type: String, description: String)? {
        let kind = event.details["kind"]?.stringValue.map(FactorKind.init(rawValue:))
        let isRecovery = kind == .recoveryCode
        switch event.kind {
        case .deviceInvited: return ("gd_start_enroll", "Enrollment started")
        case .factorEnrolled: return ("gd_enrollment_complete", "Enrollment complete")
        case .secondFactorAsked: return ("gd_start_auth", "Second factor authentication started")
        case .approvalAsked: return ("gd_send_pn", "Push notification sent")
        case .pushFailed: return ("gd_send_pn_failure", "Push notification could not be sent")
        case .approvalAllowed where isRecovery, .signedIn where isRecovery:
            return ("gd_recovery_succeed", "Recovery succeeded")
        case .signedIn where event.dialect == .guardian && kind != nil:
            return ("gd_auth_succeed", "Second factor authentication succeeded")
        case .approvalAllowed: return ("gd_auth_succeed", "Second factor authentication succeeded")
        case .approvalRejected: return ("gd_auth_rejected", "Second factor authentication rejected")
        case .signInDisowned: return ("gd_auth_rejected", "The user said that the sign-in was not theirs")
        case .factorWithdrawn, .factorsReset: return ("gd_unenroll", "Device unenrolled")
        case .deviceChanged: return ("gd_update_device_account", "Device account updated")
        // A wrong password is none of this protocol's events.
        case .answerRefused where event.dialect == .guardian && kind != nil && kind != .password:
            let limits: [Refusal.Reason] = [.lockedOut, .authenticatorDisabled, .flowExhausted]
            switch (isRecovery, limits.contains { $0.rawValue == event.reason }) {
            case (true, true): return ("gd_recovery_rate_limit_exceed", "Too many failures")
            case (true, false): return ("gd_recovery_failed", "Recovery failed")
            case (false, true): return ("gd_otp_rate_limit_exceed", "Too many failures")
            case (false, false): return ("gd_auth_failed", "Second factor authentication failed")
            }
        case .settingsChanged where event.details.keys.contains(where: { $0.hasPrefix("secondFactors.") }):
            return ("gd_tenant_update", "Multi-factor settings updated")
        default: return nil
        }
    }

    private func entry(_ event: AuditEvent) -> Entry? {
        guard let (type, description) = Self.type(of: event) else { return nil }
        var details = event.details
        details["purpose"] = nil
        if let factor = details.removeValue(forKey: "factor") { details["device_id"] = factor }
        if let kind = details.removeValue(forKey: "kind") { details["authenticator"] = .object(["type": kind]) }
        if let reason = event.reason { details["failure_details"] = .object(["errorCode": .string(reason)]) }
        let reason = details["reason"]?.stringValue
        return Entry(
            _id: event.id, log_id: event.id, date: GuardianTimestamp.string(from: event.at), type: type,
            description: reason.map { "\(description): \($0)" } ?? description, ip: event.source,
            user_id: event.userID.map(Self.name), client_id: event.clientID?.rawValue, tenant_name: options.tenant,
            details: .object(details))
    }

    /// How many events are looked through for one page.
    private static let scanned = 1000

    /// `GET logs?q=type:gd_auth_rejected`, the newest first. `q` or `search` may name a type and a user; `page` and
    /// `per_page` or `take` page through the newest thousand.
    func listLogs(_ request: Request, _ call: GuardianCall) async throws -> Response {
        var wanted: [String: String] = [:]
        for term in (call.query["q"] ?? call.query["search"] ?? "").split(separator: " ") where term != "AND" {
            let parts = term.split(separator: ":", maxSplits: 1).map { part in
                String(String.UnicodeScalarView(part.unicodeScalars.filter { $0 != "\"" }))
            }
            guard parts.count == 2, ["type", "user_id"].contains(parts[0]) else {
                throw GuardianError.invalidQuery("Search by type:… and user_id:….")
            }
            wanted[parts[0]] = parts[1]
        }
        guard call.query["from"] == nil else {
            throw GuardianError.invalidQuery("Page by page and per_page, or by take; not by from.")
        }
        let userID = wanted["user_id"].map { Self.userID($0) ?? UserID(rawValue: "") }
        return try await logs(of: userID, type: wanted["type"], Paging(call, size: "take"), call)
    }

    /// `GET users/{id}/logs`: what happened to one user, in the same form.
    func listUserLogs(_ request: Request, _ call: GuardianCall) async throws -> Response {
        try await logs(of: user(call).user.id, type: nil, Paging(call), call)
    }

    private func logs(
        of userID: UserID?, type: String?, _ paging: Paging, _ call: GuardianCall
    ) async throws -> Response {
        guard ["date:-1", nil].contains(call.query["sort"]) else {
            throw GuardianError.invalidQuery("Events are answered the newest first: sort has to be date:-1.")
        }
        let events = try await realm.auditLog.events(of: userID, limit: Self.scanned)
        let entries = events.compactMap(entry).filter { type == nil || $0.type == type }
        return try paging.response(of: entries, named: "logs")
    }

    func showLog(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let events = try await realm.auditLog.events(limit: Self.scanned)
        guard let event = events.first(where: { $0.id == call.parameters["id"] }), let entry = entry(event) else {
            throw GuardianError(404, "not_found", "There is no such event among the newest thousand.")
        }
        return try .json(entry)
    }
}
