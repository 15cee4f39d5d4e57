import Foundation
import OneTimePassword

/// Sessions: what follows a sign-in.
///
/// **How the files of this folder meet.** A `Session` is a user's presence, a `Grant` what one application got of it.
/// `SessionDraft` draws the random parts before the transaction that opens a session with its first grant. This type finds,
/// lists and ends sessions, `+Browser` opens those that a cookie holds, `+Refresh` trades a `RefreshToken`, for as long as
/// `RefreshGrace` allows it again. `Grants` makes further grants of a session. `AuthorizationCodes` issues and redeems codes; an
/// `AuthorizationCode` is what one stands for. `HandleOwner` says whose handles a caller may use, `Tenant` names the realm to
/// protocols that want a tenant.
public struct Sessions: Sendable {
    let realm: Realm

    // MARK: Looking at sessions

    /// A session that goes on, of that user; nil for another's, as for one that does not exist, and while the user is disabled.
    public func session(_ id: SessionID, of userID: UserID) async throws -> Session? {
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard let user = try transaction.user(userID), !user.isDisabled,
                let session = try transaction.session(id), session.isLiving(of: user, at: now)
            else { return nil }
            return session
        }
    }

    /// A user's sessions with their grants, the newest first, also those that are over and not yet removed.
    /// - Parameter limit: 1 to 1,000 sessions.
    public func list(of userID: UserID, limit: Int = 100) async throws -> [SessionListing] {
        let limit = min(max(limit, 1), 1000)
        return try await realm.store.read { try $0.sessionListings(of: userID, limit: limit) }
    }

    /// Sessions that a page of those that go on looks through at most: some are over without being ended themselves.
    static let mostLookedThrough = 5000

    /// A page of a user's sessions with their grants, the newest first.
    /// - Parameter living: whether only those that go on are listed; otherwise also those that are over and not yet removed. Of these a page
    ///   may be short and yet have a next one.
    public func list(
        of user: User, living: Bool, _ range: ListRange<SessionPlace>
    ) async throws -> ListPage<SessionListing, SessionPlace> {
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            func listing(_ session: Session) throws -> SessionListing {
                SessionListing(
                    session: session, grants: try transaction.grants(of: session.id, limit: Session.longestList))
            }
            guard living else {
                return try range.page(key: { SessionPlace(of: $0.session) }) {
                    try transaction.sessions(of: user.id, $0).map(listing)
                }
            }
            return try range.page(most: Self.mostLookedThrough, chunk: 50) {
                SessionPlace(of: $0)
            } _: {
                try transaction.sessions(of: user.id, epoch: user.tokenEpoch, expiringAfter: now, $0)
            } show: { session in
                let shown = try listing(session)
                return shown.isLiving(of: user, at: now) ? shown : nil
            }
        }
    }

    /// One of a user's sessions with its grants, also one that is over and not yet removed; nil where the user has none of that id.
    public func listing(_ id: SessionID, of userID: UserID) async throws -> SessionListing? {
        try await realm.store.read { transaction in
            guard let session = try transaction.session(id), session.userID == userID else { return nil }
            return SessionListing(
                session: session, grants: try transaction.grants(of: id, limit: Session.longestList))
        }
    }

    // MARK: Ending sessions

    /// Ends the grant of a refresh token, by any refresh token of it. Nothing happens where the grant is not the owner's.
    /// The session stays, as do its other grants.
    public func revoke(_ text: Secret<String>, of owner: HandleOwner) async throws {
        guard let given = RefreshToken(text.reveal()) else { return }
        let now = realm.clock.now
        try await realm.store.write { transaction in
            guard let grant = try transaction.grant(given.grantID), owner.owns(grant) else { return }
            _ = try transaction.end(grant, byApplication: true, at: now)
        }
    }

    /// Ends a session with all of its grants, where it began in a sign-in that just took place. Nothing happens where the
    /// grant of the sign-in is not the owner's.
    public func end(_ signedIn: SignedIn, of owner: HandleOwner) async throws {
        let now = realm.clock.now
        try await realm.store.write { transaction in
            guard owner.owns(signedIn.grant), let session = try transaction.session(signedIn.session.id) else { return }
            _ = try transaction.end(session, at: now)
        }
    }

    /// Ends all sessions of a user that go on, with all of their grants, in the user's name; the log names each. Where there are
    /// many it takes several transactions. A sign-in that a device has allowed, and no application has fetched yet, is none any more.
    /// - Returns: how many ended.
    public func endAll(of userID: UserID, by client: ClientContext) async throws -> Int {
        let sealer = realm.sealer
        let most = Session.mostEndedAtOnce
        return try await realm.writeParts { transaction, now, eventIDs -> WrittenPart<Int> in
            guard let user = try transaction.user(userID) else { return WrittenPart(done: 0, isFull: false) }
            let ending = try transaction.sessions(
                of: userID, epoch: user.tokenEpoch, expiringAfter: now, limit: most)
            try transaction.reserve(ending: ending, and: [.user(userID), Withdrawal.row(of: userID, from: nil)])
            try transaction.withdraw(from: nil, of: userID, at: now, sealer: sealer)
            let ended = try ending.filter { try transaction.end($0, at: now) }
            for (number, session) in ended.enumerated() {
                try transaction.append(
                    AuditEvent(
                        id: eventIDs[number], at: now, kind: .sessionEnded, userID: userID, context: client,
                        details: ["session": .string(session.id.rawValue)]))
            }
            return WrittenPart(done: ended.count, isFull: ended.count == most)
        }.reduce(0, +)
    }

    /// Goes on with ending sessions of a user, where the transaction that began with it has ended as many as one may.
    /// - Parameters:
    ///   - count: how many that transaction has ended.
    ///   - epoch: of the sessions that were to end. What begins after a revocation stays.
    /// - Returns: how many ended in all.
    func endRest(
        _ which: EndingSessions, of userID: UserID, epoch: Int, after count: Int, by client: ClientContext
    ) async throws -> Int {
        let most = Session.mostEndedAtOnce
        guard count == most else { return count }
        return try await realm.writeParts { transaction, now, eventIDs -> WrittenPart<Int> in
            guard let user = try transaction.user(userID), user.tokenEpoch == epoch else {
                return WrittenPart(done: 0, isFull: false)
            }
            let ended = try transaction.endSessions(which, of: user, at: now)
            if ended > 0, which.isLogged {
                try transaction.append(
                    AuditEvent(
                        id: eventIDs[0], at: now, kind: .sessionEnded, userID: userID, context: client,
                        details: ["others": .integer(Int64(ended))]))
            }
            return WrittenPart(done: ended, isFull: ended == most)
        }.reduce(count, +)
    }

    /// Ends a session of a user with all of its grants, in the name of the user or an administrator; the log says so.
    /// - Returns: false where the user has no such session, or it was ended before.
    public func end(_ id: SessionID, of userID: UserID, by client: ClientContext) async throws -> Bool {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let session = try transaction.session(id), session.userID == userID,
                try transaction.end(session, at: now)
            else { return false }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .sessionEnded, userID: userID, context: client,
                    details: ["session": .string(id.rawValue)]))
            return true
        }
    }
}

