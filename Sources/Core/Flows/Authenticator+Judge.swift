import Foundation

extension Authenticator {
    /// Looks at the answer. No transaction is open.
    ///
    /// Where it is compared with several, the first that it fits counts. Where it fits none, a code that was used before says
    /// so, and one that could be compared is wrong.
    func judge(_ attempt: Attempt, _ context: AttemptContext) async throws -> Judged {
        guard case .proof(let candidates) = context.asked else { return .handle }
        let permit = permit(attempt, context)
        let flow = context.flow.map { OpenFlow($0, context.body) }
        var refusals: [Refusal] = []
        var alarm: Judged.Alarm?
        for candidate in candidates {
            let payload = try await realm.sealer.keys.retrying { try self.payload(of: candidate) }
            switch try await candidate.method.judge(
                candidate, payload: payload, user: context.user, flow: flow, by: permit)
            {
            case .wrong(let refusal, let raised):
                refusals.append(refusal)
                alarm = alarm ?? raised
            case .right where candidate.isFrozen: refusals.append(context.frozenRefusal)
            case let judged: return judged
            }
        }
        return .wrong(telling(refusals), alarm: alarm)
    }

    /// The same in the transaction that counts the answer, where judging only computes (``ProofMethod/judgeAtOnce(_:against:by:)``).
    /// - Returns: nil where it may be slow.
    func judgeAtOnce(_ attempt: Attempt, _ context: AttemptContext) throws -> Judged? {
        guard case .proof(let candidates) = context.asked else { return .handle }
        let permit = permit(attempt, context)
        let flow = context.flow.map { OpenFlow($0, context.body) }
        var refusals: [Refusal] = []
        var alarm: Judged.Alarm?
        for candidate in candidates {
            switch try candidate.method.judgeAtOnce(
                candidate, payload: { try payload(of: candidate) }, user: context.user, flow: flow, by: permit)
            {
            case nil: return nil
            case .wrong(let refusal, let raised)?:
                refusals.append(refusal)
                alarm = alarm ?? raised
            case .right? where candidate.isFrozen: refusals.append(context.frozenRefusal)
            case let judged?: return judged
            }
        }
        return .wrong(telling(refusals), alarm: alarm)
    }

    private func permit(_ attempt: Attempt, _ context: AttemptContext) -> JudgingPermit {
        JudgingPermit(
            realm, settings: context.settings, at: attempt.now, revealsAddresses: attempt.client.revealsAddresses,
            namesSiteByHost: attempt.client.namesSiteByHost)
    }

    private func telling(_ refusals: [Refusal]) -> Refusal {
        refusals.first { $0.reason == .replayed } ?? refusals.first { $0.reason != .factorNotOffered }
            ?? refusals.first ?? Refusal(.unexpectedAnswer)
    }

    /// What the answer is compared with, opened.
    private func payload(of candidate: ProofCandidate) throws -> Data? {
        if let offered = candidate.offered { return offered }
        guard let factor = candidate.located.factor, candidate.located.comparesRevision else { return nil }
        return try realm.sealer.open(factor.payload, for: .factor(factor.id))
    }
}

extension ProofCandidate {
    /// Whether its owner has reported the factor lost. Answers are judged all the same, so that they take as long and count as wrong ones
    /// do, and none is right.
    fileprivate var isFrozen: Bool { located.factor?.frozenAt != nil }
}

extension AttemptContext {
    /// What a right answer by a frozen factor is told. Before anything is proven it tells no more than any wrong one.
    fileprivate var frozenRefusal: Refusal { Refusal(body.proven.isEmpty ? .wrongAnswer : .authenticatorDisabled) }
}
