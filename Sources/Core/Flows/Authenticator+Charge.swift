import Foundation

extension Authenticator {
    /// Indirect, since it passes through several hands and is large.
    indirect enum Charged: Sendable {
        case admitted(AttemptContext)
        case refused(Refusal)
        /// The request was answered before; nothing is counted.
        case repeated(Verdict)
        /// The answer was judged and settled in the same transaction.
        case settled(Verdict)
    }

    /// Counts the attempt before the answer is judged.
    /// - Parameters:
    ///   - durability: with ``Durability/withNext`` nothing but an admitted attempt comes back, of which nothing is told before it is
    ///     settled (`docs/decisions/0556`).
    ///   - judgesAtOnce: whether an answer that is quickly judged is judged and settled in the same transaction, which then has to be
    ///     durable at once.
    /// - Throws: ``NotAdmitted`` where there is something to tell that is not yet durable: nothing was written.
    func charge(
        _ attempt: Attempt, _ durability: Durability = .atOnce, judgesAtOnce: Bool = false
    ) async throws -> Charged {
        let ended = realm.unsettledCharges.ends(at: attempt.now)
        do {
            return try await charge(attempt, durability, judgesAtOnce: judgesAtOnce, ended: ended)
        } catch let error as StoreError where error.code == .outcomeUnknown {
            // Perhaps it is counted; it was not judged.
            realm.unsettledCharges.note(attempt.charge.name, .returned, at: attempt.now)
            throw error
        }
    }

    /// - Parameter ended: what became of earlier charges that could not be settled in their own time.
    private func charge(
        _ attempt: Attempt, _ durability: Durability, judgesAtOnce: Bool, ended: [String: ChargeEnd]
    ) async throws -> Charged {
        let realm = realm
        return try await realm.store.write(.rows, durability, expecting: { Self.expected(by: attempt) }) {
            transaction in
            let found = try Self.find(attempt, realm: realm, in: transaction)
            let charged: Charged
            var subject: UserID?
            var details: [String: JSONValue] = [:]
            switch found {
            case .refused, .repeated, .settled: charged = found
            case .admitted(let context):
                subject = context.user?.id
                details = context.auditDetails
                let counted = try Self.take(
                    Self.count(attempt, against: context, ended: ended, realm: realm, in: transaction), for: attempt,
                    realm: realm, in: transaction)
                if judgesAtOnce, let settled = try settleAtOnce(attempt, counted, in: transaction) { return settled }
                charged = try Self.countInFlow(counted, in: transaction)
            }
            if durability == .withNext {
                guard case .admitted = charged else { throw NotAdmitted() }
                return charged
            }
            // A flood from one source is in the log with its first hundred answers; more would only fill the disk. So
            // answers that are not judged count against the source like wrong ones. Asking whether a device has
            // answered is no answer: a waiting client asks often.
            if case .refused(let refusal) = charged, ![.sourceLimited, .approvalPending].contains(refusal.reason) {
                if let limited = try transaction.chargeAnswer(
                    of: attempt.client, at: attempt.now, from: attempt.charge.part)
                {
                    return .refused(limited)
                }
                try transaction.append(
                    AuditEvent(
                        id: attempt.draft.eventID(.refusal), at: attempt.now, kind: .answerRefused, userID: subject,
                        context: attempt.client, reason: refusal.reason.rawValue, details: details))
            }
            return charged
        }
    }

    /// What charging asks for, as far as the answer itself says it. Most factors count under the name that is expected here; one
    /// that does not is asked for when it is known.
    private static func expected(by attempt: Attempt) -> [ExpectedRows] {
        guard case .flow(let handle, _) = attempt.target else { return [] }
        var rows: [ExpectedRows] = [.flow(digest: handle.digest)]
        if case .code(_, let factor?) = attempt.answer.content {
            var counters = [CounterKey.factor(factor, .totp)]
            if let source = attempt.client.limitedSource {
                counters.append(
                    Allowance(.answersPerSource, CounterKey.answers(from: source)).key(0, from: attempt.charge.part))
            }
            rows += [.factor(factor), .counters(counters)]
        }
        return rows
    }

