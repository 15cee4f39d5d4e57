import Foundation

extension Authenticator {
    enum Charged: Sendable {
        case admitted(Matter)
        case refused(Refusal)
        /// The request was answered before; nothing is counted.
        case repeated(Verdict)
    }

    /// Counts the attempt before anybody looks at the answer.
    func charge(_ attempt: Attempt) async throws -> Charged {
        let realm = realm
        let auditID = AuditEvent.freshID(at: attempt.now, random: realm.random)
        let ended = realm.unsettledCharges.ends(at: attempt.now)
        do {
            return try await charge(attempt, auditID: auditID, ended: ended)
        } catch let error as StoreError where error.code == .outcomeUnknown {
            // Perhaps it is counted; nobody has looked at it.
            realm.unsettledCharges.note(attempt.charge.name, .returned, at: attempt.now)
            throw error
        }
    }

    /// - Parameter ended: what became of earlier charges that could not be settled in their own time.
    private func charge(_ attempt: Attempt, auditID: String, ended: [String: ChargeEnd]) async throws -> Charged {
        let realm = realm
        return try await realm.store.write { transaction in
            let found = try Self.find(attempt, realm: realm, in: transaction)
            let charged: Charged
            var subject: UserID?
            var details: [String: JSONValue] = [:]
            switch found {
            case .refused, .repeated: charged = found
            case .admitted(let matter):
                subject = matter.user?.id
                details = matter.auditDetails
                charged = try Self.count(attempt, against: matter, ended: ended, in: transaction)
            }
            // A flood from one source is in the log with its first hundred answers; more would only fill the disk. So
            // answers that are not looked at count against the source like wrong ones. Asking whether a device has answered
            // is no answer: whoever waits asks often.
            if case .refused(let refusal) = charged, ![.sourceLimited, .approvalPending].contains(refusal.reason) {
                if let limited = try transaction.chargeAnswer(
                    of: attempt.client, at: attempt.now, from: attempt.charge.part)
                {
                    return .refused(limited)
                }
                try transaction.append(
                    AuditEvent(
                        id: auditID, at: attempt.now, kind: .answerRefused, userID: subject, context: attempt.client,
                        reason: refusal.reason.rawValue, details: details))
            }
            return charged
        }
    }

    /// Fetches what is there now, for another round. The attempt has been counted.
    func reload(_ attempt: Attempt) async throws -> Charged {
        let realm = realm
        return try await realm.store.read { try Self.find(attempt, realm: realm, in: $0) }
    }

    /// Ends a charge without a verdict. What could not be looked at, or was right and could not be made to count, was no
    /// attempt, or else an outage, or whoever keeps the hasher busy, would lock people out with their own right passwords.
    /// What was wrong stays counted.
    ///
    /// Where the store cannot be told, the end is noted for the next charge of this process, and the charge lapses for all
    /// others: nobody has been told what the answer was.
    func end(_ charge: Charge?, _ end: ChargeEnd) async {
        guard let charge else { return }
        do {
            try await realm.store.write { transaction in
                // A charge ends once. Where no counter says whether it did, the flow's own is set back at most once, as this
                // is not tried again.
                let ends = try transaction.end(charge, end) || charge.counted.isEmpty
                guard case .returned = end, ends, let digest = charge.flow,
                    var flow = try transaction.flow(digest: digest),
                    flow.attempts > 0
                else { return }
                flow.attempts -= 1
                _ = try transaction.update(flow)
            }
        } catch {
            realm.unsettledCharges.note(charge.id.name, end, at: realm.clock.now)
        }
    }

