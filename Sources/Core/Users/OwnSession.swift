import Foundation

/// The session of a user who asks for something about their own account, as its token was judged.
///
/// A transaction that acts for the user judges it again: tokens may have been revoked meanwhile, and what cannot be undone
/// needs a recent sign-in or the user's second factor. A dialect that asked before the transaction would ask too early.
public struct OwnSession: Sendable {
    /// The user who asks.
    public let userID: UserID
    /// What the session was proven with.
    public let evidence: SessionEvidence
    /// The user's token epoch when the token was judged.
    public let epoch: Int
    /// Names the session, where the protocol knows it: then it has to go on, and goes on after a change that ends all others.
    public let session: SessionID?

    /// Why the session is not enough.
    public enum Fault: Error, Sendable, Equatable {
        /// The user's tokens were revoked since the token was judged, the session was ended, or the user disabled.
        case revoked
        /// The user has to sign in again first.
        case signInTooOld
        /// The user has a second factor, and the session was not proven with one.
        case secondFactorMissing
    }

    /// What a dialect found in a token that it judged.
    public init(userID: UserID, evidence: SessionEvidence, epoch: Int, session: SessionID? = nil) {
        self.userID = userID
        self.evidence = evidence
        self.epoch = epoch
        self.session = session
    }

    /// For what needs no more than that the session goes on. One that was ended since its token was judged does not, nor does any of a user
    /// who was disabled: a password that was on its way through the hash would be set all the same.
    func fault(of user: User, at now: Date, in transaction: any StoreTransaction) throws -> Fault? {
        guard user.tokenEpoch == epoch, !user.isDisabled else { return .revoked }
        guard let session else { return nil }
        return try transaction.session(session)?.isLiving(of: user, at: now) == true ? nil : .revoked
    }

    /// For what needs a sign-in of the last minutes.
    func faultUnlessRecent(_ user: User, at now: Date, in transaction: any StoreTransaction) throws -> Fault? {
        try fault(of: user, at: now, in: transaction) ?? (evidence.isRecent(at: now) ? nil : .signInTooOld)
    }

    /// For what a session without second factor may not do where the user has one.
    func faultWithoutSecondFactor(
        _ user: User, _ proofs: ProofRegistry, at now: Date, in transaction: any StoreTransaction
    ) throws -> Fault? {
        if let fault = try fault(of: user, at: now, in: transaction) { return fault }
        return try evidence.mayChange(transaction.factors(of: userID), proofs) ? nil : .secondFactorMissing
    }
}

extension SessionEvidence {
    /// Whether a session with this evidence may add to a user's factors or take of them: it was proven with two factors where the
    /// user has a second one, and where there is no more than a key that signs in by itself, at least with such a key. Otherwise a stolen
    /// password could enrol what passes for the user from then on.
    func mayChange(_ factors: [FactorRecord], _ proofs: ProofRegistry) -> Bool {
        let guarding = factors.filter { proofs.guardsFactors($0.kind) }
        if guarding.isEmpty || proofs.provesTwoFactors(self) { return true }
        return !guarding.contains { proofs.isSecondFactor($0.kind) }
            && self.proofs.contains { proof in guarding.contains { $0.kind == proof.kind } }
    }

    /// Whether the user signed in less than ``Enrolments/recency`` seconds ago. An anonymous user's sign-in is always recent,
    /// because it cannot be repeated.
    func isRecent(at now: Date) -> Bool {
        if proofs.first?.isAnonymous == true { return true }
        return authenticatedAt?.isWithin(Enrolments.recency, before: now) ?? false
    }
}

extension Date {
    /// Whether something that was proven then was proven less than so many seconds ago. What was proven later than now, beyond what clocks may
    /// differ by, was not: a clock has been set back, and how long ago it was is not known.
    func isWithin(_ seconds: TimeInterval, before now: Date) -> Bool {
        now < self + seconds && self <= now + TokenTimes.leeway
    }
}
