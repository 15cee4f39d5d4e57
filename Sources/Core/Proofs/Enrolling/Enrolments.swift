import Foundation

/// Second factors: beginning to enrol one, and withdrawing one. What finishes an enrolment is an answer
/// (``Authenticator``).
public struct Enrolments: Sendable {
    let realm: Realm

    /// How recent a sign-in has to be, in seconds, before a user may enrol a factor: about what Identity Platform asks
    /// (`CREDENTIAL_TOO_OLD_LOGIN_AGAIN`).
    public static let recency: TimeInterval = 300
    /// Wrong codes that one enrolment takes.
    public static let attempts = 3

    /// Why nothing is enrolled.
    public enum EnrolmentRefusal: Sendable, Equatable {
        /// There is no such user.
        case userNotFound
        /// The realm's settings do not offer the kind.
        case notOffered
        /// The address has to be proven first, or a stranger could lock its owner out.
        case unverifiedEmail
        /// Signed in anonymously, by phone or by custom token.
        case unsupportedFirstFactor
        /// The sign-in is older than ``recency``, or lacks a factor that the user has.
        case signInTooOld
        /// The user has as many factors of the kind as one may have.
        case limitReached
        /// The caller's tokens were revoked just now.
        case revoked
        /// There is no address to mail an invitation to.
        case noAddress
        /// Too many enrolments were begun for this user.
        case limited(until: Date)
    }

    /// What came of withdrawing a second factor.
    public enum WithdrawalOutcome: Sendable {
        /// Gone; the session goes on with these tokens.
        case withdrawn(SignedIn)
        /// Gone; it was what the session was proven with, and there are others: sign in again with one of those.
        case withdrawnAndSignedOut
        /// The user has no such factor.
        case unknownFactor
        /// The caller's tokens were revoked just now, or the session was ended; nothing was withdrawn.
        case revoked
    }

    /// Withdraws a second factor (Identity Platform, `accounts.mfaEnrollment.withdraw`).
    ///
    /// - The last one: all earlier tokens are revoked, and the caller's session goes on without second factor.
    /// - The one that the session was proven with, others remain: all tokens are revoked, the caller's too.
    /// - Another one: the session stays as it is.
    ///
    /// - Parameters:
    ///   - epoch: the token epoch in which the caller's session was found good; a revocation since then refuses.
    ///   - session: the caller's, where the protocol knows it; its end since then refuses.
    public func withdraw(
        _ factorID: FactorID, of userID: UserID, evidence: SessionEvidence, asOf epoch: Int? = nil,
        in session: SessionID? = nil, by client: ClientContext
    ) async throws -> WithdrawalOutcome {
        let realm = realm
        let now = realm.clock.now
        let draft = SessionDraft(random: realm.random)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            let settings = try transaction.settings()
            let second = realm.proofs.secondFactors(among: try transaction.factors(of: userID))
            guard var user = try transaction.user(userID) else { return .unknownFactor }
            let own = OwnSession(
                userID: userID, evidence: evidence, epoch: epoch ?? user.tokenEpoch, session: session)
            if try own.fault(of: user, at: now, in: transaction) != nil { return .revoked }
            guard let factor = second.first(where: { $0.id == factorID }),
                try transaction.remove(factorID, realm.proofs)
            else {
                return .unknownFactor
            }
            let owner = user
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .factorWithdrawn, userID: userID, context: client,
                    details: ["factor": .string(factorID.rawValue)]))

            let isLast = second.count == 1
            let isOwn = evidence.proofs.contains { $0.factorID == factorID }
            var evidence = evidence
            if isLast || isOwn {
                user.revokeTokens(at: now)
                _ = try transaction.update(user)
                user = try transaction.user(userID) ?? user
            }
            try transaction.notify(
                AccountNotice(.factorRemoved, factorName: factor.name), owner, by: client, id: eventID, at: now,
                sealer: realm.sealer)
            if isLast {
                evidence.proofs.removeAll { $0.isSecondFactor }
            } else if isOwn {
                return .withdrawnAndSignedOut
            }
            return .withdrawn(
                try draft.open(
                    for: user, evidence: evidence, clientID: client.clientID, settings: settings, at: now,
                    from: client, isSignIn: false, in: transaction))
        }
    }

    /// The second factors of a user, in the order of enrolment.
    public func secondFactors(of userID: UserID) async throws -> [FactorRecord] {
        realm.proofs.secondFactors(among: try await realm.store.read { try $0.factors(of: userID) })
    }

    /// A second factor, of any user.
    public func secondFactor(_ id: FactorID) async throws -> FactorRecord? {
        let factor = try await realm.store.read { try $0.factor(id) }
        return factor.flatMap { realm.proofs.isSecondFactor($0.kind) ? $0 : nil }
    }

    /// Removes all second factors of a user who lost them; the administrator has verified the user's identity.
    public func reset(of userID: UserID, by client: ClientContext) async throws -> Int? {
        let realm = realm
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var user = try transaction.user(userID) else { return nil }
            let second = try transaction.factors(of: userID).filter {
                realm.proofs.guardsFactors($0.kind) || realm.proofs.traits($0.kind)?.role == .lesserSecond
            }
            for factor in second {
                _ = try transaction.remove(factor.id, realm.proofs)
            }
            if !second.isEmpty {
                user.revokeTokens(at: now)
                _ = try transaction.update(user)
                try transaction.append(
                    AuditEvent(id: eventID, at: now, kind: .factorsReset, userID: userID, context: client))
                try transaction.notify(
                    AccountNotice(.factorsRemoved), user, by: client, id: eventID, at: now, sealer: realm.sealer)
            }
            return second.count
        }
    }
}

extension SessionEvidence {
    /// Whether a session that began like this may carry a second factor: not one without a proof of its own.
    func allowsEnrolment(_ methods: ProofRegistry) -> Bool {
        guard let first = proofs.first else { return false }
        return first.assurance(methods).level != .delegated
    }
}
