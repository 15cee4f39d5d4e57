import Foundation

/// "Later": a user who has no second factor, and whom a rule requires to enrol one, puts that off where the rule admits it.
extension Journeys {
    /// What came of putting it off.
    public enum PutOffOutcome: Sendable, Equatable {
        /// The attempt goes on without, and its session can be claimed.
        case goesOn
        /// The attempt was to raise a session, which is enough as it is.
        case over
        /// It is not put off: nothing is left to put off, or what is asked for needs a second factor.
        case refused
    }

    /// What the user of an attempt that waits for an enrolment may put off; nil where that is nothing.
    /// - Parameter pending: the application's request that the attempt is for; nil for none.
    public func delay(
        of handle: FlowHandle, expecting expectation: FlowExpectation, for pending: PendingAuthorization?
    ) async throws -> EnrolmentDelay? {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            try Delayed(handle, expectation, for: pending, realm, at: now, in: transaction)?.delay
        }
    }

    /// Puts the enrolment off, for a day. What is put off already is not counted again, so that two tabs of one user take one day together
    /// and pay for one.
    /// - Parameter pending: the application's request that the attempt is for; nil for none.
    public func putOffEnrolment(
        in handle: FlowHandle, expecting expectation: FlowExpectation, for pending: PendingAuthorization?,
        by client: ClientContext
    ) async throws -> PutOffOutcome {
        let realm = realm
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let delayed = try Delayed(handle, expectation, for: pending, realm, at: now, in: transaction) else {
                return .refused
            }
            var (record, body, user) = (delayed.record, delayed.body, delayed.user)
            try transaction.reserve([.user(user.id), .flow(record.digest)])
            if !delayed.isPutOff {
                user.profile.putOffEnrolment(at: now)
                // Another tab was faster: the form comes again, and finds what is left.
                guard try transaction.update(user) else { return .refused }
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .factorPutOff, userID: user.id, context: client,
                        details: ["times": .integer(Int64(user.profile.putOffEnrolment?.times ?? 0))]))
            }
            let isRaising = body.journey?.mustGiveSecondFactor ?? false
            if isRaising {
                record.finishedAt = now
            } else {
                body.journey?.stage = .complete
                body.challenge = .claim
                (body.enrolment, body.creation) = (nil, nil)
                record.body = try body.sealed(by: realm.sealer, digest: record.digest, in: transaction)
            }
            guard try transaction.update(record) else { return .refused }
            return isRaising ? .over : .goesOn
        }
    }

    /// An attempt whose user may put the enrolment off, or has done so.
    private struct Delayed {
        let record: FlowRecord
        let body: FlowBody
        let user: User
        /// Nil where it is put off and cannot be again.
        let delay: EnrolmentDelay?
        let isPutOff: Bool

        init?(
            _ handle: FlowHandle, _ expectation: FlowExpectation, for pending: PendingAuthorization?, _ realm: Realm,
            at now: Date, in transaction: any StoreTransaction
        ) throws {
            guard
                case .open(let record, let body, let journey, let user?) = try Journeys.find(
                    handle, expectation, at: now, sealer: realm.sealer, in: transaction),
                journey.stage == .registration, journey.registers == nil, !user.isDisabled
            else { return nil }
            let settings = try transaction.settings().secondFactors
            // A session that an application's request has raised: the rule is the reason, and nothing of the request.
            if journey.mustGiveSecondFactor {
                guard let pending,
                    try pending.application.registration.requiresSecondFactor
                        || transaction.requiresSecondFactor(of: user.id, settings)
                else { return nil }
            }
            if let pending {
                let judge = AuthorizationJudge(
                    realm: realm, request: pending.request, body: pending.body, application: pending.application,
                    since: pending.createdAt, now: now)
                guard try judge.canDoWithoutSecondFactor(in: transaction) else { return nil }
            }
            guard
                try body.usableSecondFactors(of: user, settings, realm.proofs, realm.sealer, in: transaction).isEmpty
            else { return nil }
            let isPutOff = settings.isPutOff(by: user.profile, at: now)
            let delay = settings.delay(for: user.profile, at: now)
            guard isPutOff || delay != nil else { return nil }
            (self.record, self.body, self.user, self.delay, self.isPutOff) = (record, body, user, delay, isPutOff)
        }
    }
}

extension StoreTransaction {
    /// Whether a user has put off enrolling a second factor, and still has none.
    func putsOffEnrolment(
        _ id: UserID, _ settings: SecondFactorSettings, at now: Date, _ proofs: ProofRegistry
    ) throws -> Bool {
        guard let user = try user(id), settings.isPutOff(by: user.profile, at: now) else { return false }
        return try !AssurancePolicy.asksForMore(factors(of: id), settings: settings, proofs: proofs)
    }
}