/// A session as listings show it.
public struct SessionListing: Sendable {
    /// The session as it is stored.
    public let session: Session
    /// The newest first.
    public let grants: [Grant]

    /// Whether the session goes on for a client: a browser holds it, or one of its grants goes on, and its user is not disabled.
    public func isLiving(of user: User, at now: Date) -> Bool {
        !user.isDisabled && session.isLiving(of: user, at: now)
            && (session.browserDigest != nil || grants.contains { $0.isLiving(at: now) })
    }
}

extension Session {
    /// Grants of one session that are shown, and marked as ended with it, at most. None counts without its session.
    static let longestList = 1000
    /// Sessions of one user, or grants of one application, that one transaction ends at most. Where there are more, others follow.
    static let mostEndedAtOnce = 200
}

/// Which sessions of a user end together.
enum EndingSessions: Sendable {
    /// All but one.
    case others(than: SessionID?)
    /// Those that were proven with a factor, but one.
    case proven(with: FactorID, but: SessionID?)

    /// Whether the log says how many ended.
    var isLogged: Bool { if case .others = self { true } else { false } }

    /// Whether a session is one of them.
    func has(_ session: Session) -> Bool {
        switch self {
        case .others(let kept): session.id != kept
        case .proven(let factor, let kept): session.id != kept && session.proofs.contains { $0.factorID == factor }
        }
    }
}

