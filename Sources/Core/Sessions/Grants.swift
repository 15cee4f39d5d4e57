import Foundation

/// Grants: what applications got of sessions, to list and to end. They are opened by sign-ins of applications
/// (``Authenticator/answer(_:to:by:)``), and of sessions that are there already, such as a browser's, by what a user approved there:
/// ``AuthorizationCodes/redeem(_:presented:secondFactor:by:)``, ``DeviceAuthorizations/redeem(_:presented:by:)``.
public struct Grants: Sendable {
    let realm: Realm

    /// A user's grants, the newest first, also those that are over and not yet removed.
    /// - Parameter limit: 1 to 1,000.
    public func list(of userID: UserID, limit: Int = 100) async throws -> [Grant] {
        let limit = min(max(limit, 1), 1000)
        return try await realm.store.read { try $0.grants(of: userID, limit: limit) }
    }

    /// Ends all that an application got of a session, in the name of the user or an administrator; the log names each grant. The session goes on,
    /// with the grants of others. Where there are many it takes several transactions. What the user has allowed the application, and it has
    /// not fetched yet, it does not get.
    /// - Returns: what was ended, as it was before.
    public func endAll(
        of session: SessionID, to client: ClientID, of userID: UserID, by context: ClientContext
    ) async throws -> [Grant] {
        let sealer = realm.sealer
        let most = Session.mostEndedAtOnce
        return try await realm.writeParts { transaction, now, eventIDs -> WrittenPart<[Grant]> in
            let ending = try transaction.grants(of: session, most: most) {
                $0.clientID == client && $0.userID == userID
            }
            let mark = Withdrawal.row(of: userID, from: client)
            try transaction.reserve(Set(ending.map { .grant($0.id) } + [.user(userID), mark]))
            if try transaction.session(session)?.userID == userID {
                try transaction.withdraw(from: client, of: userID, at: now, sealer: sealer)
            }
            for (number, grant) in ending.enumerated() where try transaction.end(grant, at: now) {
                try transaction.append(grant.endedEvent(eventIDs[number], at: now, by: context))
            }
            let isFull = ending.count == most
            try transaction.announceEnds(of: ending, isLast: !isFull, at: now)
            return WrittenPart(done: ending, isFull: isFull)
        }.flatMap { $0 }
    }

    /// Ends a grant of a user, in the name of the user or an administrator; the log says so. Its session goes on, with its
    /// other grants. What the user has allowed the application, and it has not fetched yet, it does not get.
    /// - Returns: false where the user has no such grant, or it was ended before.
    public func end(_ id: GrantID, of userID: UserID, by client: ClientContext) async throws -> Bool {
        let realm = realm
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let grant = try transaction.grant(id), grant.userID == userID else { return false }
            try transaction.reserve([.user(userID), Withdrawal.row(of: userID, from: grant.clientID), .grant(id)])
            guard try transaction.end(grant, at: now) else { return false }
            try transaction.withdraw(from: grant.clientID, of: userID, at: now, sealer: realm.sealer)
            try transaction.announceEnd(of: grant)
            try transaction.append(grant.endedEvent(eventID, at: now, by: client))
            return true
        }
    }
}

extension Grant {
    fileprivate func endedEvent(_ id: String, at now: Date, by client: ClientContext) -> AuditEvent {
        AuditEvent(
            id: id, at: now, kind: .grantEnded, userID: userID, context: client,
            details: ["session": .string(sessionID.rawValue), "application": .string(clientID.rawValue)])
    }
}

extension GrantDraft {
    /// What came of opening a grant.
    enum Outcome: Sendable {
        /// The application has the grant, with a refresh token.
        case granted(SignedIn)
        /// There is no grant.
        case refused(Refusal)
    }

    /// Why no grant was opened.
    enum Refusal: Sendable {
        /// The session is over, or not that user's.
        case ended
        /// The account is disabled, or waits for its removal.
        case userDisabled
        /// The session has to have a second factor, and has none.
        case secondFactorRequired
    }

    /// Opens a grant on a session, where the session goes on and has what is demanded.
    func open(
        on session: Session, terms: GrantTerms, for clientID: ClientID, dialect: Dialect,
        secondFactor demand: Sessions.SecondFactorDemand, _ proofs: ProofRegistry, at now: Date,
        by client: ClientContext, in transaction: any StoreTransaction
    ) throws -> Outcome {
        // A transaction that ends the session at the same time waits, or makes this one wait.
        try transaction.reserve([.user(session.userID), .session(session.id)])
        guard let user = try transaction.user(session.userID), session.isLiving(of: user, at: now),
            !user.refuses(issuedAt: session.createdAt)
        else { return .refused(.ended) }
        if user.isDisabled { return .refused(.userDisabled) }
        let evidence = SessionEvidence(dialect: dialect, proofs: session.proofs, terms: terms)
        if try demand.refuses(evidence, of: user.id, by: client, at: now, proofs, in: transaction) {
            return .refused(.secondFactorRequired)
        }
        let grant = try open(
            on: session, for: clientID, dialect: dialect, terms: terms, settings: transaction.settings(),
            proofs: session.proofs, at: now, in: transaction)
        try transaction.touch(user.id, signedInAt: nil, refreshedAt: now)
        return .granted(SignedIn(user: user, session: session, grant: grant, refreshToken: token.text))
    }
}
