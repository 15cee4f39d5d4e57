import Foundation

/// A first second factor in the middle of a sign-in that needs one: by the first code of an app, by a device, or by a response that
/// makes it.
extension Enrolments {
    /// A sign-in that waits for a factor to be enrolled.
    struct EnrollingAttempt {
        var flow: FlowRecord
        var body: FlowBody
        var user: User
        /// Whether it goes step by step; the protocols of the others give a handle of its own to every step.
        var isStep: Bool

        /// Why nothing may be enrolled in it.
        var fault: EnrollingLookup? {
            guard body.canEnrol || isStep else { return .unknown(.unknownFlow) }
            // A stranger could lock the owner of the address out.
            guard user.email == nil || user.profile.emailVerified else { return .refused(.unverifiedEmail) }
            return nil
        }
    }

    enum EnrollingLookup {
        case open(EnrollingAttempt)
        case refused(EnrolmentRefusal)
        case unknown(Refusal.Reason)
    }

    /// The sign-in that a handle names, where it waits for a second factor.
    func find(
        _ handle: FlowHandle, _ expectation: FlowExpectation, at now: Date, in transaction: any StoreTransaction
    ) throws -> EnrollingLookup {
        guard let found = try transaction.flow(of: handle, expecting: expectation, at: now, sealer: realm.sealer),
            let userID = found.record.userID
        else { return .unknown(.unknownFlow) }
        let (flow, body) = (found.record, found.body)
        let isStep = body.journey?.stage == .registration
        guard isStep || body.purpose == .signIn && body.challenge == .secondFactor else {
            return .unknown(.unknownFlow)
        }
        if flow.finishedAt != nil { return .unknown(.flowFinished) }
        if flow.expiresAt <= now { return .unknown(.flowExpired) }
        guard let user = try transaction.user(userID) else { return .refused(.userNotFound) }
        guard try body.goesOn(for: user, at: now, in: transaction) else { return .refused(.revoked) }
        return .open(EnrollingAttempt(flow: flow, body: body, user: user, isStep: isStep))
    }

    /// Counts one beginning; what the sign-in has had too many of is refused.
    func charge(
        _ attempt: EnrollingAttempt, at now: Date, in transaction: any StoreTransaction
    ) throws -> EnrollingLookup? {
        try transaction.charge(.offersPerTicket, key: CounterKey.offers(by: attempt.flow.digest), at: now)
            .map { _ in .unknown(.sourceLimited) }
    }

    // MARK: By a response

    /// What came of beginning within a sign-in.
    public enum StepOutcome: Sendable {
        /// The enrolment waits for a response.
        case offered(ResponseOffer)
        /// Nothing was begun; the sign-in is where it was.
        case refused(EnrolmentRefusal)
        /// The sign-in is not one that waits for a factor, or not any more.
        case unknown(Refusal.Reason)
    }

    /// Begins to enrol a factor that a response brings (`ResponseEnrolledProof`) at the step of a sign-in that waits for one
    /// (``JourneyStage/registration``). The response goes to the sign-in's own handle
    /// (``Answer/registration(of:response:name:)``) and completes it; a wrong one uses up what was asked, and the sign-in goes on.
    ///
    /// Never beside another factor that was not given: a password alone must not add one.
    ///
    /// - Parameters:
    ///   - expectation: what the handle has to be.
    ///   - wish: what the client asks for, by the method's own words; nil leaves all to the server.
    public func begin(
        _ kind: FactorKind, during handle: FlowHandle, expecting expectation: FlowExpectation, wish: JSONValue? = nil,
        by client: ClientContext
    ) async throws -> StepOutcome {
        guard let method = realm.proofs.method(kind) as? any ResponseEnrolledProof else { return .refused(.notOffered) }
        let (realm, now) = (realm, realm.clock.now)
        // The sign-in goes on under its handle, which several challenges follow: a challenge is another random value.
        let nonce = realm.random.bytes(32)
        return try await realm.store.write { transaction in
            let found = try find(handle, expectation, at: now, in: transaction)
            guard case .open(let attempt) = found else { return found.stepOutcome }
            var (flow, body) = (attempt.flow, attempt.body)
            let settings = try transaction.settings()
            let present = try transaction.factors(of: attempt.user.id)
            guard attempt.isStep, realm.proofs.isOffered(kind, settings.secondFactors) else {
                return .refused(.notOffered)
            }
            let own = present.filter { $0.kind == kind }
            guard body.mayRegister(kind, beside: present, realm.proofs),
                own.count < realm.proofs.limitPerUser(of: kind)
            else { return .refused(.limitReached) }
            if let fault = attempt.fault { return fault.stepOutcome }
            if let limited = try charge(attempt, at: now, in: transaction) { return limited.stepOutcome }
            guard
                let opened = try method.open(
                    for: attempt.user, having: own, settings: settings, nonce: nonce, at: now, by: client, wish: wish,
                    realm: realm)
            else { return .refused(.notOffered) }
            body.creation = OpenChallenge(kind, bytes: opened.kept)
            flow.body = try body.sealed(by: realm.sealer, digest: flow.digest, in: transaction)
            guard try transaction.update(flow) else { return .unknown(.busy) }
            return .offered(
                ResponseOffer(handle: handle, kind: kind, challenge: opened.shown, expiresAt: flow.expiresAt))
        }
    }

    /// What may be enrolled by a response at the step that a sign-in has come to. Empty where nothing may, or the sign-in waits for
    /// something else. Counts nothing and keeps nothing.
    public func kindsByResponse(
        during handle: FlowHandle, expecting expectation: FlowExpectation
    ) async throws -> [FactorKind] {
        let (realm, now) = (realm, realm.clock.now)
        return try await realm.store.read { transaction in
            guard case .open(let attempt) = try find(handle, expectation, at: now, in: transaction), attempt.isStep,
                attempt.fault == nil
            else { return [] }
            let settings = try transaction.settings().secondFactors
            let present = try transaction.factors(of: attempt.user.id)
            return realm.proofs.kindsByResponse.filter {
                realm.proofs.isOffered($0, settings)
                    && attempt.body.mayRegister($0, beside: present, realm.proofs)
            }
        }
    }
}

extension Enrolments.EnrollingLookup {
    var deviceOutcome: Enrolments.DeviceOutcome {
        switch self {
        case .open: .unknown(.unknownFlow)
        case .refused(let refusal): .refused(refusal)
        case .unknown(let reason): .unknown(reason)
        }
    }

    var stepOutcome: Enrolments.StepOutcome {
        switch self {
        case .open: .unknown(.unknownFlow)
        case .refused(let refusal): .refused(refusal)
        case .unknown(let reason): .unknown(reason)
        }
    }
}

extension FlowBody {
    /// Whether the sign-in takes this kind, where it wants one alone.
    func registers(_ kind: FactorKind) -> Bool { journey?.registers.map { $0 == kind } ?? true }

    /// Whether the attempt wants a kind of factor enrolled which it has not shown yet.
    var lacksRegistration: Bool {
        guard let kind = journey?.registers else { return false }
        return !proven.contains { $0.kind == kind }
    }

    /// Whether a factor of the kind may be enrolled by what the sign-in has proven: whatever guards the account already has to be among
    /// that. What was given as the first proof would prove nothing more beside itself.
    func mayRegister(_ kind: FactorKind, beside present: [FactorRecord], _ proofs: ProofRegistry) -> Bool {
        registers(kind) && !proven.contains { $0.kind == kind }
            && SessionEvidence(dialect: dialect, proofs: proven).mayChange(present, proofs)
    }
}