extension StoreTransaction {
    /// A user's sessions with their grants, the newest first.
    func sessionListings(of userID: UserID, limit: Int) throws -> [SessionListing] {
        let sessions = try sessions(of: userID, limit: limit)
        let grants = Dictionary(
            grouping: try grants(of: userID, limit: limit + Session.longestList), by: \.sessionID)
        return sessions.map { SessionListing(session: $0, grants: grants[$0.id] ?? []) }
    }

    /// Ends a session and all of its grants. False where it was ended before.
    func end(_ session: Session, at now: Date) throws -> Bool {
        guard session.revokedAt == nil else { return false }
        let grants = try grants(of: session.id, limit: Session.longestList).filter { $0.revokedAt == nil }
        try reserve(Set(grants.map { .grant($0.id) } + [.session(session.id)]))
        var session = session
        session.revokedAt = now
        guard try update(session) else { return false }
        for grant in grants { _ = try end(grant, at: now) }
        return true
    }

    /// The newest of a user's sessions that go on and fit.
    /// - Parameter most: how many at most.
    func sessions(
        of user: User, at now: Date, most: Int, where fits: (Session) throws -> Bool
    ) throws -> [Session] {
        var found: [Session] = []
        var place: SessionPlace?
        while true {
            let page = try sessions(
                of: user.id, epoch: user.tokenEpoch, expiringAfter: now,
                ListRange(place, limit: Session.mostEndedAtOnce))
            for session in page where try fits(session) {
                found.append(session)
                if found.count == most { return found }
            }
            guard page.count == Session.mostEndedAtOnce, let last = page.last else { return found }
            place = SessionPlace(of: last)
        }
    }

    /// The newest grants of a session that were not ended and fit.
    /// - Parameter most: how many at most.
    func grants(of session: SessionID, most: Int, where fits: (Grant) throws -> Bool) throws -> [Grant] {
        let part = min(max(most, 20), Session.mostEndedAtOnce)
        var found: [Grant] = []
        var place: GrantPlace?
        while true {
            let page = try grants(of: session, ListRange(place, limit: part))
            for grant in page where try fits(grant) {
                found.append(grant)
                if found.count == most { return found }
            }
            guard page.count == part, let last = page.last else { return found }
            place = GrantPlace(of: last)
        }
    }

    /// Ends the newest of a user's sessions that are named, as many as one transaction may. Their applications learn of it as of any end.
    /// - Parameter rows: what else the transaction is about to write.
    /// - Returns: how many ended; at ``Session/mostEndedAtOnce`` there may be more.
    func endSessions(
        _ which: EndingSessions, of user: User, reserving rows: Set<ReservedRow> = [], at now: Date
    ) throws -> Int {
        let ending = try sessions(of: user, at: now, most: Session.mostEndedAtOnce) { which.has($0) }
        // All at once, as each session's grants are locked after every session.
        try reserve(ending: ending, and: rows.union([.user(user.id)]))
        return try ending.count { try end($0, at: now) }
    }

    /// Ends the newest of a user's sessions but one, as ``endSessions(_:of:reserving:at:)`` does. A sign-in that a device has allowed, and no
    /// application has fetched yet, is none any more.
    func endOtherSessions(than kept: SessionID?, of user: User, at now: Date, sealer: Sealer) throws -> Int {
        let count = try endSessions(
            .others(than: kept), of: user, reserving: [Withdrawal.row(of: user.id, from: nil)], at: now)
        try withdraw(from: nil, of: user.id, at: now, sealer: sealer)
        return count
    }

    /// Ends a grant. False where it was ended before.
    /// - Parameter byApplication: whether by what its application did.
    func end(_ grant: Grant, byApplication: Bool = false, at now: Date) throws -> Bool {
        guard grant.revokedAt == nil else { return false }
        var grant = grant
        grant.revokedAt = now
        grant.endedByApplication = byApplication
        return try update(grant)
    }
}
