import Foundation

extension Enrolments {
    /// A factor that waits for the client's response.
    public struct ResponseOffer: Sendable {
        /// The response goes to it, at the stage ``FlowStage/factorEnrolment``.
        public let handle: FlowHandle
        /// The kind of the factor that is to be.
        public let kind: FactorKind
        /// The answer to the client: what it is to make.
        public let challenge: JSONValue
        /// Until when the response may come.
        public let expiresAt: Date
    }

    /// What came of beginning.
    public enum ResponseOutcome: Sendable {
        /// The enrolment waits for a response.
        case offered(ResponseOffer)
        /// Nothing was begun.
        case refused(EnrolmentRefusal)
    }

    /// Begins to enrol a factor that a response brings (`ResponseEnrolledProof`).
    /// - Parameters:
    ///   - session: the caller's. It has to have begun just now, and where the user has a second factor, with one: a stolen
    ///     password must not be enough to enrol what passes the second factor from then on.
    ///   - wish: what the client asks for, by the method's own words; nil leaves all to the server.
    ///   - handleApart: whether the handle is another random value than the challenge; then both have to be of one attempt.
    public func begin(
        _ kind: FactorKind, of session: OwnSession, wish: JSONValue? = nil, handleApart: Bool = false,
        by client: ClientContext
    ) async throws -> ResponseOutcome {
        guard let method = realm.proofs.method(kind) as? any ResponseEnrolledProof else { return .refused(.notOffered) }
        let (handle, nonce) = FlowHandle.drawn(apart: handleApart, realm.random)
        let (realm, now) = (realm, realm.clock.now)
        return try await realm.store.write { transaction in
            if let user = try transaction.user(session.userID),
                let fault = try session.faultWithoutSecondFactor(user, realm.proofs, at: now, in: transaction)
            {
                return .refused(EnrolmentRefusal(fault))
            }
            var shown = JSONValue.null
            if let refusal = try open(
                kind, for: session.userID, evidence: session.evidence, asOf: session.epoch, startedBy: session.session,
                handle: handle, attempts: 1, at: now, by: client, in: transaction,
                { user, settings in
                    let present = try transaction.factors(of: user.id).filter { $0.kind == kind }
                    guard
                        let opened = try method.open(
                            for: user, having: present, settings: settings, nonce: nonce, at: now, by: client,
                            wish: wish, realm: realm)
                    else { return nil }
                    shown = opened.shown
                    return opened.kept
                })
            {
                return .refused(refusal)
            }
            return .offered(
                ResponseOffer(
                    handle: handle, kind: kind, challenge: shown, expiresAt: now + FlowLifetime.standard))
        }
    }

    /// Opens a signed-in user's enrolment, whichever form it has.
    /// - Parameters:
    ///   - evidence: the evidence of the caller's session.
    ///   - epoch: the token epoch in which that session was found good; a revocation since then refuses.
    ///   - session: which has to go on until the factor is enrolled; nil where the protocol does not name it.
    ///   - attempts: answers that it takes.
    ///   - kept: what the flow keeps of the factor that is to be; nil where the realm is not set up for the kind.
    func open(
        _ kind: FactorKind, for userID: UserID, evidence: SessionEvidence, asOf epoch: Int?,
        startedBy session: SessionID?, handle: FlowHandle, attempts: Int, at now: Date, by client: ClientContext,
        in transaction: any StoreTransaction,
        _ kept: (User, RealmSettings) throws -> Data?
    ) throws -> EnrolmentRefusal? {
        let proofs = realm.proofs
        guard let user = try transaction.user(userID) else { return .userNotFound }
        if let epoch, epoch != user.tokenEpoch { return .revoked }
        if let session, try transaction.session(session)?.isLiving(of: user, at: now) != true { return .revoked }
        let settings = try transaction.settings()
        guard proofs.isOffered(kind, settings.secondFactors) else { return .notOffered }
        // A user who is asked for a factor and has lost it needs a way back.
        if proofs.isSecondFactor(kind) {
            guard user.email != nil, user.profile.emailVerified else { return .unverifiedEmail }
        }
        guard evidence.allowsEnrolment(proofs) else { return .unsupportedFirstFactor }
        let present = try transaction.factors(of: userID)
        guard evidence.isRecent(at: now) else { return .signInTooOld }
        let count = present.count { $0.kind == kind }
        guard count < proofs.limitPerUser(of: kind) else { return .limitReached }
        guard evidence.mayChange(present, proofs) else { return .signInTooOld }
        if let until = try transaction.charge(.offersPerUser, key: CounterKey.offers(to: userID), at: now) {
            return .limited(until: until)
        }
        guard let kept = try kept(user, settings) else { return .notOffered }
        var body = FlowBody(
            purpose: .enrolFactor, client: client, email: user.email, proven: evidence.proofs,
            challenge: .enrolment(kind: kind, payload: kept), maximumAttempts: attempts,
            terms: evidence.terms, tokenEpoch: user.tokenEpoch)
        try body.start(by: session, in: transaction)
        _ = try transaction.insert(
            FlowRecord(
                digest: handle.digest, userID: userID, purpose: FlowPurpose.enrolFactor.rawValue, createdAt: now,
                expiresAt: now + FlowLifetime.standard,
                body: try body.sealed(by: realm.sealer, digest: handle.digest, in: transaction)))
        return nil
    }
}

extension Enrolments.EnrolmentRefusal {
    /// Why the caller's session is not enough: then a sign-in with all factors is needed first.
    init(_ fault: OwnSession.Fault) {
        switch fault {
        case .revoked: self = .revoked
        case .signInTooOld, .secondFactorMissing: self = .signInTooOld
        }
    }
}
