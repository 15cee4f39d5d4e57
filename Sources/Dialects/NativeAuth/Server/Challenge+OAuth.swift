import CountersignCore
import NativeAuthWire

extension NativeAuth {
    /// `POST oauth2/v2.0/challenge`: sends a code, another one each time, or says that the password is asked for. With an
    /// `id`, that second factor.
    func challenge(_ request: ChallengeRequest, _ call: NativeAuthCall) async throws -> ChallengeResponse {
        let handle = try call.handle(request.continuationToken)
        let taken = try call.takenIfSaid(request.challengeType)
        // Of a sign-up or a reset that ended in a session, only what comes after.
        let expectation = call.expectation(.signIn, at: [.firstProof]).or(call.anyExpectation(at: [.secondFactor]))
        return try await ask(
            handle, expectation, factor: request.id.flatMap { $0.isEmpty ? nil : Method(id: $0) }, taking: taken,
            hasGrants: true, call)
    }

    /// How far a flow has come; nil where it does not go on, which the step after this one puts into words.
    func journey(
        _ handle: FlowHandle, _ expectation: FlowExpectation
    ) async throws -> JourneySummary? {
        guard case .open(let summary) = try await realm.authenticator.status(of: handle, expecting: expectation) else {
            return nil
        }
        return summary.journey
    }

    /// Asks for what comes next, and tells the client what that is.
    func ask(
        _ handle: FlowHandle, _ expectation: FlowExpectation, factor method: Method? = nil,
        taking taken: Set<FirstMethod>, hasGrants: Bool, _ call: NativeAuthCall
    ) async throws -> ChallengeResponse {
        let outcome = try await realm.journeys.ask(
            handle, expecting: expectation, factor: method?.factorID, taking: taken, by: call.client)
        switch outcome {
        case .password:
            return ChallengeResponse(continuationToken: continuation(handle), challengeType: .password)
        case .mailed(let address):
            return prompt(handle, .email, label: address.masked, length: Self.codeLength)
        case .code(let factor):
            return prompt(handle, .totp, label: factor.name.isEmpty ? "Authenticator" : factor.name, length: 6)
        case .device(let factor, _) where method?.isCode ?? false:
            return prompt(handle, .totp, label: factor.name, length: 6)
        case .device(let factor, isAsked: true):
            return prompt(handle, .push, label: factor.name, length: Self.anyLength)
        case .device(let factor, isAsked: false): return try await ask(device: factor, handle, expectation, call)
        case .beyondClient(let method): throw NativeAuthError.beyond(method)
        case .proven: throw NativeAuthError.internalError
        case .refused(let refusal):
            throw NativeAuthError(contact: refusal, hasGrants: hasGrants)
                .waiting(until: refusal.retryAt, now: realm.clock.now)
        }
    }

    /// A request to a device. Its answer is its signature; what the client submits afterwards says only that it wants to
    /// know.
    private func ask(
        device: FactorRecord, _ handle: FlowHandle, _ expectation: FlowExpectation, _ call: NativeAuthCall
    ) async throws -> ChallengeResponse {
        switch try await realm.approvals.ask(
            for: handle, expecting: expectation, device: device.id, by: call.client)
        {
        case .asked: return prompt(handle, .push, label: device.name, length: Self.anyLength)
        case .limited(let standing):
            // In the words for a mailbox that got too many codes: clients know them.
            throw NativeAuthError(contact: Refusal(.sourceLimited), hasGrants: true)
                .waiting(until: standing.resetAt, now: realm.clock.now)
        case .refused(let refusal): throw refused(refusal)
        }
    }

    private func prompt(
        _ handle: FlowHandle, _ channel: Channel, label: String, length: Int
    ) -> ChallengeResponse {
        ChallengeResponse(
            continuationToken: continuation(handle), challengeType: .oob, bindingMethod: "prompt",
            challengeTargetLabel: label, challengeChannel: channel.rawValue, codeLength: length,
            interval: Self.resendInterval)
    }

    /// Where codes come from, or answers. The protocol knows mail; clients pass the others through as they are.
    enum Channel: String {
        case email
        /// Codes of an authenticator.
        case totp
        /// A device that answers with a signature.
        case push
    }

    /// What a client names a second factor by: its id, or for the codes of a device its id with a mark.
    struct Method: Sendable {
        let factorID: FactorID
        let isCode: Bool

        private static let codeMark = ":code"

        init(id: String) {
            isCode = id.hasSuffix(Self.codeMark)
            factorID = FactorID(rawValue: isCode ? String(id.dropLast(Self.codeMark.count)) : id)
        }

        static func id(_ factor: FactorRecord, isCode: Bool = false) -> String {
            factor.id.rawValue + (isCode ? codeMark : "")
        }
    }
}
