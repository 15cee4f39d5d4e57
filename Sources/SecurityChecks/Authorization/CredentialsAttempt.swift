import CountersignCore
import Foundation

/// One answer with credentials on its way through the door: counted for the client, for the person whose secret is tried, and
/// for the source.
struct CredentialsAttempt: ChargedAttempt {
    enum Outcome: Sendable {
        case decided(CheckReply)
        /// Neither right nor wrong yet; with what the check says.
        case undecided(String?)
        case blocked
        /// Another request of the client came first, or what was judged is no longer there.
        case conflict
        case limited(until: Date)
    }

    let response: JSONValue
    let check: any CredentialsValidationSecurityCheck
    let name: String
    let observed: CheckJudging.Observation
    let judging: CheckJudging
    /// Whose secret is tried; nil where no person is named.
    private let person: String?
    /// The registration as the check leaves it when the last wrong answer blocks the client: a developer's code, which runs
    /// outside of transactions.
    private let blockedRegistration: RegistrationContext
    private let eventID: String

    init(
        _ credentials: JSONValue, by check: any CredentialsValidationSecurityCheck, _ name: String,
        _ observed: CheckJudging.Observation, in judging: CheckJudging, eventID: String? = nil
    ) {
        response = credentials
        self.check = check
        self.name = name
        self.observed = observed
        self.judging = judging
        person = check.person(claimedBy: credentials, in: observed.context)
        var registration = observed.context.registration
        check.block(&registration)
        blockedRegistration = registration
        self.eventID = eventID ?? AuditEvent.freshID(at: judging.now, random: judging.realm.random)
    }

    var method: CheckCredentials { CheckCredentials(check: check, context: observed.context, judging: judging) }
    var client: ClientContext { judging.client }
    var now: Date { judging.now }
    var auditDetails: [String: JSONValue] { ["purpose": .string("security-check"), "check": .string(name)] }

    private var attempts: CredentialsAttempts { CredentialsAttempts(limits: check.limits) }

    private func personKey(in transaction: any StoreTransaction) throws -> String? {
        try person.map { try CounterKey.person($0, check: name, judging.realm.sealer, transaction) }
    }

    // MARK: Charge

    func admit(_ charge: String, in transaction: any StoreTransaction) throws -> AttemptAdmission<Outcome> {
        guard let states = try judging.states(in: transaction) else { return .ended(.conflict) }
        var record = try states.record(name)
        return try admission(of: &record, charge, states)
    }

    /// - Parameter record: the state as it is; as it is charged afterwards.
    func admission(
        of record: inout CheckRecord, _ charge: String, _ states: CheckStates
    ) throws -> AttemptAdmission<Outcome> {
        let present = record
        switch attempts.charge(&record, nonce: charge, at: now) {
        case .admitted: break
        case .conflict: return .ended(.conflict)
        case .blocked:
            let record = record
            return .refused(Refusal(.lockedOut)) { if record != present { _ = try states.put(record, of: name) } }
        }
        let limit = try personKey(in: states.transaction).map { Allowance(attempts, $0) }
        let charged = record
        return .admitted(counted: [limit].compactMap { $0 }, busy: .conflict) { try states.put(charged, of: name) }
    }

    func outcome(of refusal: Refusal) -> Outcome {
        refusal.reason == .sourceLimited ? .limited(until: refusal.retryAt ?? .distantFuture) : .blocked
    }

    func standing(of record: inout CheckRecord) -> CredentialsAttempts.Standing { attempts.standing(&record, at: now) }

    // MARK: Settle

    func settle(
        _ judgement: Judgement<NoContent>, _ charge: String, in transaction: any StoreTransaction
    ) throws -> AttemptSettlement<Outcome> {
        guard var states = try judging.states(in: transaction) else { return .superseded(.conflict) }
        let record = try states.record(name)
        guard record.judging?.nonce == charge else { return .superseded(.conflict) }
        return try settle(judgement, record, &states)
    }

