import Foundation

/// An application that a user has allowed something, or that has something of a session of theirs.
public struct OwnApplication: Sendable {
    /// The application's id, also where the application is registered no more.
    public let id: ClientID
    /// How the application is registered now; nil where it was removed.
    public let registration: ApplicationRegistration?
    /// The user's word; nil for an application that never had to ask.
    public let consent: Consent?
    /// Of all that it has.
    public let scopes: [String]
    /// The identifiers of the APIs that it may use (RFC 8707), of its consent and all its grants together.
    public let resources: [String]
    /// When the user first allowed it something that it still has.
    public let since: Date
    /// When it last traded a refresh token or got something of a session; nil where it has nothing of a session now.
    public let lastUsedAt: Date?
    /// Whether what it has can be taken back at once: what it got by OAuth. What it got by another protocol ends with its session.
    public let isRevocable: Bool

    /// What the user knows the application by; nil where it has no name, or is registered no more.
    public var name: String? { registration?.displayName }
}

extension OwnAccount {
    /// The applications that the user has allowed something, by name.
    public func applications(of session: OwnSession) async throws -> Result<[OwnApplication], Refusal> {
        let realm = realm
        return try await realm.sealer.keys.retrying {
            try await read(of: session) { transaction, user, now in
                try transaction.applications(of: user, at: now, sealer: realm.sealer) { $0 == .oauth }
            }
        }
    }

    /// Takes back all that an application was allowed, and ends what it got of the user's sessions. It is told, where it wants to know
    /// (OpenID Connect Back-Channel Logout 1.0).
    public func revokeApplication(
        _ id: ClientID, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<Void, Refusal> {
        let outcome = try await change(of: session, .recent, by: client) { transaction, user, draft in
            let event = draft.event(.consentRevoked, of: user.id, ["application": .string(id.rawValue)])
            let revoked = try transaction.revokeConsent(id, of: user.id, at: draft.now, event, sealer: draft.sealer)
            guard revoked.isKnown else { throw Refusal.unknown }
            let name = try transaction.registeredApplication(id)?.registration.displayName ?? id.rawValue
            try draft.notify(AccountNotice(.applicationRevoked, factorName: name), user, in: transaction)
            return revoked.next
        }
        guard case .success(let place) = outcome else { return outcome.map { _ in } }
        try await realm.consents.endGrants(of: session.userID, to: id, before: place)
        return .success(())
    }
}

extension OwnApplication {
    /// Grants that are read at a time, and those that are looked through whatever application they are of.
    fileprivate static let part = 200
    fileprivate static let mostLookedThrough = 2000

    /// - Parameter grants: what it has of sessions that go on.
    fileprivate init(
        _ id: ClientID, _ registration: ApplicationRegistration?, _ consent: Consent?, _ grants: [Grant], at now: Date
    ) {
        let times = grants.map(\.createdAt) + [consent?.createdAt].compactMap { $0 }
        self.init(
            id: id, registration: registration, consent: consent,
            scopes: Self.union([consent?.scopes ?? []] + grants.map(\.terms.scopes)),
            resources: Self.union([consent?.resources ?? []] + grants.map(\.terms.audiences)),
            since: times.min() ?? now, lastUsedAt: grants.map { $0.refresh.rotatedAt ?? $0.createdAt }.max(),
            isRevocable: consent != nil || grants.contains { $0.dialect == .oauth })
    }

    private static func union(_ lists: [[String]]) -> [String] {
        lists.joined().reduce(into: []) { all, text in if !all.contains(text) { all.append(text) } }
    }
}

extension StoreTransaction {
    /// The applications that a user has allowed something, and those that have something of a session that goes on, by name.
    /// - Parameter admits: the protocols whose grants count.
    fileprivate func applications(
        of user: User, at now: Date, sealer: Sealer, admits: (Dialect) -> Bool
    ) throws -> [OwnApplication] {
        let consents = Dictionary(
            try consents(of: user.id, at: now, sealer: sealer).map { ($0.client, $0) },
            uniquingKeysWith: { one, _ in one })
        let grants = try livingGrants(of: user, at: now, admits: admits)
        return try Set(consents.keys).union(grants.keys)
            .map { id in
                OwnApplication(
                    id, try registeredApplication(id)?.registration, consents[id],
                    grants[id] ?? [], at: now)
            }
            .sorted { ($0.name ?? $0.id.rawValue, $0.id.rawValue) < ($1.name ?? $1.id.rawValue, $1.id.rawValue) }
    }

    /// What applications have of a user's sessions that go on, the newest first: of the newest grants all, and of each application that
    /// has nothing among those, the newest that count.
    private func livingGrants(
        of user: User, at now: Date, admits: (Dialect) -> Bool
    ) throws -> [ClientID: [Grant]] {
        var sessions: [SessionID: Bool] = [:]
        func goesOn(_ id: SessionID) throws -> Bool {
            if let known = sessions[id] { return known }
            let goesOn = try session(id)?.isLiving(of: user, at: now) == true
            sessions[id] = goesOn
            return goesOn
        }
        var found: [ClientID: [Grant]] = [:]
        func keepLiving(_ page: [Grant]) throws -> GrantPlace? {
            for grant in page where grant.isLiving(at: now) && admits(grant.dialect) {
                if try goesOn(grant.sessionID) { found[grant.clientID, default: []].append(grant) }
            }
            return page.count < OwnApplication.part ? nil : page.last.map(GrantPlace.init(of:))
        }
        var place: GrantPlace?
        var looked = 0
        repeat {
            place = try keepLiving(grants(of: user.id, ListRange(place, limit: OwnApplication.part)))
            looked += OwnApplication.part
        } while place != nil && looked < OwnApplication.mostLookedThrough
        guard let end = place else { return found }
        for holder in try holders(ofGrantsOf: user.id) where holder.expiresAt > now && found[holder.client] == nil {
            var place: GrantPlace? = end
            while let start = place, found[holder.client] == nil {
                place = try keepLiving(
                    grants(of: user.id, to: holder.client, ListRange(start, limit: OwnApplication.part)))
            }
        }
        return found
    }
}

extension Consents {
    /// The applications that a user has allowed something, also without a session that goes on, and those of any protocol that have something
    /// of such a session; by name.
    public func applications(of user: User) async throws -> [OwnApplication] {
        let realm = realm
        let now = realm.clock.now
        return try await realm.sealer.keys.retrying {
            try await realm.store.read {
                try $0.applications(of: user, at: now, sealer: realm.sealer) { _ in true }
            }
        }
    }
}