    /// Judges and settles an answer in the transaction that has just counted it, where judging only computes. The verdict is
    /// disclosed when the transaction is durable, and the count of the answer with it (`docs/decisions/0155`).
    /// - Returns: nil where the answer is judged without a transaction.
    private func settleAtOnce(
        _ attempt: Attempt, _ counted: Charged, in transaction: any StoreTransaction
    ) throws -> Charged? {
        guard case .admitted(let context) = counted, let judged = try judgeAtOnce(attempt, context) else { return nil }
        let settlement = Settlement(attempt: attempt, context: context, judged: judged, realm: realm, isAtOnce: true)
        let settled = try settlement.settle(in: transaction)
        guard case .verdict(let verdict) = settled else { throw NotAtOnce() }
        return .settled(verdict)
    }

    /// Fetches what is there now, for another round. The attempt has been counted.
    ///
    /// A code that names no factor is compared only with those that the attempt was counted against: another may be waiting
    /// out a lockout.
    func reload(_ attempt: Attempt, _ charge: Charge?) async throws -> Charged {
        let realm = realm
        let found = try await realm.store.read { try Self.find(attempt, realm: realm, in: $0) }
        guard case .code(_, nil) = attempt.answer.content, case .admitted(var context) = found, let charge else {
            return found
        }
        let counted = Set(charge.counted.map(\.key))
        let candidates = context.candidates.filter { $0.counterKey(realm.proofs).map(counted.contains) ?? true }
        guard !candidates.isEmpty else { return .refused(Refusal(.busy)) }
        context.asked = .proof(candidates)
        return .admitted(context)
    }