    private static func find(
        _ attempt: Attempt, realm: Realm, in transaction: any StoreTransaction
    ) throws -> Charged {
        let settings = try transaction.settings()
        switch attempt.target {
        case .opening(let opening):
            return try find(attempt, opening, settings: settings, realm: realm, in: transaction)
        case .flow(let handle, let expectation):
            guard
                let found = try transaction.flow(
                    of: handle, expecting: expectation, at: attempt.now, sealer: realm.sealer)
            else { return .refused(Refusal(.unknownFlow)) }
            if let verdict = try found.repeated?.verdict(in: transaction) { return .repeated(verdict) }
            let (record, body) = (found.record, found.body)
            guard expectation.admits(stageOf: body) else { return .refused(Refusal(.unknownFlow)) }
            if record.finishedAt != nil { return .refused(Refusal(.flowFinished)) }
            if record.expiresAt <= attempt.now { return .refused(Refusal(.flowExpired)) }
            return try find(attempt, record, body, settings: settings, realm: realm, in: transaction)
        }
    }

    /// An attempt that begins: who is claimed, and with what password.
    private static func find(
        _ attempt: Attempt, _ opening: FlowOpening, settings: RealmSettings, realm: Realm,
        in transaction: any StoreTransaction
    ) throws -> Charged {
        guard case .password = attempt.answer, case .email(let email) = opening.subject else {
            return .refused(Refusal(.unexpectedAnswer))
        }
        let user = try transaction.user(email: email)
        let factor = try user.flatMap { user in
            try transaction.factors(of: user.id).first { $0.kind == .password }
        }
        let body = FlowBody(
            purpose: .signIn, client: attempt.client, email: email, challenge: .secondFactor, terms: opening.terms)
        return .admitted(
            Matter(
                user: user, flow: nil, body: body, settings: settings,
                judged: factor.map(Matter.Judged.factor) ?? .decoy,
                // An address without password has a counter like a factor's, so that both lock out alike.
                counterKey: try factor.map { CounterKey.factor($0.id, $0.kind) }
                    ?? CounterKey.claim(realm.sealer.digest(email.canonical, for: "claim", in: transaction))))
    }

