import Crypto
import Foundation
import OneTimePassword

/// The one door: the only place where an answer is judged.
///
/// Three steps. *Charge*: one short transaction counts the attempt against the authenticator, the flow and the source,
/// and fetches what is to be compared. *Judge*: no transaction is open while a password is hashed. *Settle*: another
/// transaction makes the success count once, provided that neither factor nor flow changed meanwhile; if one did, the
/// answer is judged again against what is there now.
///
/// **How the files of this folder meet.** A dialect brings an `Answer` with a `FlowHandle` and the `FlowExpectation` of its
/// endpoint, or opens an attempt with it (`+Begin`). `+Charge` has `ProofFinder` find what the answer is compared with and ends
/// in a `Charge`; `+Judge` runs the means of proof (`Proofs`) without a transaction; `+Settle` hands the success to a
/// `Settlement`, whose files write what follows: `+SignIn` a session, `+Journey` the next stage, `+Address` and `+Purposes` what a
/// mailed link or code was for, `+Records` rows and events. What cannot be settled waits in `UnsettledCharges`. Stored are
/// `FlowRecord` and, sealed in it, `FlowBody` with its `FlowStage` and, for attempts that go step by step, its `Journey`.
/// `Journeys` begins those and sends their codes, `Mailings` sends links and codes, and a `Consultant` is asked before a
/// right answer counts. `ChargedAttempt` is the same door for answers that belong to no flow.
public struct Authenticator: Sendable {
    package let realm: Realm

    /// How often an answer is judged again because what it was judged by changed.
    private static let maximumRounds = 3

    /// Factors that a code is compared with which names none.
    public static let comparedFactors = 3

    /// Judges an answer.
    ///
    /// A wrong answer, a closed flow or a lockout is a ``Verdict``; what is thrown is our own failure
    /// (``StoreError``, ``PasswordHashingOverload``).
    public func answer(
        _ answer: Answer, to target: AnswerTarget, by client: ClientContext
    ) async throws -> Verdict {
        let newPasswordHash: String?
        switch try await prepare(answer, target, client) {
        case .hash(let hash): newPasswordHash = hash
        case .refused(let refusal): return .refused(refusal)
        }
        let now = realm.clock.now
        let attempt = Attempt(
            answer: answer, target: target, client: client, now: now, newPasswordHash: newPasswordHash,
            charge: ChargeID(random: realm.random),
            draft: Settlement.Draft(at: now, random: realm.random, proofs: realm.proofs))

        var charged = try await chargeFirst(attempt)
        // Counted once, however often it is judged.
        let charge: Charge? = if case .admitted(let context) = charged { context.charge } else { nil }
        rounds: for round in 0..<Self.maximumRounds {
            var context: AttemptContext
            switch charged {
            case .admitted(let admitted): context = admitted
            case .refused(let refusal):
                // After the first round it was right, and its grounds no longer exist.
                if round > 0 { await end(charge, .returned) }
                return .refused(refusal)
            case .repeated(let verdict):
                if round > 0 { await end(charge, .returned) }
                return verdict
            case .settled(let verdict): return verdict
            }
            context.charge = charge
            let present = context
            let judged = try await ending(charge, .returned) { try await judge(attempt, present) }
            var advice = Advice()
            while true {
                let settled = try await ending(charge, judged.isWrong ? .kept : .returned) {
                    try await settle(attempt, present, judged, advice)
                }
                switch settled {
                case .verdict(let verdict): return verdict
                case .stale:
                    // What was said was about what is not so any more.
                    charged = try await ending(charge, .returned) { try await reload(attempt, charge) }
                    continue rounds
                case .needs(let question):
                    if let refusal = try await consult(about: question, attempt, present, &advice) {
                        return .refused(refusal)
                    }
                }
            }
        }
        await end(charge, .returned)
        return .refused(Refusal(.busy))
    }

    /// Counts the attempt; judges and settles it, too, where that only computes and no consultant may have to be asked.
    ///
    /// The count of an answer that is slowly judged is on the disk with its settlement, before which nothing is told. A consultant is told
    /// before that.
    private func chargeFirst(_ attempt: Attempt) async throws -> Charged {
        guard attempt.consultant?.steps.isEmpty ?? true else { return try await charge(attempt) }
        if case .proof(let kind, _, _) = attempt.answer.content,
            realm.proofs.method(kind)?.traits.isJudgedSlowly == true
        {
            do {
                return try await charge(attempt, .withNext)
            } catch is NotAdmitted {
                return try await charge(attempt)
            }
        }
        do {
            return try await charge(attempt, judgesAtOnce: true)
        } catch is NotAtOnce {
            return try await charge(attempt)
        }
    }

    /// Runs a step of an attempt. Where it fails, by an internal error, the verdict is not disclosed, and the charge
    /// ends accordingly.
    private func ending<T>(
        _ charge: Charge?, _ end: ChargeEnd, _ step: () async throws -> T
    ) async throws -> T {
        do {
            return try await step()
        } catch {
            await self.end(charge, end)
            throw error
        }
    }

