import Foundation
import Synchronization

extension Settlement {
    /// The random values of one attempt: each is drawn when it is first asked for, and then stays. A wrong answer needs one of them, a
    /// right one five or six.
    ///
    /// A transaction's body may run twice and must not produce other values the second time, so they are kept beside the attempt.
    final class Draft: Sendable {
        private struct Values {
            var session: SessionDraft?
            var handle: FlowHandle?
            var userID: UserID?
            var factorID: FactorID?
            var eventIDs: [EventPlace: String] = [:]
            var messageID: String?
            var deviceToken: Secret<String>?
            // Nil within is that no means of proof stands in.
            var standInCode: Secret<String>??
            var approvalID: String?
        }

        private let now: Date
        private let random: any RandomSource
        private let proofs: ProofRegistry
        private let values = Mutex(Values())

        init(at now: Date, random: any RandomSource, proofs: ProofRegistry) {
            self.now = now
            self.random = random
            self.proofs = proofs
        }

        var session: SessionDraft { values.withLock { $0.session.settled(SessionDraft(random: random)) } }
        var handle: FlowHandle { values.withLock { $0.handle.settled(FlowHandle(random: random)) } }
        var userID: UserID { values.withLock { $0.userID.settled(UserID(random: random)) } }
        var factorID: FactorID { values.withLock { $0.factorID.settled(FactorID(rawValue: random.uuid())) } }
        var messageID: String { values.withLock { $0.messageID.settled(AuditEvent.freshID(at: now, random: random)) } }
        var deviceToken: Secret<String> {
            values.withLock { $0.deviceToken.settled(Secret(random.bytes(32).base64URL)) }
        }
        /// What stands in for the first second factor; nil where nothing does.
        var standInCode: Secret<String>? {
            values.withLock { $0.standInCode.settled(proofs.standIn?.fresh(random: random)) }
        }
        var approvalID: String { values.withLock { $0.approvalID.settled(random.bytes(16).hex) } }

        func eventID(_ place: EventPlace) -> String {
            values.withLock { $0.eventIDs[place].settled(AuditEvent.freshID(at: now, random: random)) }
        }
    }
}

extension Optional {
    /// The value, which becomes the fresh one where there is none yet.
    fileprivate mutating func settled(_ fresh: @autoclosure () -> Wrapped) -> Wrapped {
        if let self { return self }
        let fresh = fresh()
        self = .some(fresh)
        return fresh
    }
}
