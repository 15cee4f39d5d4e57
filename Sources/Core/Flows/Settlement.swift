import Foundation

/// The last step of an attempt: pure but for the transaction that it is given, so that a store may run it twice.
///
/// A class, since it holds all that a charge found and is handed on (`docs/decisions/0371`).
final class Settlement: Sendable {
    let attempt: Attempt
    let context: AttemptContext
    let judged: Judged
    /// What was said by those who were asked so far.
    let advice: Advice
    let sealer: Sealer
    let proofs: ProofRegistry
    /// Spells the links of mails.
    let linkFormat: any LinkFormat
    /// Whether the answer is counted, judged and settled in one transaction: the flow's row does not count it yet.
    let isAtOnce: Bool
    let draft: Draft

    var session: SessionDraft { draft.session }
    var handle: FlowHandle { draft.handle }
    var userID: UserID { draft.userID }
    var factorID: FactorID { draft.factorID }
    var messageID: String { draft.messageID }
    var deviceToken: Secret<String> { draft.deviceToken }
    /// What stands in for the first second factor, where this answer enrols it.
    var standInCode: Secret<String>? { draft.standInCode }
    var approvalID: String { draft.approvalID }
    private var part: Int { attempt.charge.part }

    var now: Date { attempt.now }

    init(
        attempt: Attempt, context: AttemptContext, judged: Judged, advice: Advice = Advice(), realm: Realm,
        isAtOnce: Bool = false
    ) {
        self.attempt = attempt
        self.context = context
        self.judged = judged
        self.advice = advice
        sealer = realm.sealer
        proofs = realm.proofs
        linkFormat = realm.linkFormat
        draft = attempt.draft
        self.isAtOnce = isAtOnce
    }

    /// What the answer fits, where it is right and a proof.
    var fitting: ProofCandidate? { if case .right(let candidate, _, _) = judged { candidate } else { nil } }

    /// What follows from it.
    var result: ProofResult { if case .right(_, _, let result) = judged { result } else { ProofResult() } }

    /// What the factor keeps from now on, or the factor that was enrolled.
    var newPayload: Data? { if case .right(_, let payload, _) = judged { payload } else { nil } }

    /// Makes a right answer count, once; or writes down why it was not right.
    func settle(in transaction: any StoreTransaction) throws -> Authenticator.Settled {
        if case .wrong(let wrong, let alarm) = judged {
            if let alarm { try raise(alarm, in: transaction) }
            return .verdict(.refused(try refuse(wrong, in: transaction)))
        }
        if let refusal = try renewCharge(in: transaction) { return .verdict(.refused(refusal)) }
        let settled = try accept(in: transaction)
        if case .verdict(.refused(let refusal)) = settled {
            // A right answer that opens nothing is disclosed, and so stays counted. The counters of a deleted user's factors are
            // deleted, too.
            try endCharge(refusal.reason == .userNotFound ? .returned : .kept, in: transaction)
            try record(.answerRefused, reason: refusal.reason, in: transaction)
        }
        try countInFlow(in: transaction)
        return settled
    }

    // MARK: Wrong

    /// Writes down a wrong answer.
    /// - Returns: the answer to the client.
    private func refuse(_ wrong: Refusal, in transaction: any StoreTransaction) throws -> Refusal {
        if let refusal = try renewCharge(in: transaction) { return refusal }
        if context.charge != nil {
            try countInFlow(in: transaction)
            try endCharge(.kept, in: transaction)
        } else if let limited = try transaction.chargeAnswer(of: attempt.client, at: now, from: part) {
            // What could not be guessed was not counted before: it counts against its source now.
            return limited
        }
        try record(
            .answerRefused, reason: wrong.reason, details: wrong.fault.map { ["fault": .string($0)] } ?? [:],
            in: transaction)
        return wrong
    }

