import Foundation

extension Authenticator {
    /// Looks at the answer. No transaction is open.
    ///
    /// Where it is compared with several, the first that it fits counts. Where it fits none, a code that was used before says
    /// so, and one that could be compared is wrong.
    func judge(_ attempt: Attempt, _ context: AttemptContext) async throws -> Judged {
        guard case .proof(let candidates) = context.asked else { return .handle }
        let permit = JudgingPermit(
            realm, settings: context.settings, at: attempt.now, revealsAddresses: attempt.client.revealsAddresses)
        let flow = context.flow.map { OpenFlow($0, context.body) }
        var refusals: [Refusal] = []
        for candidate in candidates {
            switch try await candidate.method.judge(
                candidate, payload: payload(of: candidate), user: context.user, flow: flow, by: permit)
            {
            case .wrong(let refusal): refusals.append(refusal)
            case let judged: return judged
            }
        }
        let telling = refusals.first { $0.reason == .replayed } ?? refusals.first { $0.reason != .factorNotOffered }
        return .wrong(telling ?? refusals.first ?? Refusal(.unexpectedAnswer))
    }

    /// What the answer is compared with, opened.
    private func payload(of candidate: ProofCandidate) async throws -> Data? {
        if let offered = candidate.offered { return offered }
        guard let factor = candidate.located.factor, candidate.located.comparesRevision else { return nil }
        return try await realm.sealer.opened(factor.payload, for: .factor(factor.id))
    }
}
