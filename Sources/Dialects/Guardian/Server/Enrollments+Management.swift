import CountersignCore
import Foundation
import GuardianWire
import HTTPTypes
import Hummingbird
import ServerHTTP

/// The Management API's enrolments and users (spec, section 6.2).
extension Guardian {
    private struct Enrollment: Encodable {
        let id: String
        let status: String
        let type: String
        let auth_method: String
        let name: String
        let identifier: String?
        let enrolled_at: String
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
    }

    private func enrolledID(_ call: GuardianCall) throws -> FactorID {
        guard let id = call.parameters["id"], !id.utf8.contains(0) else { throw GuardianError.unknownEnrollment }
        return FactorID(rawValue: id)
    }

    func showEnrollment(_ request: Request, _ call: GuardianCall) async throws -> Response {
        guard let factor = try await realm.enrolments.secondFactor(enrolledID(call)) else {
            throw GuardianError.unknownEnrollment
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

    // MARK: Users

    private struct UserRequest: Decodable, Sendable {
        let email: String?
        let password: String?
        let email_verified: Bool?
        let name: String?
    }

    private struct UserAnswer: Encodable {
        let user_id: String
        let email: String?
        let email_verified: Bool
        let name: String?
        let created_at: String
    }

    /// `POST users`: makes a user (design, "Guardian").
    func createUser(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let body = try await request.decodeBody(as: UserRequest.self)
        guard let email = body.email.flatMap(EmailAddress.init) else {
            throw GuardianError.invalidBody("email has to be an e-mail address.")
        }
        let profile = UserProfile(emailVerified: body.email_verified ?? false, displayName: body.name)
        switch try await realm.accounts.create(
            email: email, password: body.password.map { Secret($0) }, profile: profile, by: call.client)
        {
        case .success(let user):
            return try .json(
                UserAnswer(
                    user_id: Self.name(of: user.id), email: user.email?.canonical,
                    email_verified: user.profile.emailVerified, name: user.profile.displayName,
                    created_at: GuardianTimestamp.string(from: user.createdAt)), status: .created)
        case .failure(.addressTaken): throw GuardianError(409, "auth0_idp_error", "The user already exists.")
        case .failure(.weakPassword):
            throw GuardianError(400, "invalid_body", "PasswordStrengthError: Password is too weak")
        case .failure: throw GuardianError.invalidBody("The user cannot be made with these values.")
        }
    }

    func user(_ call: GuardianCall) async throws -> (user: User, factors: [FactorRecord]) {
        guard let id = call.parameters["id"].flatMap(Self.userID),
            let found = try await realm.accounts.userAndFactors(id)
        else { throw GuardianError.userNotFound }
        return found
    }

    func listEnrollments(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let found = try await user(call)
        let devices = try await realm.devices.devices(of: found.user.id).map { Enrollment($0) }
        return try .json(devices + found.factors.filter { $0.kind == .totp }.map { Enrollment($0) })
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