    /// An attempt in progress.
    private static func find(
        _ attempt: Attempt, _ record: FlowRecord, _ body: FlowBody, settings: RealmSettings, realm: Realm,
        in transaction: any StoreTransaction
    ) throws -> Charged {
        var user = try transaction.user(record.userID ?? .nobody)
        if case .addressLink(let claimed, let id, let epoch) = attempt.answer {
            guard body.challenge == .link else { return .refused(Refusal(.unexpectedAnswer)) }
            guard claimed.canonical == body.email else { return .refused(Refusal(.wrongAnswer)) }
            let holder = try transaction.user(email: claimed)
            if let other = record.userID ?? holder?.id, other != id { return .refused(Refusal(.addressTaken)) }
            user = try transaction.user(id)
            guard let user else { return .refused(Refusal(.userNotFound)) }
            guard user.tokenEpoch == epoch else { return .refused(Refusal(.flowExpired)) }
        } else if record.userID == nil, body.challenge == .link, let email = body.email {
            // A link to an address without account, which has got one since: perhaps by another such link.
            user = try transaction.user(email: EmailAddress(kept: email))
        }
        if record.userID != nil && user == nil { return .refused(Refusal(.userNotFound)) }
        if let epoch = body.tokenEpoch, let user, user.tokenEpoch != epoch {
            // The password changed, or an administrator cut all sessions: what was proven before counts no more.
            return .refused(Refusal(.flowExpired))
        }
        var matter = Matter(
            user: user, flow: record, body: body, settings: settings, judged: .handle, counterKey: nil)
        if body.approval?.decision?.isAllowed == false {
            // Somebody said no with a key in hand: no other factor talks over that.
            return .refused(Refusal(.approvalRejected))
        }
        let policy = AssurancePolicy(
            settings: settings.secondFactors, requiresSecondFactor: body.requiresSecondFactor)
        switch (attempt.answer, body.challenge) {
        case (.code(_, let factorID), .secondFactor):
            guard let factor = try transaction.factor(factorID), factor.userID == record.userID,
                policy.takesCode(of: factor.kind)
            else { return .refused(Refusal(.unknownFactor)) }
            guard policy.isOffered(factor.kind) else { return .refused(Refusal(.factorNotOffered)) }
            matter.judged = .factor(factor)
            matter.counterKey = CounterKey.factor(factor.id, factor.kind)
        case (.approval, .secondFactor), (.approval, .approval):
            guard let decision = body.approval?.decision else { return .refused(Refusal(.approvalPending)) }
            guard let factor = try transaction.factor(decision.by), factor.userID == record.userID else {
                return .refused(Refusal(.unknownFactor))
            }
            guard policy.isOffered(factor.kind) else { return .refused(Refusal(.factorNotOffered)) }
            matter.judged = .allowed(decision)
        case (.signedDecision, .deviceDecision(let challenge)):
            guard let factor = try transaction.factor(challenge.factorID), factor.userID == record.userID else {
                return .refused(Refusal(.unknownFactor))
            }
            guard policy.isOffered(factor.kind) else { return .refused(Refusal(.factorNotOffered)) }
            matter.judged = .device(factor, challenge)
        case (.device, .registration(let offer)):
            guard policy.isOffered(.push), offer.allows(.push) else { return .refused(Refusal(.factorNotOffered)) }
            matter.judged = .registration(offer)
        case (.enrolmentCode, .registration), (.enrolmentCode, .secondFactor):
            guard let offer = body.offer else { return .refused(Refusal(.unexpectedAnswer)) }
            guard policy.isOffered(.totp), offer.allows(.totp), let secret = offer.totpSecret else {
                return .refused(Refusal(.factorNotOffered))
            }
            matter.judged = .enrolment(
                kind: .totp, payload: try JSONEncoder().encode(TOTPFactor.Payload(secret: secret)))
        case (.enrolmentCode, .enrolment(let kind, let payload)):
            guard policy.isOffered(kind) else { return .refused(Refusal(.factorNotOffered)) }
            matter.judged = .enrolment(kind: kind, payload: payload)
        case (.mailedCode, .mailedCode(let digest, let expiresAt)):
            guard expiresAt > attempt.now else {
                return .refused(Refusal(body.journey == nil ? .flowExpired : .codeExpired))
            }
            matter.judged = .mailedCode(digest: digest, expiresAt: expiresAt)
            matter.counterKey = CounterKey.mailedCode(digest)
        case (.link(_, let claiming), .link):
            if let claiming, claiming.canonical != body.email { return .refused(Refusal(.wrongAnswer)) }
            matter.judged = .handle
            if body.purpose == .signIn { matter.body.goOn(by: attempt.client) }
        case (.addressLink, .link):
            matter.judged = .handle
            if body.purpose == .signIn { matter.body.goOn(by: attempt.client) }
        case (.password, .password):
            guard let email = body.email else { return .refused(Refusal(.unexpectedAnswer)) }
            let factor = try transaction.factors(of: user?.id ?? .nobody).first { $0.kind == .password }
            matter.judged = factor.map(Matter.Judged.factor) ?? .decoy
            matter.counterKey =
                try factor.map { CounterKey.factor($0.id, $0.kind) }
                ?? CounterKey.claim(realm.sealer.digest(email, for: "claim", in: transaction))
        case (.newPassword, .newPassword), (.attributes, .attributes), (.confirmation, .confirmation),
            (.claim, .claim):
            matter.judged = .handle
        default:
            return .refused(Refusal(.unexpectedAnswer))
        }
        return .admitted(matter)
    }