    /// Ends a charge without a verdict. An answer that could not be judged, or was right and could not be made to
    /// count, was no attempt. Otherwise an outage, or a client that keeps the hasher busy, would lock users out with
    /// their own right passwords. What was wrong stays counted.
    ///
    /// Where the store cannot be reached, the end is noted for the next charge of this process, and the charge lapses
    /// for all others: the verdict was not disclosed.
    func end(_ charge: Charge?, _ end: ChargeEnd) async {
        guard let charge else { return }
        do {
            try await realm.store.write(.rows) { transaction in
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
        switch attempt.target {
        case .opening(let opening):
            let settings = try transaction.sharedSettings()
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
            if expectation.isUnlessDeviceIsAwaited, record.attempts < body.maximumAttempts, let journey = body.journey,
                JourneySummary(journey, body.challenge, realm.proofs).awaitsDevice
            {
                throw AttemptAwaitsDevice()
            }
            return try find(
                attempt, record, body, settings: transaction.sharedSettings(), realm: realm, in: transaction)
        }
    }

    /// An attempt that begins with the answer.
    private static func find(
        _ attempt: Attempt, _ opening: FlowOpening, settings: OneReference<RealmSettings>, realm: Realm,
        in transaction: any StoreTransaction
    ) throws -> Charged {
        guard case .proof(let kind, let form, nil) = attempt.answer.content, let method = realm.proofs.method(kind),
            method.traits.opensSignIn
        else { return .refused(Refusal(.unexpectedAnswer)) }
        let email: EmailAddress? = if case .email(let email) = opening.subject { email } else { nil }
        let body = FlowBody(
            purpose: .signIn, client: attempt.client, email: email, challenge: .secondFactor, terms: opening.terms)
        let finder = ProofFinder(
            attempt: attempt, flow: nil, body: body, user: nil, settings: settings.wrappedValue, realm: realm,
            transaction: transaction)
        switch try finder.locate(method, form) {
        case .refused(let refusal): return .refused(refusal)
        case .found(let candidate):
            return .admitted(
                AttemptContext(
                    user: candidate.located.user, flow: nil, body: body, settings: settings,
                    asked: .proof([candidate])))
        }
    }

    /// An attempt in progress.
    private static func find(
        _ attempt: Attempt, _ record: FlowRecord, _ body: FlowBody, settings: OneReference<RealmSettings>,
        realm: Realm, in transaction: any StoreTransaction
    ) throws -> Charged {
        let user = try transaction.user(record.userID ?? .placeholder)
        let finder = ProofFinder(
            attempt: attempt, flow: record, body: body, user: user, settings: settings.wrappedValue, realm: realm,
            transaction: transaction)
        // What finds its user by the response looks for both itself.
        if !finder.namesUser {
            if record.userID != nil && user == nil { return .refused(Refusal(.userNotFound)) }
            if let refusal = try finder.refusal(ofEpochOf: user) { return .refused(refusal) }
        }
        if body.approval?.decision?.isAllowed == false {
            // A person said no with a key in hand: no other factor talks over that.
            return .refused(Refusal(.approvalRejected))
        }
        var context = AttemptContext(user: user, flow: record, body: body, settings: settings, asked: .handle)
        switch (attempt.answer.content, body.challenge) {
        case (.device, .registration(let offer)):
            guard finder.isOffered(DeviceOffer.deviceKind), offer.allows(DeviceOffer.deviceKind) else {
                return .refused(Refusal(.factorNotOffered))
            }
            context.asked = .registration(offer)
        case (.newPassword, .newPassword), (.attributes, .attributes), (.confirmation, .confirmation),
            (.claim, .claim):
            break
        case (.enrolling(let kind), .newPassword) where body.journey?.stage == .details:
            guard realm.proofs.method(kind) is any ResponseEnrolledProof, finder.isOffered(kind),
                body.journey?.abilities.answersChallenges == true
            else { return .refused(Refusal(.factorNotOffered)) }
        default:
            switch try finder.candidates() {
            case .refused(let refusal): return .refused(refusal)
            case .found(let candidates):
                context.asked = .proof(candidates)
                if let found = candidates.first, found.method.traits.namesUser {
                    if let refusal = try finder.refusal(ofEpochOf: found.located.user) { return .refused(refusal) }
                    context.user = found.located.user
                }
                if candidates.contains(where: \.located.adoptsClient) { context.body.goOn(by: attempt.client) }
            }
        }
        return .admitted(context)
    }

    private static func count(
        _ attempt: Attempt, against context: AttemptContext, ended: [String: ChargeEnd], realm: Realm,
        in transaction: any StoreTransaction
    ) throws -> Charged {
        var context = context
        // A handle is 256 random bits: there is nothing to guess, and counting would let a bystander use it up.
        guard context.isGuessable else { return .admitted(context) }

        // Everything is asked before anything is counted: an attempt that one limit turns away costs nothing elsewhere.
        if let flow = context.flow, flow.attempts >= context.body.maximumAttempts {
            return .refused(Refusal(.flowExhausted))
        }
        var lockouts: [Allowance] = []
        if case .proof(let candidates) = context.asked {
            switch try open(candidates, attempt, ended: ended, realm: realm, in: transaction) {
            case .refused(let refusal): return .refused(refusal)
            case .found(let open, let asked):
                context.asked = .proof(open)
                lockouts = asked
            }
        }
        let source = attempt.client.limitedSource.map {
            Allowance(.answersPerSource, CounterKey.answers(from: $0))
        }
        let limits = lockouts + [source].compactMap { $0 }
        let counters: [AttemptCounter]
        switch try transaction.ask(
            limits, at: attempt.now, as: attempt.charge.name, from: attempt.charge.part, ended: ended)
        {
        case .admitted(let admitted): counters = admitted
        case .refused(let allowance, let refusal): return .refused(Refusal(by: allowance, refusal))
        }
        try transaction.count(counters)
        context.charge = Charge(
            id: attempt.charge, counted: zip(limits, counters).map { Allowance($0.rule, $1.key) },
            flow: context.flow?.digest)
        return .admitted(context)
    }

    /// Takes what takes one answer, right or wrong, before the answer is judged: the open challenge, or the enrolment. So what failed
    /// can be tried again with another challenge only.
    private static func take(
        _ counted: Charged, for attempt: Attempt, realm: Realm, in transaction: any StoreTransaction
    ) throws -> Charged {
        guard case .admitted(var context) = counted, var flow = context.flow,
            let candidate = context.candidates.first(where: \.method.traits.takesChallenge)
        else { return counted }
        if candidate.isRegistration, context.body.openCreation != nil {
            // The sign-in goes on after a wrong response, with something else to be made.
            context.body.creation?.takenBy = attempt.charge.name
            flow.body = try context.body.sealed(by: realm.sealer, digest: flow.digest, in: transaction)
        } else if candidate.isRegistration {
            guard flow.attempts < context.body.maximumAttempts else { return .refused(Refusal(.flowExhausted)) }
            flow.attempts += 1
        } else {
            // What settling writes in this transaction comes before the flow in the order of locks.
            var rows: Set<ReservedRow> = [.flow(flow.digest)]
            if let user = candidate.located.user { rows.insert(.user(user.id)) }
            if let factor = candidate.located.factor { rows.insert(.factor(factor.id)) }
            try transaction.reserve(rows)
            let kind = candidate.method.kind
            if context.body.opened?.kind == kind, context.body.asksForSecondFactor {
                context.body.opened?.takenBy = attempt.charge.name
            } else if case .proof(var open) = context.body.challenge, open.kind == kind {
                open.takenBy = attempt.charge.name
                context.body.challenge = .proof(open)
            }
            flow.body = try context.body.sealed(by: realm.sealer, digest: flow.digest, in: transaction)
        }
        guard try transaction.update(flow), let kept = try transaction.flow(digest: flow.digest) else {
            throw StoreError(.unavailable, "A flow changed within one transaction.")
        }
        context.flow = kept
        return .admitted(context)
    }

    /// Counts an attempt that was admitted in the flow that is answered.
    private static func countInFlow(_ counted: Charged, in transaction: any StoreTransaction) throws -> Charged {
        guard case .admitted(var context) = counted, context.charge != nil, var flow = context.flow else {
            return counted
        }
        flow.attempts += 1
        guard try transaction.update(flow), let kept = try transaction.flow(digest: flow.digest) else {
            throw StoreError(.unavailable, "A flow changed within one transaction.")
        }
        context.flow = kept
        return .admitted(context)
    }

    private enum OpenCandidates {
        case found([ProofCandidate], [Allowance])
        case refused(Refusal)
    }

    /// The candidates that wait out no lockout, with what each counts in. A code that names no factor is compared with those of
    /// its candidates that are open, and counts against each of them: naming none gives no more tries than naming one
    /// (`docs/decisions/0135`). Counts nothing.
    private static func open(
        _ candidates: [ProofCandidate], _ attempt: Attempt, ended: [String: ChargeEnd], realm: Realm,
        in transaction: any StoreTransaction
    ) throws -> OpenCandidates {
        if candidates.count == 1, let only = candidates.first {
            let lockout = only.counterKey(realm.proofs).map { Allowance(only.method.traits.lockout, $0) }
            return .found([only], [lockout].compactMap { $0 })
        }
        var open: [ProofCandidate] = []
        var lockouts: [Allowance] = []
        var refusals: [(refusal: Refusal, until: Date)] = []
        for candidate in candidates {
            guard let key = candidate.counterKey(realm.proofs) else {
                open.append(candidate)
                continue
            }
            let lockout = Allowance(candidate.method.traits.lockout, key)
            switch try transaction.ask([lockout], at: attempt.now, as: attempt.charge.name, ended: ended) {
            case .admitted:
                open.append(candidate)
                lockouts.append(lockout)
            case .refused(let allowance, let limit):
                refusals.append((Refusal(by: allowance, limit), limit.instant))
            }
        }
        if open.isEmpty, let soonest = refusals.min(by: { $0.until < $1.until }) { return .refused(soonest.refusal) }
        return .found(open, lockouts)
    }
}

/// Undoes the transaction of an answer that could not be settled where it was counted: it takes the three steps.
struct NotAtOnce: Error {}

/// Undoes a charge that did not wait for the disk and was not admitted: what is told of it has to be durable.
struct NotAdmitted: Error {}

extension AnsweredRequest.Outcome {
    /// The answer once more; nil where it was no answer, or its token was traded since.
    fileprivate func verdict(in transaction: any StoreTransaction) throws -> Verdict? {
        switch self {
        case .asked: return nil
        case .advanced(let step): return .advanced(step)
        case .signedIn(_, let refreshToken):
            return try Self.signedIn(refreshToken, in: transaction).map { .accomplished(.signedIn($0)) }
        case .enrolled(let id, _, let refreshToken):
            guard let factor = try transaction.factor(id), let again = try Self.signedIn(refreshToken, in: transaction)
            else { return nil }
            return .accomplished(.enrolled(factor, again))
        }
    }

    private static func signedIn(_ refreshToken: String, in transaction: any StoreTransaction) throws -> SignedIn? {
        guard let token = RefreshToken(refreshToken), let found = try transaction.granted(token.grantID),
            found.session.revokedAt == nil, found.grant.revokedAt == nil, token.isCurrent(found.grant),
            let user = try transaction.user(found.session.userID), !user.isDisabled,
            user.tokenEpoch == found.session.tokenEpoch
        else { return nil }
        return SignedIn(user: user, session: found.session, grant: found.grant, refreshToken: Secret(refreshToken))
    }
}

/// The names of counters.
package enum CounterKey {
    /// Wrong answers by a factor. Those that are forgotten after idle days are kept under the name of the kind; those in a row
    /// of other kinds are not cleaned away.
    static func factor(_ id: FactorID, _ kind: FactorKind, _ proofs: ProofRegistry = .standard) -> String {
        proofs.traits(kind)?.forgetsWrongAnswers == true
            ? "\(kind.rawValue)/\(id)" : "\(AttemptCounter.factorPrefix)\(id)"
    }
    static func claim(_ digest: Data) -> String { "claim/\(digest.hex)" }
    static func mailedCode(_ digest: Data) -> String { "code/\(digest.hex)" }
    package static func answers(from source: String) -> String { "answers/\(source)" }
    static func clients(from source: String) -> String { "clients/\(source)" }
    static func assertions(of application: ClientID) -> String { "assertions/\(application.rawValue)" }
    static func documents(from source: String) -> String { "documents/\(source)" }
    static func documents(at host: String) -> String { "documents-at/\(host)" }
    static func attempts(from source: String) -> String { "attempts/\(source)" }
    static func registrations(from source: String) -> String { "registrations/\(source)" }
    static func registrationChanges(of application: ClientID) -> String {
        "registration-changes/\(application.rawValue)"
    }
    static func signUps(from source: String) -> String { "sign-ups/\(source)" }
    static func newPasswords(of user: UserID) -> String { "new-passwords/\(user)" }
    static func notices(to user: UserID) -> String { "notices/\(user)" }
    static func ownChanges(of user: UserID, in session: SessionID?) -> String {
        "own-changes/" + (session?.rawValue ?? user.rawValue)
    }
    static func ownEndings(of user: UserID, in session: SessionID?) -> String {
        "own-endings/" + (session?.rawValue ?? user.rawValue)
    }
    static func pushes(to user: UserID) -> String { "pushes/\(user)" }
    static func offers(by flow: Data) -> String { "offers/\(flow.hex)" }
    static func offers(to user: UserID) -> String { "offers-to/\(user)" }
    static func proofs(of handle: FlowHandle) -> String { "proofs/\(handle.publicName)" }
    static func mails(to digest: Data) -> String { "mails-to/\(digest.hex)" }
    static func mails(from source: String) -> String { "mails-from/\(source)" }
    static func userCodes(of user: UserID) -> String { "user-codes-of/\(user)" }
    static func userCodes(from source: String) -> String { "user-codes-from/\(source)" }
}
