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
        let settled: Settled
        do {
            settled = try await realm.store.write(.rows) { try settlement.settle(in: $0) }
        } catch let question as ConsultationNeeded {
            return .needs(question)
        }
        announce(settled, by: settlement)
        return settled
    }

    /// Wakes the delivery of mail where a settlement may have written some.
    func announce(_ settled: Settled, by settlement: Settlement) {
        guard settled.mayHaveSentMail || settlement.result.takesAddress else { return }
        realm.notifier.notify([OutboxMessage.Channel.email.topic])
    }
}