    private static func count(
        _ attempt: Attempt, against matter: Matter, ended: [String: ChargeEnd], in transaction: any StoreTransaction
    ) throws -> Charged {
        var matter = matter
        // A handle is 256 random bits: there is nothing to guess, and counting would let a bystander use it up.
        guard matter.isGuessable else { return .admitted(matter) }

        // Everything is asked before anything is counted: an attempt that one limit turns away costs nothing elsewhere.
        if let flow = matter.flow, flow.attempts >= matter.body.maximumAttempts {
            return .refused(Refusal(.flowExhausted))
        }
        let limits = [
            matter.counterKey.map { Allowance(matter.lockout, $0) },
            attempt.client.limitedSource.map { Allowance(.answersPerSource, CounterKey.answers(from: $0)) },
        ].compactMap { $0 }
        let counters: [AttemptCounter]
        switch try transaction.ask(
            limits, at: attempt.now, as: attempt.charge.name, from: attempt.charge.part, ended: ended)
        {
        case .admitted(let admitted): counters = admitted
        case .refused(let allowance, let refusal): return .refused(Refusal(by: allowance, refusal))
        }
        if var flow = matter.flow {
            flow.attempts += 1
            guard try transaction.update(flow), let kept = try transaction.flow(digest: flow.digest) else {
                return .refused(Refusal(.busy))
            }
            matter.flow = kept
        }
        try transaction.count(counters)
        matter.charge = Charge(
            id: attempt.charge, counted: zip(limits, counters).map { Allowance($0.rule, $1.key) },
            flow: matter.flow?.digest)
        return .admitted(matter)
    }
}

extension AnsweredRequest.Outcome {
    /// The answer once more; nil where it was no answer, or its token was traded since.
    fileprivate func verdict(in transaction: any StoreTransaction) throws -> Verdict? {
        switch self {
        case .asked: return nil
        case .advanced(let step): return .advanced(step)
        case .signedIn(let id, let refreshToken):
            guard let token = RefreshToken(refreshToken), let session = try transaction.session(id),
                session.revokedAt == nil, session.refresh.currentDigest == token.digest,
                let user = try transaction.user(session.userID), !user.isDisabled,
                user.tokenEpoch == session.tokenEpoch
            else { return nil }
            return .accomplished(
                .signedIn(SignedIn(user: user, session: session, refreshToken: Secret(refreshToken))))
        }
    }
}

extension Matter {
    /// What wrong answers cost.
    var lockout: LockoutPolicy {
        switch judged {
        case .factor(let factor): FactorRegistry.type(factor.kind)?.lockout ?? .oneTimeCode
        case .decoy: .password
        case .mailedCode: .mailedCode
        case .enrolment, .handle, .device, .allowed, .registration: .oneTimeCode
        }
    }
}

/// The names of counters.
package enum CounterKey {
    /// Wrong passwords are forgotten after idle days, as those for addresses without account are, or the difference would
    /// tell one from the other. Wrong codes in a row are not.
    static func factor(_ id: FactorID, _ kind: FactorKind) -> String {
        kind == .password ? "password/\(id)" : "\(AttemptCounter.factorPrefix)\(id)"
    }
    static func claim(_ digest: Data) -> String { "claim/\(digest.hex)" }
    static func mailedCode(_ digest: Data) -> String { "code/\(digest.hex)" }
    package static func answers(from source: String) -> String { "answers/\(source)" }
    static func attempts(from source: String) -> String { "attempts/\(source)" }
    static func signUps(from source: String) -> String { "sign-ups/\(source)" }
    static func newPasswords(of user: UserID) -> String { "new-passwords/\(user)" }
    static func notices(to user: UserID) -> String { "notices/\(user)" }
    static func pushes(to user: UserID) -> String { "pushes/\(user)" }
    static func offers(by flow: Data) -> String { "offers/\(flow.hex)" }
    static func offers(to user: UserID) -> String { "offers-to/\(user)" }
    static func proofs(of handle: FlowHandle) -> String { "proofs/\(handle.publicName)" }
    static func mails(to digest: Data) -> String { "mails-to/\(digest.hex)" }
    static func mails(from source: String) -> String { "mails-from/\(source)" }
}
