import CountersignCore
import Foundation
import Hummingbird
import SecurityChecks
import SecurityChecksWire
import ServerHTTP

extension SecurityChecks {
    /// `POST preauth/v1/logout`. Without a check's name, for which the web SDK sends the default scope, all checks are meant.
    func logout(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        let body = try await Self.body(SignedRequest.self, of: request, accepting: [.form, .json])
        let client = try await client(of: body)
        let check = body.securityCheck ?? ""
        if check.isEmpty || check == Scope.registeredClientElement {
            guard try await grants.logoutOfAll(client.id, by: call.client) else {
                throw SecurityChecksError.unknownClient
            }
        } else {
            guard try await grants.logout(check, of: client.id, by: call.client) else {
                throw SecurityChecksError.invalidRequest("There is no such security check.")
            }
        }
        return try .json(JSONValue.object([:]))
    }

    /// `POST preauth/v1/heartbeat`: the client is still there.
    func heartbeat(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        let client = try await client(of: Self.body(SignedRequest.self, of: request, accepting: [.form, .json]))
        if case .refused(let refusal) = try await realm.clients.changeContext(of: client.id, { _ in }) {
            throw SecurityChecksError(refusal)
        }
        return try .json(JSONValue.object([:]))
    }
}
