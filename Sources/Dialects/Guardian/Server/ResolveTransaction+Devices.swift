import CountersignCore
import Foundation
import GuardianWire
import Hummingbird
import ServerHTTP

extension Guardian {
    /// `POST api/resolve-transaction`: a device allows or rejects (Guardian.swift, `APIClient.resolve`).
    func resolveTransaction(_ request: Request, _ call: GuardianCall) async throws -> Response {
        guard let token = call.credentials("Bearer") else { throw GuardianError.missingBearer }
        let body = try await request.decodeBody(as: ResolveTransactionRequest.self)
        guard let statement = body.challengeResponse, !statement.isEmpty else {
            throw GuardianError.invalidBody("challenge_response is missing.")
        }
        let verdict = try await realm.authenticator.answer(
            .signedDecision(Secret(statement), audiences: audiences("resolve-transaction"), claims: .guardian),
            to: .flow(FlowHandle(token), .pushTransaction), by: call.client)
        switch verdict {
        case .accomplished(.decided): return .done
        case .refused(let refusal): throw GuardianError(answer: refusal)
        default: throw GuardianError.unknownTransaction
        }
    }
}

extension DecisionClaims {
    /// As Guardian's clients name them (Guardian.swift, `AuthenticationAPIClient`); the number is this server's own.
    static let guardian = DecisionClaims(
        method: "auth0_guardian_method", push: "push", accepted: "auth0_guardian_accepted",
        reason: "auth0_guardian_reason", number: "countersign_number")
}