    /// Writes down what a wrong answer says about its factor. One that has changed meanwhile keeps its change.
    private func raise(_ alarm: Judged.Alarm, in transaction: any StoreTransaction) throws {
        var factor = alarm.factor
        guard let owner = try transaction.user(factor.userID),
            try transaction.factor(factor.id)?.revision == factor.revision
        else { return }
        factor.payload = try sealer.seal(alarm.newPayload, for: .factor(factor.id), in: transaction)
        guard try transaction.update(factor) else { return }
        try transaction.append(
            AuditEvent(
                id: eventID(.alert), at: now, kind: alarm.event, userID: owner.id, context: attempt.client,
                details: ["factor": .string(factor.id.rawValue)]))
        if let notice = alarm.notice { try notify(notice, owner, in: transaction) }
    }

    // MARK: Right

    private func accept(in transaction: any StoreTransaction) throws -> Authenticator.Settled {
        try transaction.reserve(writtenRows(in: transaction))
        var user: User?
        if let judged = context.user {
            guard let present = try transaction.user(judged.id) else {
                return .verdict(.refused(Refusal(.userNotFound)))
            }
            // What its owner wants removed may be kept, and given back to a former address. What an administrator disabled may not.
            if present.isDisabled, present.isSuspended || ![.keepAccount, .restoreEmail].contains(context.body.purpose)
            {
                var refusal = Refusal(.userDisabled)
                refusal.removalDueAt = present.isSuspended ? nil : present.deletionDueAt
                return .verdict(.refused(refusal))
            }
            if present.tokenEpoch != judged.tokenEpoch { return .stale }
            // Judged once more, it is told why.
            if try !context.body.isStillBegun(by: present, at: now, in: transaction) { return .stale }
            user = present
        }
        if let judged = context.flow {
            guard let present = try transaction.flow(digest: judged.digest), present.finishedAt == nil,
                present.body == judged.body
            else { return .stale }
        }
        // Whatever follows a first factor depends on the user's others: read with it.
        if !isAtOnce, let user, fitting?.located.factor != nil { _ = try transaction.factors(of: user.id) }
        var proof: Proof?
        if let fitting {
            if let settling = fitting.method as? any SettlingProof {
                return try settling.settle(result.finding, self, in: transaction)
            }
            switch try prove(fitting, user, in: transaction) {
            case .refused(let settled): return settled
            case .proven(let proven): proof = proven
            }
            if let key = fitting.counterKey(proofs) { try transaction.deleteCounter(key) }
        }
        try endCharge(.returned, in: transaction)
        return try accomplish(user, proof, in: transaction)
    }

    private enum Proving {
        /// Nil where a factor was enrolled, which its own purpose settles.
        case proven(Proof?)
        case refused(Authenticator.Settled)
    }

    /// Makes a right answer count once.
    private func prove(
        _ candidate: ProofCandidate, _ user: User?, in transaction: any StoreTransaction
    ) throws -> Proving {
        if candidate.isEnrolment {
            guard context.body.purpose == .signIn || context.body.journey != nil else { return .proven(nil) }
            // Offered in the middle of this sign-in, which it completes.
            if candidate.isRegistration { return try register(candidate, user, in: transaction) }
            guard let user, let offer = context.body.offer, let newPayload else {
                return .refused(.verdict(.refused(Refusal(.unexpectedAnswer))))
            }
            switch try enrolCodes(of: user, offer, candidate.method.kind, payload: newPayload, in: transaction) {
            case .refused(let settled): return .refused(settled)
            case .enrolled(let factor, _): return .proven(proof(of: factor))
            }
        }
        if var factor = candidate.located.factor {
            guard let present = try transaction.factor(factor.id),
                !candidate.located.comparesRevision || present.revision == factor.revision,
                present.frozenAt == nil
            else { return .refused(.stale) }
            if let newPayload {
                factor.lastUsedAt = now
                factor.payload = try sealer.seal(newPayload, for: .factor(factor.id), in: transaction)
                guard try transaction.update(factor) else { return .refused(.stale) }
            }
        }
        if let notice = result.notice, let user { try notify(notice, user, in: transaction) }
        if let alert = result.alert { try record(alert, at: .alert, user: user?.id, in: transaction) }
        return .proven(
            Proof(
                kind: result.evidence ?? candidate.method.traits.evidence ?? candidate.method.kind,
                factorID: result.factorID ?? candidate.located.factor?.id, at: result.at ?? now,
                isSecondFactor: result.isSecondFactor ?? !context.body.proven.isEmpty,
                assurance: result.assurance))
    }

