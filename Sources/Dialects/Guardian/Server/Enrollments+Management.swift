import CountersignCore
import Foundation
import GuardianWire
import HTTPTypes
import Hummingbird
import ServerHTTP

/// The Management API's enrolments (Auth0, Management API v2, "Multi-factor": Guardian).
extension Guardian {
    private struct Enrollment: Encodable {
        let id: String
        /// `pending` or `confirmed`.
        let status: String
        let type: String
        let auth_method: String
        let name: String?
        let identifier: String?
        let enrolled_at: String?
        let last_auth: String?

        init(_ device: Devices.Device) {
            id = device.id.rawValue
            status = "confirmed"
            type = "pn"
            auth_method = "guardian"
            name = device.name
            identifier = device.identifier
            enrolled_at = GuardianTimestamp.string(from: device.enrolledAt)
            last_auth = device.lastUsedAt.map(GuardianTimestamp.string)
        }

        init(_ factor: FactorRecord) {
            id = factor.id.rawValue
            status = "confirmed"
            type = "authenticator"
            auth_method = "authenticator"
            name = factor.name
            identifier = nil
            enrolled_at = GuardianTimestamp.string(from: factor.createdAt)
            last_auth = factor.lastUsedAt.map(GuardianTimestamp.string)
        }

        init(_ pending: PendingEnrolment) {
            let isDevice = pending.kinds.contains(.push)
            id = pending.id.rawValue
            status = "pending"
            type = isDevice ? "pn" : "authenticator"
            auth_method = isDevice ? "guardian" : "authenticator"
            (name, identifier, enrolled_at, last_auth) = (nil, nil, nil, nil)
        }
    }

    private func enrolledID(_ call: GuardianCall) throws -> FactorID {
        guard let id = call.parameters["id"] else { throw GuardianError.unknownEnrollment }
        return FactorID(rawValue: id)
    }

    func showEnrollment(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let id = try enrolledID(call)
        guard let factor = try await realm.enrolments.secondFactor(id) else {
            guard let pending = try await realm.enrolments.pending(id) else { throw GuardianError.unknownEnrollment }
            return try .json(Enrollment(pending))
        }
        if let device = try await realm.devices.device(factor.id) { return try .json(Enrollment(device)) }
        return try .json(Enrollment(factor))
    }

    func removeEnrollment(_ request: Request, _ call: GuardianCall) async throws -> Response {
        guard let factor = try await realm.enrolments.secondFactor(enrolledID(call)),
            try await realm.enrolments.remove(factor.id, of: factor.userID, by: call.client)
        else { throw GuardianError.unknownEnrollment }
        return .done
    }

    func listEnrollments(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let found = try await user(call)
        let devices = try await realm.devices.devices(of: found.user.id).map { Enrollment($0) }
        return try Paging(call).response(
            of: devices + found.factors.filter { $0.kind == .totp }.map { Enrollment($0) }, named: "enrollments")
    }

    /// Everything that is a second factor goes, and the recovery code with it.
    func removeAuthenticators(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let found = try await user(call)
        guard try await realm.enrolments.reset(of: found.user.id, by: call.client) != nil else {
            throw GuardianError.userNotFound
        }
        return .done
    }

    func regenerateRecoveryCode(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let found = try await user(call)
        guard let code = try await realm.enrolments.makeRecoveryCode(for: found.user.id, by: call.client) else {
            throw GuardianError(
                404, "enrollment_not_found", "The user has no second factor that a code could stand in for.")
        }
        return try .json(RecoverAccountBody(recoveryCode: code.reveal()))
    }
}