    /// - Parameter record: the state in which the answer was charged.
    func settle(
        _ judgement: Judgement<NoContent>, _ record: CheckRecord, _ states: inout CheckStates
    ) throws -> AttemptSettlement<Outcome> {
        var record = record
        if case .wrong(let refusal) = judgement, refusal.reason == .approvalPending {
            attempts.takeBack(&record)
            guard try states.put(record, of: name) else { return .undone(.conflict) }
            return .settled(.undecided(refusal.remark?.message), .returned)
        }
        try states.reserve(for: judgement.finding?.user?.account)
        guard observed.isStill(try states.context(name, record)) else {
            // The client does not learn what it would have been.
            attempts.takeBack(&record)
            guard try states.put(record, of: name) else { return .undone(.conflict) }
            return .settled(.conflict, .kept)
        }
        switch judgement {
        case .right: return try accept(judgement.finding ?? .init(), record, &states)
        case .wrong(let refusal), .alarming(let refusal, _):
            return try refuse(refusal.remark ?? .init(), record, &states)
        }
    }

    private func accept(
        _ finding: CheckCredentials.Finding, _ present: CheckRecord, _ states: inout CheckStates
    ) throws -> AttemptSettlement<Outcome> {
        var record = present
        var registration = states.client.registration.context
        attempts.succeed(&record, at: now)
        record.person = person
        record.dependencyUsers = try states.recognisedByDependencies(of: name)
        if let user = finding.user {
            try states.endSuccesses(after: name, of: user)
            record.user = user
            registration.registeredUser = user
            if let check = check as? any UserAuthenticationSecurityCheck, check.rememberMeDuration > 0 {
                RememberedUser.forget(in: &registration)
                if finding.isRemembered { RememberedUser.remember(in: &registration, at: now) }
            }
        }
        if let key = try personKey(in: states.transaction) { try states.transaction.deleteCounter(key) }
        let reply = CheckReply(standing: attempts.standing(&record, at: now), user: record.user)
        try states.transaction.append(
            AuditEvent(
                id: eventID, at: now, kind: .securityCheckPassed, userID: finding.user?.account, context: client,
                details: auditDetails))
        guard try states.put(record, of: name), try states.putRegistration(registration) else {
            return .undone(.conflict)
        }
        return .settled(.decided(reply), .returned)
    }

    private func refuse(
        _ remark: Refusal.Remark, _ present: CheckRecord, _ states: inout CheckStates
    ) throws -> AttemptSettlement<Outcome> {
        let transaction = states.transaction
        var record = present
        var registration = states.client.registration.context
        let left = try personKey(in: transaction).map { attempts.remaining(try transaction.counter($0), at: now) }
        if attempts.fail(&record, isLast: left == 0, at: now) { registration = blockedRegistration }
        var standing = attempts.standing(&record, at: now)
        if case .attempting(let remaining) = standing {
            if remark.isRepeated { record.message = remark.message }
            standing = .attempting(remaining: min(remaining, left ?? remaining))
            // Also where the check blocks no client: the person's own limit does.
            if left == 0 { standing = .blocked }
        }
        try transaction.append(
            AuditEvent(
                id: eventID, at: now, kind: .answerRefused, userID: observed.context.knownUser?.account,
                context: client, reason: remark.isFault ? "checkFailed" : Refusal.Reason.wrongAnswer.rawValue,
                details: auditDetails))
        guard try states.put(record, of: name), try states.putRegistration(registration) else {
            return .undone(.conflict)
        }
        return .settled(
            .decided(CheckReply(standing: standing, message: remark.message, isImpossible: remark.isFault)), .kept)
    }

    func release(_ charge: String, _ end: ChargeEnd, in transaction: any StoreTransaction) throws {
        guard let states = try judging.states(in: transaction) else { return }
        var record = try states.record(name)
        guard record.judging?.nonce == charge else { return }
        switch end {
        case .returned: attempts.takeBack(&record)
        case .kept: record.judging = nil
        }
        _ = try states.put(record, of: name)
    }
}

extension CredentialsAttempts: AnswerLimit {
    /// What one person's wrong answers cost (``chargePerson(_:key:at:as:)``).
    func charge(
        _ counter: AttemptCounter?, key: String, at now: Date, as charge: String?
    ) -> LockoutPolicy.Charge {
        chargePerson(counter, key: key, at: now, as: charge)
    }
}
