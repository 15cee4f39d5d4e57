import Foundation

extension Journeys {
    /// Begins to raise a browser's session, step by step: what the session was proven with counts, and a second factor is asked for. A
    /// user without one may register it, as in a sign-in.
    ///
    /// It is over when the session is. The session that comes of it holds all proofs; ``Sessions/raise(_:by:stays:)`` puts them into the
    /// browser's.
    /// - Parameter kind: what is to be enrolled whatever the session was proven with, by a response; nil asks for any second factor. The
    ///   session has to be one that may enrol it by itself (`signInTooOld`).
    public func begin(
        raising session: Session, byEnrolling kind: FactorKind? = nil, by client: ClientContext
    ) async throws -> BeginOutcome {
        let realm = realm
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random)
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(session.userID) else { return .refused(Refusal(.userNotFound)) }
            if user.isDisabled { return .refused(Refusal(.userDisabled)) }
            guard let present = try transaction.session(session.id), present.isLiving(of: user, at: now) else {
                return .refused(Refusal(.signInTooOld))
            }
            if let source = client.limitedSource,
                let until = try transaction.charge(
                    .attemptsPerSource, key: CounterKey.attempts(from: source), at: now)
            {
                return .refused(Refusal(.sourceLimited, retryAt: until))
            }
            var client = client
            client.requiresSecondFactor = true
            var body = FlowBody(
                purpose: .signIn, client: client, email: user.email, proven: present.proofs, challenge: .secondFactor,
                tokenEpoch: user.tokenEpoch)
            // What is enrolled or proven on the way is by what the session was proven with: it goes with the session.
            try body.start(by: present.id, in: transaction)
            let settings = try transaction.settings().secondFactors
            let usable = try body.usableSecondFactors(of: user, settings, realm.proofs, realm.sealer, in: transaction)
            if kind != nil {
                let evidence = SessionEvidence(dialect: client.dialect, proofs: present.proofs)
                guard evidence.isRecent(at: now), evidence.allowsEnrolment(realm.proofs),
                    try evidence.mayChange(transaction.factors(of: user.id), realm.proofs)
                else { return .refused(Refusal(.signInTooOld)) }
            }
            let registers = kind != nil || usable.isEmpty
            var journey = Journey(
                stage: registers ? .registration : .secondFactor, method: .password,
                abilities: JourneyAbilities(
                    givesSecondFactor: true, registersSecondFactor: true, answersChallenges: true))
            journey.mustGiveSecondFactor = true
            journey.registers = kind
            if registers { body.challenge = .unasked }
            body.journey = journey
            let flow = FlowRecord(
                digest: handle.digest, userID: user.id, purpose: FlowPurpose.signIn.rawValue, createdAt: now,
                expiresAt: now + FlowLifetime.standard,
                body: try body.sealed(by: realm.sealer, digest: handle.digest, in: transaction))
            guard try transaction.insert(flow) else { return .refused(Refusal(.busy)) }
            return .begun(handle)
        }
    }
}
