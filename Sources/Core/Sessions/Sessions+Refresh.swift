import Foundation
import OneTimePassword

/// Trading refresh tokens.
extension Sessions {
    /// What came of a refresh token.
    public enum RefreshOutcome: Sendable {
        /// The token was traded for the next one.
        case refreshed(SignedIn)
        /// The token was not traded.
        case refused(RefreshRefusal)
    }

    /// Why a refresh token was not traded.
    public enum RefreshRefusal: String, Sendable {
        /// Not of the form of our tokens.
        case unknownToken
        /// It was used before; its whole family is revoked now.
        case reused
        /// Revoked or too old; or gone, with its user or when it was old enough to be cleaned away. Clients sign the
        /// user out on this, as they should, and not on a token that never was one.
        case ended
        /// There is no such user any more.
        case userNotFound
        /// The account is disabled, or waits for its removal.
        case userDisabled
        /// The session has to have a second factor, and this one has none. Its token was not traded.
        case secondFactorRequired
    }

    /// Which second factor a session has to have before its refresh token is traded.
    public enum SecondFactorDemand: Sendable {
        /// None: the dialect's tokens say that the session lacks one.
        case none
        /// One, where the settings or the application require one of every user.
        case whereRequired
        /// One in any case: the request asks for what only a second factor gives.
        case always

        /// Whether a session with this evidence may not go on.
        func refuses(
            _ evidence: SessionEvidence, of user: UserID, by client: ClientContext, at now: Date,
            _ proofs: ProofRegistry,
            in transaction: any StoreTransaction
        ) throws -> Bool {
            if proofs.provesTwoFactors(evidence) { return false }
            switch self {
            case .none: return false
            case .whereRequired:
                let settings = try transaction.settings().secondFactors
                guard try client.requiresSecondFactor || transaction.requiresSecondFactor(of: user, settings) else {
                    return false
                }
                return try !transaction.putsOffEnrolment(user, settings, at: now, proofs)
            case .always: return true
            }
        }
    }

