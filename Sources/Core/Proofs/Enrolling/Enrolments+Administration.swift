import Foundation

/// Single factors, in the name of an administrator who has verified the user, or of their owner.
extension Enrolments {
    /// Removes a second factor, a passkey or the recovery code. With the last second factor the recovery code and all sessions go
    /// too. False where the user has no such factor.
    public func remove(_ id: FactorID, of userID: UserID, by client: ClientContext) async throws -> Bool {
        let now = realm.clock.now
        let (sealer, proofs) = (realm.sealer, realm.proofs)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let factor = try transaction.factor(id), factor.userID == userID,
                proofs.isGivenAsSecond(factor.kind)
            else { return false }
            return try transaction.withdraw(factor, proofs, at: now, eventID: eventID, by: client, sealer: sealer)
        }
    }

    /// What came of a user's own removal.
    public enum OwnRemovalOutcome: Sendable, Equatable {
        /// The factor is gone.
        case removed
        /// The user has no such factor.
        case unknownFactor
        /// It is the user's last way to sign in.
        case lastWayIn
        /// The session is not enough for it.
        case refused(OwnSession.Fault)
    }

    /// Removes a second factor, or the codes of a device, for the user, whose session has to have been proven with two factors
    /// where the user has a second one.
    /// - Parameters:
    ///   - name: the factor, and whether its codes alone are to go; nil names none, which is disclosed after the session is judged.
    public func removeOwn(
        _ name: (id: FactorID, onlyCodes: Bool)?, of session: OwnSession, by client: ClientContext
    ) async throws -> OwnRemovalOutcome {
        let now = realm.clock.now
        let (sealer, proofs) = (realm.sealer, realm.proofs)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let userID = session.userID
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(userID) else { return .unknownFactor }
            if let fault = try session.faultWithoutSecondFactor(user, proofs, at: now, in: transaction) {
                return .refused(fault)
            }
            guard let name, let factor = try transaction.factor(name.id), factor.userID == userID,
                proofs.guardsFactors(factor.kind)
            else { return .unknownFactor }
            if try proofs.isLastWayIn(factor, of: user, among: transaction.factors(of: userID)) { return .lastWayIn }
            let isGone =
                if name.onlyCodes {
                    try transaction.removeCodes(of: factor, at: now, eventID: eventID, by: client, sealer: sealer)
                } else {
                    try transaction.withdraw(factor, proofs, at: now, eventID: eventID, by: client, sealer: sealer)
                }
            return isGone ? .removed : .unknownFactor
        }
    }

    /// Names a second factor again; nil where the user has no such factor.
    public func rename(
        _ id: FactorID, of userID: UserID, to name: String, by client: ClientContext
    ) async throws -> FactorRecord? {
        let now = realm.clock.now
        let proofs = realm.proofs
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var factor = try transaction.factor(id), factor.userID == userID, proofs.guardsFactors(factor.kind)
            else {
                return nil
            }
            factor.name = name
            guard try transaction.update(factor) else { return nil }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .deviceChanged, userID: userID, context: client,
                    details: ["factor": .string(id.rawValue)]))
            return factor
        }
    }
}

extension ProofRegistry {
    /// Whether the user could not sign in any more without this factor: no other opens an account by itself, and no mail can.
    func isLastWayIn(_ factor: FactorRecord, of user: User, among factors: [FactorRecord]) -> Bool {
        guard traits(factor.kind)?.role.isFirst == true else { return false }
        if user.email != nil, user.profile.emailVerified { return false }
        return !factors.contains { $0.id != factor.id && $0.frozenAt == nil && traits($0.kind)?.role.isFirst == true }
    }

    /// The same where its owner gives the factor up: a mailbox opens nothing where no mail leaves the server. What is lost or stolen is
    /// frozen even so.
    func isGivenUpLast(
        _ factor: FactorRecord, of user: User, among factors: [FactorRecord], in transaction: any StoreTransaction
    ) throws -> Bool {
        if isLastWayIn(factor, of: user, among: factors) { return true }
        guard try Deployment.read(transaction)?.hasMailServer == false else { return false }
        var unmailed = user
        unmailed.profile.emailVerified = false
        return isLastWayIn(factor, of: unmailed, among: factors)
    }
}

extension StoreTransaction {
    /// Removes a factor, writes it down and tells the owner; with the last second factor all sessions end. False where it is
    /// gone.
    /// - Parameter kept: the session that goes on even so.
    func withdraw(
        _ factor: FactorRecord, _ proofs: ProofRegistry, at now: Date, eventID: String, by client: ClientContext,
        sealer: Sealer, keeping kept: SessionID? = nil
    ) throws -> Bool {
        guard let owner = try user(factor.userID), try remove(factor.id, proofs) else { return false }
        try append(
            AuditEvent(
                id: eventID, at: now, kind: .factorWithdrawn, userID: factor.userID, context: client,
                details: ["factor": .string(factor.id.rawValue)]))
        if proofs.isSecondFactor(factor.kind), try proofs.secondFactors(among: factors(of: factor.userID)).isEmpty {
            var user = owner
            user.revokeTokens(at: now)
            if let kept { try carry(kept, into: user, at: now) }
            _ = try update(user)
        }
        try notify(
            AccountNotice(.factorRemoved, factorName: factor.name), owner, by: client, id: eventID, at: now,
            sealer: sealer)
        return true
    }
}
