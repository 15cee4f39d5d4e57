import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import SecurityChecks
import SecurityChecksWire
import ServerHTTP

/// `registration/v1/clients/{clientId}`, for confidential clients with the scopes `clients:…` (MobileFirst Runtime REST
/// API).
extension SecurityChecks {
    func showClient(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        try await requireConfidential(ConfidentialScope.readClients, call)
        guard let client = try await realm.clients.client(call.pathClient) else {
            throw SecurityChecksError.plain(404, .invalidClientID, "There is no such client.")
        }
        return try .json(ClientDocument(client))
    }

    private struct Change: Decodable {
        let device: DeviceData?
    }

    /// Says whether the device is served: `{"device":{"status":"LOST"}}`.
    func changeClient(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        let actor = try await requireConfidential(ConfidentialScope.changeClients, call)
        let change = try await Self.body(Change.self, of: request, accepting: .json)
        guard let word = change.device?.status?.rawValue, let status = ClientRegistration.Status(rawValue: word) else {
            throw SecurityChecksError.invalidRequest(
                "device.status is one of \(ClientRegistration.Status.allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        var context = call.client
        context.clientID = actor
        switch try await realm.clients.setStatus(status, of: ClientReference(to: call.pathClient), by: context) {
        case .registered(let client): return try .json(ClientDocument(client))
        case .refused(.unknownClient):
            throw SecurityChecksError.plain(404, .invalidClientID, "There is no such client.")
        case .refused(let refusal): throw SecurityChecksError(refusal)
        }
    }

    func removeClient(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        var context = call.client
        context.clientID = try await requireConfidential(ConfidentialScope.removeClients, call)
        guard try await realm.clients.remove(ClientReference(to: call.pathClient), by: context) else {
            throw SecurityChecksError.plain(404, .invalidClientID, "There is no such client.")
        }
        return try .json(JSONValue.object([:]))
    }

    @discardableResult
    private func requireConfidential(_ scope: String, _ call: SecurityChecksCall) async throws -> ClientID {
        guard let token = call.credentials("Bearer") else { throw SecurityChecksError.bearer(nil) }
        guard let confidential = try await tokens.confidential(token) else {
            throw SecurityChecksError.bearer(.invalidToken)
        }
        guard ConfidentialScope.covers(confidential.scope, [scope]) else {
            throw SecurityChecksError.bearer(.insufficientScope, scope)
        }
        return confidential.id
    }
}

extension SecurityChecksError {
    /// A token that is missing, no good or for too little (RFC 6750, section 3).
    static func bearer(_ error: BearerError?, _ scope: String? = nil) -> SecurityChecksError {
        let header = AuthenticateHeader.bearer(error: error, scope: scope.map { Scope($0) })
        let isTooLittle = error == .insufficientScope
        return .oauth(
            isTooLittle ? 403 : 401, OAuthErrorWord(rawValue: error?.rawValue ?? "invalid_token"),
            isTooLittle
                ? "The token is for too little." : "Send Authorization: Bearer with a confidential client's token.",
            challenge: header.text)
    }
}
