import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import OneTimePassword
import ServerHTTP

/// The Management API's authentication methods of a user (Auth0, Management API v2, "Users").
extension Guardian {
    private struct Method: Encodable {
        struct Part: Encodable {
            let type: String
            let id: String
        }

        let id: String
        let type: String
        var name: String?
        let confirmed = true
        let created_at: String
        let last_auth_at: String?
        /// What a device can do.
        var authentication_methods: [Part]?
        /// Only in the answer to who sent it.
        var totp_secret: String?

        init(_ type: String, _ factor: FactorRecord) {
            self.type = type
            id = "\(type)|\(factor.id)"
            name = factor.name.isEmpty ? nil : factor.name
            created_at = GuardianTimestamp.string(from: factor.createdAt)
            last_auth_at = factor.lastUsedAt.map(GuardianTimestamp.string)
        }
    }

    private func methods(of user: (user: User, factors: [FactorRecord])) async throws -> [Method] {
        let codes = try await Set(realm.devices.devices(of: user.user.id).filter(\.hasCodes).map(\.id))
        // The oldest first, and last what stands in for the others.
        func place(_ factor: FactorRecord) -> (Int, Date, String) {
            (factor.kind == .recoveryCode ? 1 : 0, factor.createdAt, factor.id.rawValue)
        }
        return user.factors.sorted { place($0) < place($1) }.compactMap { factor in
            switch factor.kind {
            case .push:
                var method = Method("guardian", factor)
                method.authentication_methods = [.init(type: "push", id: "push|\(factor.id)")]
                if codes.contains(factor.id) {
                    method.authentication_methods?.append(.init(type: "totp", id: "totp|\(factor.id)"))
                }
                return method
            case .totp: return Method("totp", factor)
            case .recoveryCode: return Method("recovery-code", factor)
            default: return nil
            }
        }
    }

    func listMethods(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let paging = try Paging(call)
        return try paging.response(of: try await methods(of: user(call)), named: "authenticators")
    }

    private static let unknownMethod = GuardianError(
        404, "authentication_method_not_found", "The user has no such authentication method.")

    private func named(_ call: GuardianCall, among factors: [FactorRecord]) throws -> (AuthenticatorName, FactorRecord)
    {
        guard let name = call.parameters["method"].flatMap(AuthenticatorName.init),
            let factor = factors.first(where: { $0.id == name.id }), name.names(factor)
        else { throw Self.unknownMethod }
        return (name, factor)
    }

    func showMethod(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let found = try await user(call)
        let (_, factor) = try named(call, among: found.factors)
        guard let method = try await methods(of: (found.user, [factor])).first else { throw Self.unknownMethod }
        return try .json(method)
    }

    private struct NewMethod: Decodable, Sendable {
        let type: String?
        let name: String?
        let totp_secret: String?

        func authenticator() throws -> PortableTOTP {
            guard let type else { throw GuardianError.invalidBody("type is missing.") }
            guard type == "totp" else {
                throw GuardianError(
                    400, "feature_disabled", "Only authentication methods of the type totp can be added here.")
            }
            guard let text = totp_secret, text.utf8.count <= 256, let secret = try? Base32.decode(text),
                let authenticator = PortableTOTP(
                    id: nil, name: String((name ?? "").prefix(100)), enrolledAt: nil, secret: Secret(secret))
            else { throw GuardianError.invalidBody("totp_secret has to be Base32 of 1 to 128 bytes.") }
            return authenticator
        }
    }

    /// `POST users/{id}/authentication-methods`: an authenticator whose secret is known. Good at once.
    func addMethod(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let userID = try await user(call).user.id
        let body = try await request.decodeBody(as: NewMethod.self)
        let added = try await add([body], to: userID, replacing: false, call)
        guard let method = added.first else { throw GuardianError.conflict }
        return try .json(method, status: .created)
    }

    /// `PUT users/{id}/authentication-methods`: these, and nothing of what was before.
    func replaceMethods(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let userID = try await user(call).user.id
        guard case .array(let items) = try await request.bodyValue() else {
            throw GuardianError.invalidBody("Send an array of authentication methods.")
        }
        guard items.count <= 10 else { throw GuardianError.invalidBody("At most 10 authentication methods.") }
        let wanted = try items.map { item in
            guard case .object = item else { throw GuardianError.invalidBody("An authentication method is an object.") }
            return try LenientJSON.decode(NewMethod.self, from: item)
        }
        return try .json(try await add(wanted, to: userID, replacing: true, call))
    }

    private func add(
        _ wanted: [NewMethod], to userID: UserID, replacing: Bool, _ call: GuardianCall
    ) async throws -> [Method] {
        let authenticators = try wanted.map { try $0.authenticator() }
        switch try await realm.enrolments.add(authenticators, to: userID, replacing: replacing, by: call.client) {
        case .added(let factors):
            return zip(factors, authenticators).map { factor, authenticator in
                var method = Method("totp", factor)
                method.totp_secret = Base32.encode(authenticator.secret.reveal())
                return method
            }
        case .refused(let refusal): throw GuardianError(refusal)
        }
    }

    private struct Renaming: Decodable, Sendable {
        let name: String?
        let preferred_authentication_method: String?
    }

    /// `PATCH users/{id}/authentication-methods/{method}`: another name.
    func renameMethod(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let found = try await user(call)
        let (_, factor) = try named(call, among: found.factors)
        let body = try await request.decodeBody(as: Renaming.self)
        guard body.preferred_authentication_method == nil, let name = body.name, (1...100).contains(name.count),
            realm.proofs.isSecondFactor(factor.kind)
        else { throw GuardianError.invalidBody("Only the name can be changed: 1 to 100 characters.") }
        guard
            let renamed = try await realm.enrolments.rename(factor.id, of: found.user.id, to: name, by: call.client),
            let method = try await methods(of: (found.user, [renamed])).first
        else { throw Self.unknownMethod }
        return try .json(method)
    }

    func removeMethod(_ request: Request, _ call: GuardianCall) async throws -> Response {
        let found = try await user(call)
        let (name, _) = try named(call, among: found.factors)
        guard try await remove(name, of: found.user.id, call.client) else { throw Self.unknownMethod }
        return .done
    }
}
