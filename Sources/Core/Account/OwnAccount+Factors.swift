import Foundation

/// One of a user's means of proof, as the user sees it.
public struct OwnFactor: Sendable {
    /// The factor as it is stored, with its kind, name and times. Its payload stays sealed.
    public let record: FactorRecord
    /// When it proved something last: nil where it never did, or where the sessions of that time are gone. A password's own row is not
    /// written at each sign-in; the sessions say it.
    public let lastUsedAt: Date?
    /// The network address of the newest session that was proven with it.
    public let lastSource: String?
    /// Where it was made, where that is kept: what the browser of a passkey called itself.
    public let userAgent: String?
    /// Of mailboxes that codes go to: their address.
    public let address: EmailAddress?
    /// Of recovery codes: how many are left.
    public let codesLeft: Int?
    /// Of recovery codes: whether they were made as a list. A single code is replaced by another when it is used.
    public let isList: Bool
    /// Of passkeys: whether it was copied to other devices.
    public let isBackedUp: Bool?
    /// Of passkeys: whether there may be a copy of it.
    public let isSuspicious: Bool
    /// Whether it is asked for beside a first proof.
    public let isSecondFactor: Bool
    /// Whether it opens a sign-in by itself.
    public let isFirstFactor: Bool
    /// Whether the user could not sign in any more without it, so that it is not removed. A mailbox is no other way in where no mail leaves
    /// the server.
    public let isLastWayIn: Bool

    /// The factor's id, stable for its life.
    public var id: FactorID { record.id }
    /// Whether the user reported it lost: it is asked for, and no answer by it is right.
    public var isFrozen: Bool { record.frozenAt != nil }
}

extension OwnAccount {
    /// What follows the removal of a factor.
    public enum RemovalConsequence: String, Sendable, Equatable {
        /// The account is as well protected as before: it still has a second factor, or had none.
        case nothing
        /// No second factor is left: the recovery codes are gone too, other sessions have ended, and from now on one proof signs in.
        case noSecondFactorLeft
    }

    /// The user's means of proof, as the account's pages list them.
    /// - Returns: ``Refusal/revoked`` where the session is over.
    public func factors(of session: OwnSession) async throws -> Result<[OwnFactor], Refusal> {
        let realm = realm
        return try await realm.sealer.keys.retrying {
            try await read(of: session) { transaction, user, _ in try realm.ownFactors(of: user, in: transaction) }
        }
    }