    /// Asks the consultant that the answer needs. A right answer that cannot be looked into is no attempt; one that was
    /// objected to is, also where there was nothing to guess; otherwise any client could keep the service busy.
    private func consult(
        about question: ConsultationNeeded, _ attempt: Attempt, _ context: AttemptContext, _ advice: inout Advice
    ) async throws -> Refusal? {
        guard let consultant = attempt.consultant else {
            throw StoreError(
                .corrupt, "This sign-in has to call an extension, and its endpoint cannot. Report this as a defect.")
        }
        if !context.isGuessable, let flow = context.flow, flow.attempts >= context.body.maximumAttempts {
            return Refusal(.flowExhausted)
        }
        do {
            try await consult(consultant, about: question, &advice)
            return nil
        } catch let objection as SignUpObjection {
            try await realm.store.write { transaction in
                if let charge = context.charge {
                    try transaction.end(charge, .kept)
                } else if let digest = context.flow?.digest, var flow = try transaction.flow(digest: digest) {
                    flow.attempts += 1
                    _ = try transaction.update(flow)
                }
            }
            throw objection
        } catch {
            await end(context.charge, .returned)
            throw error
        }
    }

    /// Where a flow stands. Telling is not judging: nothing is counted.
    public func status(of handle: FlowHandle, expecting expectation: FlowExpectation) async throws -> FlowStatus {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            try Self.status(
                of: handle, expecting: expectation, at: now, sealer: realm.sealer, proofs: realm.proofs,
                in: transaction)
        }
    }

    /// The same, with the factors of the attempt's user as they are at that moment; none where the attempt is not open.
    public func statusAndFactors(
        of handle: FlowHandle, expecting expectation: FlowExpectation
    ) async throws -> (status: FlowStatus, factors: [FactorRecord]) {
        let realm = realm
        let now = realm.clock.now
        let look = try await realm.store.read { transaction in
            try Self.look(at: handle, expecting: expectation, at: now, realm: realm, in: transaction)
        }
        return (look.status, look.factors)
    }

    /// The same, in the transaction that knows which application asks.
    /// - Parameter expectation: what the handle has to be, by the application.
    public func looking(
        at handle: FlowHandle, expecting expectation: @escaping @Sendable (ClientID) -> FlowExpectation
    ) -> Applications.Companion<FlowLook> {
        let realm = realm
        let now = realm.clock.now
        return Applications.Companion(writes: false) { transaction, application, method in
            var look = try Self.look(
                at: handle, expecting: expectation(application.id), at: now, realm: realm, in: transaction)
            if method == .none { look.seen = try SeenApplication(application, in: transaction) }
            return look
        }
    }

    static func look(
        at handle: FlowHandle, expecting expectation: FlowExpectation, at now: Date, realm: Realm,
        in transaction: any StoreTransaction
    ) throws -> FlowLook {
        let status = try status(
            of: handle, expecting: expectation, at: now, sealer: realm.sealer, proofs: realm.proofs, in: transaction)
        guard case .open(let summary) = status, let userID = summary.userID else {
            return FlowLook(status: status, factors: [])
        }
        return FlowLook(status: status, factors: try transaction.factors(of: userID))
    }

    static func status(
        of handle: FlowHandle, expecting expectation: FlowExpectation, at now: Date, sealer: Sealer,
        proofs: ProofRegistry, in transaction: any StoreTransaction
    ) throws -> FlowStatus {
        guard let found = try transaction.flow(of: handle, expecting: expectation, at: now, sealer: sealer) else {
            return .unknown
        }
        let (record, body) = (found.record, found.body)
        if record.finishedAt != nil { return .finished }
        if record.expiresAt <= now { return .expired }
        if record.attempts >= body.maximumAttempts { return .exhausted }
        // A link that an answer would be refused by, as what it relies on is over, is no good link to look at either.
        if body.challenge == .link, let userID = record.userID, let user = try transaction.user(userID),
            try !body.goesOn(for: user, at: now, in: transaction)
        {
            return .expired
        }
        return .open(
            FlowSummary(
                purpose: body.purpose, userID: record.userID, email: body.email.map(EmailAddress.init(kept:)),
                newEmail: body.newEmail.map(EmailAddress.init(kept:)), expiresAt: record.expiresAt,
                isLink: body.challenge == .link,
                approval: try body.approval?.standing(for: record.userID, at: now, sealer: sealer, in: transaction),
                device: body.device,
                journey: body.journey.map { JourneySummary($0, body.challenge, proofs) }, clientID: body.clientID,
                terms: body.terms, dialect: body.dialect))
    }

    private enum Preparation {
        case hash(String?)
        case refused(Refusal)
    }

    /// Hashes a new password before any transaction, and refuses a weak one before anything is used up.
    private func prepare(
        _ answer: Answer, _ target: AnswerTarget, _ client: ClientContext
    ) async throws -> Preparation {
        guard let newPassword = answer.newPassword, case .flow(let handle, let expectation) = target else {
            return .hash(nil)
        }
        let realm = realm
        let now = realm.clock.now
        // Flow and password are of one instant: a flow whose password was set just now, by this very request that came twice,
        // asks for none any more.
        let found = try await realm.store.read { transaction -> (FlowSummary, RealmSettings, [FactorRecord])? in
            let status = try Self.status(
                of: handle, expecting: expectation, at: now, sealer: realm.sealer, proofs: realm.proofs, in: transaction
            )
            guard case .open(let summary) = status, summary.journey?.awaitsPassword ?? true else { return nil }
            let factors = try summary.userID.map { try transaction.factors(of: $0) } ?? []
            return (summary, try transaction.settings(), factors)
        }
        guard let (summary, settings, factors) = found else { return .hash(nil) }
        let asksForMore = AssurancePolicy.asksForMore(
            factors, settings: settings.secondFactors, proofs: realm.proofs)
        if let fault = settings.passwords.fault(
            of: newPassword, email: summary.email, secondFactorFollows: asksForMore)
        {
            return .refused(Refusal(.weakPassword, passwordFault: fault))
        }
        if let userID = summary.userID, client.refusesFormerPasswords {
            switch try await PasswordHistory(realm: realm).look(
                for: newPassword, of: userID, factors, settings.passwords)
            {
            case .fresh: break
            case .recent: return .refused(Refusal(.weakPassword, passwordFault: .recentlyUsed))
            case .limited(let until): return .refused(Refusal(.sourceLimited, retryAt: until))
            }
        }
        return .hash(try await realm.hasher.hash(newPassword))
    }
}

