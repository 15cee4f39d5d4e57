import Foundation

/// Where a user is signed in, as far as the server can tell devices apart: by what the client calls itself and by its address.
public struct OwnDevice: Sendable {
    /// What the client called itself at the sign-in (`User-Agent`); nil where it said nothing. Anyone can claim any
    /// text.
    public let userAgent: String?
    /// The network address that the sessions began from; nil where it is unknown.
    public let address: String?
    /// The newest first.
    public let sessions: [OwnPresence]

    /// Whether the session that asks is one of these.
    public var isCurrent: Bool { sessions.contains(where: \.isCurrent) }
    /// When the first of these sessions began.
    public var firstSeenAt: Date { sessions.map(\.session.createdAt).min() ?? .distantPast }
    /// When one of these sessions was seen last; see ``OwnPresence/lastSeenAt``.
    public var lastSeenAt: Date { sessions.map(\.lastSeenAt).max() ?? .distantPast }
}

/// A session that goes on.
public struct OwnPresence: Sendable {
    /// The session as it is stored.
    public let session: Session
    /// The newest first.
    public let applications: [Application]
    /// Whether it is the one that asks.
    public let isCurrent: Bool

    /// What one application got of it.
    public struct Application: Sendable {
        /// The application's id, also where the application is registered no more.
        public let id: ClientID
        /// Nil where it has none, or is registered no more.
        public let name: String?
        /// The scopes that the application got with this grant.
        public let scopes: [String]
        /// When the application got it.
        public let since: Date
        /// When the application last traded a refresh token of it, or got it.
        public let lastUsedAt: Date
    }

    /// The last time that it was proven, or that one of its applications traded a refresh token. Loading pages is not kept.
    public var lastSeenAt: Date {
        (session.proofs.map(\.at) + applications.map(\.lastUsedAt) + [session.createdAt]).max() ?? session.createdAt
    }
}

extension OwnAccount {
    /// Sessions that are listed at most.
    static let longestList = 200

    /// The user's sessions, grouped by device; the one that asks first, then the one that was seen last.
    public func devices(of own: OwnSession) async throws -> Result<[OwnDevice], Refusal> {
        struct Key: Hashable {
            let userAgent: String?
            let address: String?
        }
        return try await read(of: own) { transaction, user, now in
            let living = try transaction.sessionListings(of: user.id, limit: Self.longestList).filter {
                $0.isLiving(of: user, at: now)
            }
            var names: [ClientID: String?] = [:]
            let presences = try living.map { listing in
                let applications = try listing.grants.filter { $0.isLiving(at: now) }.map { grant in
                    if names[grant.clientID] == nil {
                        names[grant.clientID] = try transaction.registeredApplication(grant.clientID)?.registration
                            .displayName
                    }
                    return OwnPresence.Application(
                        id: grant.clientID, name: names[grant.clientID] ?? nil, scopes: grant.terms.scopes,
                        since: grant.createdAt, lastUsedAt: grant.refresh.rotatedAt ?? grant.createdAt)
                }
                return OwnPresence(
                    session: listing.session, applications: applications, isCurrent: listing.session.id == own.session)
            }
            let groups = Dictionary(grouping: presences) {
                Key(userAgent: $0.session.origin.userAgent, address: $0.session.origin.address)
            }
            return groups.map { OwnDevice(userAgent: $0.userAgent, address: $0.address, sessions: $1) }
                .sorted {
                    $0.isCurrent == $1.isCurrent
                        ? ($0.lastSeenAt, $0.sessions[0].session.id.rawValue)
                            > ($1.lastSeenAt, $1.sessions[0].session.id.rawValue)
                        : $0.isCurrent
                }
        }
    }

    /// Ends one of the user's sessions with all that applications got of it; also the one that asks.
    public func endSession(
        _ id: SessionID, of own: OwnSession, by client: ClientContext
    ) async throws -> Result<Void, Refusal> {
        try await change(of: own, .recent, by: client) { transaction, user, draft in
            guard let session = try transaction.session(id), session.isLiving(of: user, at: draft.now) else {
                throw Refusal.unknown
            }
            try transaction.reserve(ending: [session], and: [.user(user.id)])
            guard try transaction.end(session, at: draft.now) else { throw Refusal.unknown }
            try transaction.append(draft.event(.sessionEnded, of: user.id, ["session": .string(id.rawValue)]))
            if id != own.session { try draft.notify(AccountNotice(.sessionsEnded), user, in: transaction) }
        }
    }

    /// Ends all sessions of the user but the one that asks. A sign-in that a device has allowed, and no application has fetched yet, is none
    /// any more.
    /// - Returns: how many ended.
    public func endOtherSessions(of own: OwnSession, by client: ClientContext) async throws -> Result<Int, Refusal> {
        let outcome = try await change(of: own, .recent, by: client) { transaction, user, draft -> Int in
            let count = try transaction.endOtherSessions(
                than: own.session, of: user, at: draft.now, sealer: draft.sealer)
            guard count > 0 else { return 0 }
            try transaction.append(
                draft.event(.sessionEnded, of: user.id, ["others": .integer(Int64(count))]))
            try draft.notify(AccountNotice(.sessionsEnded), user, in: transaction)
            return count
        }
        guard case .success(let count) = outcome else { return outcome }
        return .success(
            try await realm.sessions.endRest(
                .others(than: own.session), of: own.userID, epoch: own.epoch, after: count, by: client))
    }
}