    /// - Parameter name: one line, 1 to 64 characters.
    public func rename(
        _ id: FactorID, to name: String, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<OwnFactor, Refusal> {
        let realm = realm
        guard PlainText.isLine(name, longest: 64) else { return .failure(.invalid("name")) }
        return try await change(of: session, .full, by: client) { transaction, user, draft in
            var factor = try transaction.ownFactor(id, of: user)
            factor.name = name
            guard try transaction.update(factor) else { throw Refusal.busy }
            try transaction.append(draft.event(.deviceChanged, of: user.id, ["factor": .string(id.rawValue)]))
            try draft.notify(AccountNotice(.factorRenamed, factorName: name), user, in: transaction)
            return try realm.ownFactor(id, of: user, in: transaction)
        }
    }

    /// Removes a means of proof, never the last way in. With the last second factor the recovery codes go and all other sessions end; so
    /// they do with a password.
    public func remove(
        _ id: FactorID, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<RemovalConsequence, Refusal> {
        try await change(of: session, .full, by: client) { transaction, user, draft in
            let factor = try transaction.ownFactor(id, of: user)
            let factors = try transaction.factors(of: user.id)
            if try draft.proofs.isGivenUpLast(factor, of: user, among: factors, in: transaction) {
                throw Refusal.lastWayIn
            }
            // What only opens a sign-in is the password.
            if draft.proofs.traits(factor.kind)?.role == .first {
                try transaction.removePassword(factor, of: user, keeping: session.session, draft)
                return .nothing
            }
            try transaction.reserve(user: user, keeping: session.session)
            guard
                try transaction.withdraw(
                    factor, draft.proofs, at: draft.now, eventID: draft.id, by: client, sealer: draft.sealer,
                    keeping: session.session)
            else { throw Refusal.unknown }
            let left = draft.proofs.secondFactors(among: try transaction.factors(of: user.id))
            let isLast = draft.proofs.isSecondFactor(factor.kind) && left.isEmpty
            return isLast ? .noSecondFactorLeft : .nothing
        }
    }

    /// Freezes a factor that its owner has lost: no answer by it is right from now on, and sessions that were proven with it end, but for
    /// this one. The server asks for it all the same where it did before, so that a thief of the password gains nothing.
    ///
    /// A proof of the last minutes is enough, of whatever kind: the one that is lost cannot be given.
    public func reportLost(
        _ id: FactorID, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<OwnFactor, Refusal> {
        let realm = realm
        let proven = EndingSessions.proven(with: id, but: session.session)
        let outcome = try await change(of: session, .recent, by: client) { transaction, user, draft in
            let factor = try transaction.ownFactor(id, of: user)
            let factors = try transaction.factors(of: user.id)
            if draft.proofs.isLastWayIn(factor, of: user, among: factors) { throw Refusal.lastWayIn }
            // Locked before the sessions, which come after the user's factors.
            try transaction.reserve([.user(user.id), .factor(id)])
            let isFrozen = try transaction.freeze(factor, at: draft.now)
            let count = try transaction.endSessions(proven, of: user, at: draft.now)
            if isFrozen {
                try transaction.append(draft.event(.factorFrozen, of: user.id, ["factor": .string(id.rawValue)]))
                try draft.notify(AccountNotice(.factorFrozen, factorName: factor.name), user, in: transaction)
            }
            return (count: count, factor: try realm.ownFactor(id, of: user, in: transaction))
        }
        guard case .success(let done) = outcome else { return outcome.map(\.factor) }
        _ = try await realm.sessions.endRest(
            proven, of: session.userID, epoch: session.epoch, after: done.count, by: client)
        return .success(done.factor)
    }

    /// Makes answers by a frozen factor count again. It takes all that the account asks for, which the frozen factor cannot give: another
    /// one does, or a recovery code.
    public func unfreeze(
        _ id: FactorID, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<OwnFactor, Refusal> {
        let realm = realm
        return try await change(of: session, .full, by: client) { transaction, user, draft in
            var factor = try transaction.ownFactor(id, of: user)
            guard let frozenAt = factor.frozenAt else { return try realm.ownFactor(id, of: user, in: transaction) }
            // What was proven before the report may have been proven with this very factor, by the one who has it.
            guard session.evidence.proofs.allSatisfy({ $0.at >= frozenAt && $0.factorID != id }) else {
                throw Refusal.proofTooOld(draft.proofs.neededClass(of: try transaction.factors(of: user.id)))
            }
            factor.frozenAt = nil
            guard try transaction.update(factor) else { throw Refusal.busy }
            try transaction.append(draft.event(.factorUnfrozen, of: user.id, ["factor": .string(id.rawValue)]))
            try draft.notify(AccountNotice(.factorUnfrozen, factorName: factor.name), user, in: transaction)
            return try realm.ownFactor(id, of: user, in: transaction)
        }
    }
}

extension Realm {
    /// All that the user sees, from one snapshot.
    func ownFactors(of user: User, in transaction: any StoreTransaction) throws -> [OwnFactor] {
        let factors = try transaction.factors(of: user.id)
        let sessions = try transaction.sessions(of: user.id, limit: 100)
        return try factors.filter { proofs.isOwn($0.kind) }.map { factor in
            var (userAgent, isBackedUp, isSuspicious): (String?, Bool?, Bool) = (nil, nil, false)
            let codes = try (proofs.method(factor.kind) as? any StandInProof)?.supply(
                of: sealer.open(factor.payload, for: .factor(factor.id)))
            if let passkey = try passkeys.list(among: [factor]).first {
                (userAgent, isBackedUp, isSuspicious) = (passkey.userAgent, passkey.isBackedUp, passkey.isSuspicious)
            }
            return try OwnFactor(
                record: factor, lastUsedAt: factor.lastUse(in: sessions),
                lastSource: sessions.first { $0.proofs.contains { $0.factorID == factor.id } }?.origin.address,
                userAgent: userAgent,
                address: proofs.traits(factor.kind)?.role == .lesserSecond ? factor.mailbox(with: sealer) : nil,
                codesLeft: codes?.left, isList: codes?.isList ?? false, isBackedUp: isBackedUp,
                isSuspicious: isSuspicious,
                isSecondFactor: proofs.isSecondFactor(factor.kind),
                isFirstFactor: proofs.traits(factor.kind)?.role.isFirst == true,
                isLastWayIn: proofs.isGivenUpLast(factor, of: user, among: factors, in: transaction))
        }
    }

    fileprivate func ownFactor(
        _ id: FactorID, of user: User, in transaction: any StoreTransaction
    ) throws -> OwnFactor {
        guard let factor = try ownFactors(of: user, in: transaction).first(where: { $0.id == id }) else {
            throw OwnAccount.Refusal.unknown
        }
        return factor
    }
}

extension FactorRecord {
    /// When it proved something last, by its row and by these sessions of its user.
    func lastUse(in sessions: [Session]) -> Date? {
        (sessions.flatMap(\.proofs).filter { $0.factorID == id }.map(\.at) + [lastUsedAt].compactMap { $0 }).max()
    }
}

extension ProofRegistry {
    /// Whether a user sees and removes factors of the kind: those that are a way in, or stand beside one.
    fileprivate func isOwn(_ kind: FactorKind) -> Bool {
        switch traits(kind)?.role {
        case .first, .second, .firstOrSecond, .standIn, .lesserSecond: true
        case .answer, nil: false
        }
    }
}

extension StoreTransaction {
    /// - Throws: ``OwnAccount/Refusal/unknown`` where the user has no such factor.
    fileprivate func ownFactor(_ id: FactorID, of user: User) throws -> FactorRecord {
        guard let factor = try factor(id), factor.userID == user.id else { throw OwnAccount.Refusal.unknown }
        return factor
    }

    /// False where it is frozen already.
    func freeze(_ factor: FactorRecord, at now: Date) throws -> Bool {
        guard factor.frozenAt == nil else { return false }
        var factor = factor
        factor.frozenAt = now
        return try update(factor)
    }

    /// Locks the user with all factors, and the session that goes on.
    func reserve(user: User, keeping session: SessionID?) throws {
        var rows: Set<ReservedRow> = Set(try factors(of: user.id).map { .factor($0.id) })
        rows.insert(.user(user.id))
        if let session { rows.insert(.session(session)) }
        try reserve(rows)
    }

    /// Locks sessions with their grants, which are about to end.
    func reserve(ending sessions: [Session], and others: Set<ReservedRow>) throws {
        var rows = others
        for session in sessions {
            rows.insert(.session(session.id))
            for grant in try grants(of: session.id, limit: Session.longestList) { rows.insert(.grant(grant.id)) }
        }
        try reserve(rows)
    }
}
