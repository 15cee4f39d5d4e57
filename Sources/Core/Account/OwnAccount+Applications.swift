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

    /// What the user knows the application by; nil where it has no name, or is registered no more.
    public var name: String? { registration?.displayName }
}

extension OwnAccount {
    /// The applications that the user has allowed something, by name.
    public func applications(of session: OwnSession) async throws -> Result<[OwnApplication], Refusal> {
        let realm = realm
        return try await realm.sealer.keys.retrying {
            try await read(of: session) { transaction, user, now in
                let consents = try transaction.consents(of: user.id, at: now, sealer: realm.sealer)
                let living = try transaction.sessionListings(of: user.id, limit: Session.longestList)
                    .filter { $0.isLiving(of: user, at: now) }
                    .flatMap { $0.grants.filter { $0.isLiving(at: now) && $0.dialect == .oauth } }
                let grants = Dictionary(grouping: living, by: \.clientID)
                let ids = Set(consents.map(\.client)).union(grants.keys)
                return try ids.map { id in
                    let (consent, own) = (consents.first { $0.client == id }, grants[id] ?? [])
                    let times = own.map(\.createdAt) + [consent?.createdAt].compactMap { $0 }
                    return OwnApplication(
                        id: id, registration: try transaction.registeredApplication(id)?.registration, consent: consent,
                        scopes: Self.union([consent?.scopes ?? []] + own.map(\.terms.scopes)),
                        resources: Self.union([consent?.resources ?? []] + own.map(\.terms.audiences)),
                        since: times.min() ?? now,
                        lastUsedAt: own.map { $0.refresh.rotatedAt ?? $0.createdAt }.max())
                }
                .sorted { ($0.name ?? $0.id.rawValue, $0.id.rawValue) < ($1.name ?? $1.id.rawValue, $1.id.rawValue) }
            }
        }
    }

    private static func union(_ lists: [[String]]) -> [String] {
        lists.joined().reduce(into: []) { all, text in if !all.contains(text) { all.append(text) } }
    }

    /// Takes back all that an application was allowed, and ends what it got of the user's sessions. It is told, where it wants to know
    /// (OpenID Connect Back-Channel Logout 1.0).
    public func revokeApplication(
        _ id: ClientID, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<Void, Refusal> {
        let outcome = try await change(of: session, .recent, by: client) { transaction, user, draft in
            let event = draft.event(.consentRevoked, of: user.id, ["application": .string(id.rawValue)])
            let revoked = try transaction.revokeConsent(id, of: user.id, at: draft.now, event)
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
