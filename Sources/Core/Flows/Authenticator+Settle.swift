import Foundation

extension Authenticator {
    enum Settled: Sendable {
        case verdict(Verdict)
        /// What the answer was judged by has changed.
        case stale
        /// Nothing was written: a consultant has to be asked first.
        case needs(ConsultationNeeded)

        /// Whether the owner of the account may have been notified of a change. A plain sign-in notifies no one.
        var mayHaveSentMail: Bool {
            switch self {
            case .verdict(.accomplished(.signedIn(let signedIn))): signedIn.recoveryCode != nil
            case .verdict(.accomplished(.decided)), .verdict(.accomplished(.emailVerified)): false
            case .verdict(.accomplished), .verdict(.advanced): true
            case .verdict(.more), .verdict(.refused), .stale, .needs: false
            }
        }
    }

    /// Makes a right answer count, once; or writes down why it was not right.
    func settle(
        _ attempt: Attempt, _ context: AttemptContext, _ judged: Judged, _ advice: Advice
    ) async throws -> Settled {
        let settlement = Settlement(attempt: attempt, context: context, judged: judged, advice: advice, realm: realm)
        if case .wrong(let wrong) = judged {
            let refusal = try await realm.store.write { transaction in try settlement.refuse(wrong, in: transaction) }
            return .verdict(.refused(refusal))
        }
        let settled: Settled
        do {
            settled = try await realm.store.write { transaction in
                if let refusal = try settlement.renewCharge(in: transaction) {
                    return .verdict(.refused(refusal))
                }
                let settled = try settlement.accept(in: transaction)
                if case .verdict(.refused(let refusal)) = settled {
                    // A right answer that opens nothing is disclosed, and so stays counted. The counters of a deleted
                    // user's factors are deleted, too.
                    try settlement.endCharge(refusal.reason == .userNotFound ? .returned : .kept, in: transaction)
                    try settlement.record(.answerRefused, reason: refusal.reason, in: transaction)
                }
                return settled
            }
        } catch let question as ConsultationNeeded {
            return .needs(question)
        }
        if settled.mayHaveSentMail || settlement.result.takesAddress {
            realm.notifier.notify([OutboxMessage.Channel.email.topic])
        }
        return settled
    }
}
