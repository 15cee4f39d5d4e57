import Foundation

extension Authenticator {
    enum Settled: Sendable {
        case verdict(Verdict)
        /// What the answer was judged by has changed.
        case stale
        /// Nothing was written: a consultant has to be asked first.
        case needs(ConsultationNeeded)
    }

    /// Makes a right answer count, once; or writes down why it was not right.
    func settle(
        _ attempt: Attempt, _ context: AttemptContext, _ judged: Judged, _ advice: Advice
    ) async throws -> Settled {
        let settlement = Settlement(attempt: attempt, context: context, judged: judged, advice: advice, realm: realm)
        do {
            return try await realm.store.write(.rows) { try settlement.settle(in: $0) }
        } catch let question as ConsultationNeeded {
            return .needs(question)
        }
    }
}