    /// Trades a refresh token for a fresh one.
    ///
    /// Each token is valid for one refresh (RFC 9700, section 4.14.2). One that comes again gets the same successor,
    /// for a minute (``RefreshGrace``) and until that successor was used; one that comes later has been stolen, or its
    /// successor has: the grant ends for both. The session and its other grants stay (`docs/decisions/0129`).
    ///
    /// A trade whose commit has no known outcome (`StoreError` of code `outcomeUnknown`) is repeated the same way: where it
    /// was done, the repeated one finds the successor; where it was not, the token is still the present one; and where it
    /// is still under way, the repeated one waits for it.
    ///
    /// - Parameter owner: whose grant it has to be (RFC 6749, section 10.4). Another's is as unknown as a made-up one, and is
    ///   not used up.
    /// - Parameter demand: which second factor the session has to have; judged in the transaction that trades.
    /// - Parameter grace: seconds for which a trade may be repeated.
    /// - Parameter consultant: asked before the token is traded, where it would be: what they throw uses nothing up.
    public func refresh(
        _ text: Secret<String>, of owner: HandleOwner, secondFactor demand: SecondFactorDemand = .whereRequired,
        grace: TimeInterval = RefreshGrace.seconds, by client: ClientContext, asking consultant: (any Consultant)? = nil
    ) async throws -> RefreshOutcome {
        guard let given = RefreshToken(text.reveal()) else { return .refused(.unknownToken) }
        let realm = realm
        let now = realm.clock.now
        if let consultant, consultant.steps.contains(.session) {
            let user = try await realm.store.read { transaction -> User? in
                guard let found = try transaction.granted(given.grantID), owner.owns(found.grant),
                    try !demand.refuses(
                        found.evidence, of: found.grant.userID, by: client, at: now, realm.proofs, in: transaction)
                else { return nil }
                return try Self.holder(
                    of: given, found, at: now, sharedNow: transaction.sharedTime(realm.clock), grace: grace,
                    in: transaction)
            }
            if let user { try await consultant.beforeSession(of: user) }
        }
        let successor = RefreshToken(grant: given.grantID, random: realm.random)
        // Digested once, and not where other writes wait.
        let (digest, successorDigest) = (given.digest, successor.digest)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let expected: @Sendable () -> [ExpectedRows] = { [.heldGrant(given.grantID), .presentTime] }
        return try await realm.store.write(.rows, expecting: expected) { transaction in
            guard let found = try transaction.granted(given.grantID) else { return .refused(.ended) }
            let session = found.session
            var grant = found.grant
            guard owner.owns(grant) else { return .refused(.unknownToken) }
            guard let user = try transaction.user(grant.userID) else { return .refused(.userNotFound) }
            guard grant.isLiving(at: now), session.isLiving(of: user, at: now) else { return .refused(.ended) }
            // An administrator may name an instant of the past, which is no new epoch.
            if user.refuses(issuedAt: session.createdAt) { return .refused(.ended) }
            let sharedNow = try transaction.sharedTime(realm.clock)

            let lacksFactor = try demand.refuses(
                found.evidence, of: grant.userID, by: client, at: now, realm.proofs, in: transaction)
            let token: RefreshToken
            if ConstantTime.equal(digest, grant.refresh.currentDigest) {
                if user.isDisabled { return .refused(.userDisabled) }
                if lacksFactor { return .refused(.secondFactorRequired) }
                grant.refresh = RefreshTokenState(
                    currentDigest: successorDigest, previousDigest: digest, rotatedAt: sharedNow,
                    sealedCurrent: try successor.sealed(by: realm.sealer, in: transaction))
                // The user before the grant, as everywhere: who removes the user locks them in this order.
                try transaction.touch(user.id, signedInAt: nil, refreshedAt: now)
                guard try transaction.update(grant) else { return .refused(.ended) }
                token = successor
            } else if let previous = grant.refresh.previousDigest, ConstantTime.equal(digest, previous),
                RefreshGrace.covers(sharedNow, since: grant.refresh.rotatedAt, for: grace),
                let sealed = grant.refresh.sealedCurrent,
                let current = try RefreshToken.open(sealed, grant: grant.id, with: realm.sealer)
            {
                if user.isDisabled { return .refused(.userDisabled) }
                if lacksFactor { return .refused(.secondFactorRequired) }
                try transaction.touch(user.id, signedInAt: nil, refreshedAt: now)
                token = current
            } else {
                // Only holders of a refresh token of the grant know the grant's id: no other token carries it.
                _ = try transaction.end(grant, byApplication: true, at: now)
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .refreshTokenReused, userID: user.id, context: client,
                        reason: RefreshRefusal.reused.rawValue))
                return .refused(.reused)
            }
            return .refreshed(SignedIn(user: user, session: session, grant: grant, refreshToken: token.text))
        }
    }

    /// What tokens of a refresh token's grant say, for a dialect that has to look before the token is traded. Nothing is
    /// used up by it.
    /// - Returns: nil where ``refresh(_:of:secondFactor:grace:by:asking:)`` would not trade the token either, whatever second factor
    ///   is demanded.
    public func evidence(of text: Secret<String>, of owner: HandleOwner) async throws -> SessionEvidence? {
        guard let given = RefreshToken(text.reveal()) else { return nil }
        let (realm, now) = (realm, realm.clock.now)
        return try await realm.store.read { transaction in
            guard let found = try transaction.granted(given.grantID), owner.owns(found.grant),
                try Self.holder(
                    of: given, found, at: now, sharedNow: transaction.sharedTime(realm.clock),
                    grace: RefreshGrace.seconds, in: transaction) != nil
            else { return nil }
            return found.evidence
        }
    }

    /// The grant of a refresh token that would be traded now, for who asks whether it counts (RFC 7662). Nothing is used up by it.
    /// - Returns: nil where ``refresh(_:of:secondFactor:grace:by:asking:)`` with the same arguments would refuse the token.
    public func grant(
        ofTradable text: Secret<String>, of owner: HandleOwner,
        secondFactor demand: SecondFactorDemand = .whereRequired,
        grace: TimeInterval = RefreshGrace.seconds, by client: ClientContext
    ) async throws -> Grant? {
        guard let given = RefreshToken(text.reveal()) else { return nil }
        let (realm, now) = (realm, realm.clock.now)
        return try await realm.store.read { transaction in
            guard let found = try transaction.granted(given.grantID), owner.owns(found.grant),
                try Self.holder(
                    of: given, found, at: now, sharedNow: transaction.sharedTime(realm.clock), grace: grace,
                    in: transaction) != nil,
                try !demand.refuses(
                    found.evidence, of: found.grant.userID, by: client, at: now, realm.proofs, in: transaction)
            else { return nil }
            return found.grant
        }
    }

    /// Whose refresh token would be traded; nil where it would be refused, for whatever reason.
    private static func holder(
        of given: RefreshToken, _ found: GrantedSession, at now: Date, sharedNow: Date, grace: TimeInterval,
        in transaction: any StoreTransaction
    ) throws -> User? {
        let (session, grant) = (found.session, found.grant)
        guard let user = try transaction.user(grant.userID), grant.isLiving(at: now),
            session.isLiving(of: user, at: now), !user.isDisabled, !user.refuses(issuedAt: session.createdAt)
        else { return nil }
        let isInGrace =
            grant.refresh.sealedCurrent != nil
            && RefreshGrace.covers(sharedNow, since: grant.refresh.rotatedAt, for: grace)
        return given.isCurrent(grant) || given.isPrevious(grant) && isInGrace ? user : nil
    }
}

extension RefreshToken {
    func isCurrent(_ grant: Grant) -> Bool { ConstantTime.equal(digest, grant.refresh.currentDigest) }

    /// Whether it is the token before the present one.
    func isPrevious(_ grant: Grant) -> Bool {
        grant.refresh.previousDigest.map { ConstantTime.equal(digest, $0) } ?? false
    }
}

extension StoreTransaction {
    /// A grant with its session, whether they go on or not.
    func granted(_ id: GrantID) throws -> GrantedSession? {
        try heldGrant(id).map { GrantedSession(session: $0.session, grant: $0.grant) }
    }
}
