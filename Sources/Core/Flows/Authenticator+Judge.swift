import Foundation

extension Authenticator {
    /// Looks at the answer. No transaction is open.
    func judge(_ attempt: Attempt, _ matter: Matter) async throws -> Judgement {
        let context = JudgingContext(now: attempt.now, settings: matter.settings, hasher: realm.hasher)
        switch (matter.judged, attempt.answer) {
        case (.factor(let factor), .password(let text)), (.factor(let factor), .code(let text, _)):
            guard let type = FactorRegistry.type(factor.kind) else { return .wrong(.unknownFactor) }
            let payload = try await realm.sealer.opened(factor.payload, for: .factor(factor.id))
            return try await type.judge(text.reveal(), payload: payload, in: context)

        case (.decoy, .password(let text)):
            _ = try await realm.hasher.verify(text, against: realm.hasher.decoy)
            return .wrong(attempt.client.revealsAddresses && matter.user == nil ? .unknownUser : .wrongAnswer)

        case (.enrolment(let kind, let payload), .enrolmentCode(let text, _)):
            guard let type = FactorRegistry.type(kind) else { return .wrong(.unknownFactor) }
            return try await type.judge(text.reveal(), payload: payload, in: context)

        case (.mailedCode(let digest, _), .mailedCode(let text)):
            guard let flow = matter.flow else { return .wrong(.unknownFlow) }
            let isRight = try await realm.sealer.keys.retrying {
                try MailedCode.matches(text.reveal(), digest, flow: flow.digest, sealer: realm.sealer)
            }
            // The code of an address without account was never sent: no answer is right.
            let isNobodys = matter.user == nil && matter.body.journey != nil && matter.body.purpose != .signUp
            return isRight && !isNobodys ? .right(newPayload: nil) : .wrong(.wrongAnswer)

        case (.handle, .link), (.handle, .addressLink), (.handle, .newPassword), (.handle, .attributes),
            (.handle, .confirmation),
            (.handle, .claim), (.allowed, .approval), (.registration, .device):
            return .right(newPayload: nil)

        case (.device(let factor, let challenge), .signedDecision(let statement, let audiences)):
            let payload = try await realm.sealer.keys.retrying {
                try PushFactor.Payload.open(factor, with: realm.sealer)
            }
            return PushFactor.judge(
                statement: statement.reveal(), audiences: audiences, challenge: challenge, payload: payload,
                at: attempt.now)

        default:
            return .wrong(.unexpectedAnswer)
        }
    }
}