/// One call of the door. A class, since every step of it is handed the same.
final class Attempt: Sendable {
    let answer: Answer
    let target: AnswerTarget
    let client: ClientContext
    let now: Date
    let newPasswordHash: String?
    let charge: ChargeID
    let draft: Settlement.Draft

    init(
        answer: Answer, target: AnswerTarget, client: ClientContext, now: Date, newPasswordHash: String?,
        charge: ChargeID, draft: Settlement.Draft
    ) {
        self.answer = answer
        self.target = target
        self.client = client
        self.now = now
        self.newPasswordHash = newPasswordHash
        self.charge = charge
        self.draft = draft
    }

    /// What the user calls the factor that is being enrolled.
    var factorName: String {
        switch answer.content {
        case .enrolmentCode(_, let name), .registration(_, _, let name): name
        default: ""
        }
    }

    /// The consultant that is asked before the answer counts.
    var consultant: (any Consultant)? {
        if case .flow(_, let expectation) = target { expectation.consultant } else { nil }
    }
}

/// What a charge found: everything that judging needs and settling compares.
struct AttemptContext: Sendable {
    @OneReference var user: User?
    @OneReference var flow: FlowRecord?
    @OneReference var body: FlowBody
    @OneReference var settings: RealmSettings
    var asked: Asked
    /// What was counted; nil where nothing guessable is judged.
    var charge: Charge?

    /// - Parameter settings: those that all attempts share.
    init(user: User?, flow: FlowRecord?, body: FlowBody, settings: OneReference<RealmSettings>, asked: Asked) {
        _user = OneReference(wrappedValue: user)
        _flow = OneReference(wrappedValue: flow)
        _body = OneReference(wrappedValue: body)
        _settings = settings
        self.asked = asked
    }

    /// What the answer has to show.
    enum Asked: Sendable {
        /// That it is right by one of these, of which there is one at least.
        case proof([ProofCandidate])
        /// Nothing: the handle is enough.
        case handle
        /// A ticket was the proof, and a device comes with it.
        case registration(DeviceOffer)
    }

    /// What the answer is compared with.
    var candidates: [ProofCandidate] { if case .proof(let candidates) = asked { candidates } else { [] } }

    /// Whether wrong answers are counted before judging.
    var isGuessable: Bool { candidates.contains { $0.method.traits.isGuessable } }

    /// What the log says of an answer that is refused: what it was for, and what it was to prove.
    var auditDetails: [String: JSONValue] {
        var details: [String: JSONValue] = ["purpose": .string(body.purpose.rawValue)]
        details["kind"] = candidates.first?.kindInLog.map { .string($0.rawValue) }
        return details
    }
}

/// How an attempt stands, with the factors of its user as they are at that moment.
public struct FlowLook: Sendable {
    /// How it stands.
    public let status: FlowStatus
    /// None where it is not open.
    public let factors: [FactorRecord]
    /// The application that was found with it, where that shows nothing but its name; nil elsewhere.
    public internal(set) var seen: SeenApplication?
}