    /// A factor that the response makes in the middle of a sign-in. It is a second factor of it, so that it is held to the same as one
    /// that a session enrols: what the user has by now has to be proven.
    private func register(
        _ candidate: ProofCandidate, _ user: User?, in transaction: any StoreTransaction
    ) throws -> Proving {
        guard let user, let newPayload else {
            return .refused(.verdict(.refused(Refusal(.unexpectedAnswer))))
        }
        guard try context.body.mayRegister(candidate.method.kind, beside: transaction.factors(of: user.id), proofs)
        else { return .refused(.verdict(.refused(Refusal(.factorLimitReached)))) }
        switch try insert(candidate.method.kind, payload: newPayload, of: user, at: .enrolment, in: transaction) {
        case .refused(let settled): return .refused(settled)
        case .inserted(let factor): return .proven(proof(of: factor))
        }
    }

    /// What the first code of a factor proves.
    func proof(of factor: FactorRecord) -> Proof {
        Proof(
            kind: result.evidence ?? factor.kind, factorID: factor.id, at: now,
            isSecondFactor: result.isSecondFactor ?? true,
            assurance: result.assurance)
    }

    /// What the session goes on with after a factor was enrolled.
    func body(with factor: FactorRecord) -> FlowBody {
        var body = context.body
        body.proven.append(proof(of: factor))
        return body
    }

    private func accomplish(
        _ user: User?, _ proof: Proof?, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        if let journey = context.body.journey { return try advance(user, proof, journey, in: transaction) }
        switch context.body.purpose {
        case .signIn, .backchannel:
            guard let proof else { return .verdict(.refused(Refusal(.unexpectedAnswer))) }
            if context.body.purpose == .backchannel, try !stillAllows(user, in: transaction) {
                return .verdict(.refused(Refusal(.approvalRejected)))
            }
            return try signIn(user, proof, in: transaction)
        case .enrolFactor:
            if case .registration(let offer) = context.asked { return try enrolDevice(user, offer, in: transaction) }
            guard let user, let newPayload, let kind = fitting?.method.kind else {
                return .verdict(.refused(Refusal(.unexpectedAnswer)))
            }
            if case .registration(let offer) = context.body.challenge {
                return try enrolInvited(user, offer, kind, payload: newPayload, in: transaction)
            }
            return try enrol(user, kind, payload: newPayload, in: transaction)
        case .verifyEmail:
            guard let user else { return .verdict(.refused(Refusal(.userNotFound))) }
            return try verifyEmail(user, in: transaction)
        case .resetPassword:
            guard let user else { return .verdict(.refused(Refusal(.userNotFound))) }
            return try resetPassword(user, in: transaction)
        case .changeEmail:
            guard let user else { return .verdict(.refused(Refusal(.userNotFound))) }
            return try changeEmail(user, in: transaction)
        case .restoreEmail:
            guard let user else { return .verdict(.refused(Refusal(.userNotFound))) }
            return try restoreEmail(user, in: transaction)
        case .keepAccount:
            guard let user else { return .verdict(.refused(Refusal(.userNotFound))) }
            return try keepAccount(user, in: transaction)
        case .signUp:
            guard let newPayload, let kind = fitting?.method.kind else {
                return .verdict(.refused(Refusal(.unexpectedAnswer)))
            }
            return try signUp(kind, payload: newPayload, in: transaction)
        case .approve:
            return .verdict(.refused(Refusal(.unexpectedAnswer)))
        }
    }

    /// Whether what a device has allowed an application still counts when the application fetches it.
    private func stillAllows(_ user: User?, in transaction: any StoreTransaction) throws -> Bool {
        guard let user, let approval = context.body.approval else { return true }
        return try transaction.stands(
            approval.basis, of: user.id, to: context.body.clientID, since: approval.decision?.at ?? approval.askedAt)
    }
}
