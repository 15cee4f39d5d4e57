import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import SecurityChecks
import SecurityChecksWire
import ServerHTTP

extension SecurityChecks {
    /// `POST preauth/v1/preauthorize`: where all challenges happen.
    func preauthorize(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        let body = try await Self.body(PreauthorizeRequest<JSONValue>.self, of: request, accepting: .json)
        guard let id = body.clientID, !id.isEmpty else { throw SecurityChecksError.unknownClient }
        let inquiry = CheckInquiry(
            client: RegisteredClientID(rawValue: id), scope: body.scope?.elements ?? [],
            answers: body.challengeResponse ?? [:])
        switch try await realm.authenticator.authorize(inquiry, by: options.checks, from: call.client) {
        case .refused(let refusal): throw SecurityChecksError(refusal)
        case .unknownScope: throw SecurityChecksError.invalidRequest("invalid_scope: an element leads to no check.")
        case .conflict: throw SecurityChecksError.conflict
        case .limited(let until): throw SecurityChecksError(.limited(until: until))
        case .decided(let decided): return try respond(to: decided)
        }
    }

    private func respond(to decided: CheckAuthorization) throws -> Response {
        if !decided.failures.isEmpty { throw SecurityChecksError.failures(decided.failures) }
        var successes: [String: JSONValue] = decided.successes.mapValues { .object($0) }
        successes[ReservedCheck.clockSynchronization] = .object([
            "serverTimeStamp": .integer(realm.clock.now.milliseconds)
        ])
        guard !decided.challenges.isEmpty else {
            return try .json(CheckResults<JSONValue>(successes: successes))
        }
        return try .json(
            CheckResults<JSONValue>(challenges: decided.challenges.mapValues { .object($0) }, successes: successes),
            status: .unauthorized, headers: [.wwwAuthenticate: AuthenticateHeader.challenges.text])
    }
}
