import Crypto
import Foundation

/// What a user allowed an application, until it is taken back.
public struct Consent: Sendable, Equatable, Codable {
    /// The application that was allowed it.
    public let client: ClientID
    /// The scopes that it was allowed, of all times together.
    public var scopes: [String]
    /// The identifiers of the APIs that it was allowed.
    public var resources: [String]
    /// When the user first allowed it something.
    public var createdAt: Date

    /// A consent of these scopes and APIs; ``AuthorizationRequests`` keeps what users say.
    public init(client: ClientID, scopes: [String], resources: [String], createdAt: Date) {
        self.client = client
        self.scopes = scopes
        self.resources = resources
        self.createdAt = createdAt
    }

    func covers(scopes: [String], resources: [String]) -> Bool {
        Set(scopes).isSubset(of: self.scopes) && Set(resources).isSubset(of: self.resources)
    }
}

/// What users allowed applications.
public struct Consents: Sendable {
    let realm: Realm

    /// What the rows are called that keep them. A row is a flow's, whose digest is of bytes that are no text, so that no handle leads
    /// to it; it goes with its user.
    static let purpose = "consent"
    /// Seconds after which one is forgotten that was not given anew: ten years.
    static let lifetime: TimeInterval = 10 * 365 * 86_400

    static func digest(of user: UserID, _ client: ClientID) -> Data {
        Data(SHA256.hash(data: Data([0xFF]) + Data("\(purpose)\u{0}\(user)\u{0}\(client)".utf8)))
    }

    /// The applications that a user has allowed something.
    public func list(of user: UserID) async throws -> [Consent] {
        let realm = realm
        let now = realm.clock.now
        return try await realm.store.read { try $0.consents(of: user, at: now, sealer: realm.sealer) }
    }

    /// Takes back what a user allowed an application, and ends what it got of the user's sessions.
    /// - Returns: false where nothing was allowed.
    public func revoke(_ client: ClientID, of user: UserID, by context: ClientContext) async throws -> Bool {
        let realm = realm
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        let event = AuditEvent(
            id: eventID, at: now, kind: .consentRevoked, userID: user, context: context,
            details: ["application": .string(client.rawValue)])
        let revoked = try await realm.store.write {
            try $0.revokeConsent(client, of: user, at: now, event, sealer: realm.sealer)
        }
        try await endGrants(of: user, to: client, before: revoked.next)
        return revoked.isKnown
    }

    /// Goes on with ending what an application got of a user's sessions, from where a transaction has ended as many as one may.
    /// - Parameter place: nil where that one has left none.
    func endGrants(of user: UserID, to client: ClientID, before place: GrantPlace?) async throws {
        var next = place
        while let place = next {
            let now = realm.clock.now
            next = try await realm.store.write {
                try $0.endGrants(of: user, to: client, before: place, reserving: [.user(user)], at: now).next
            }
        }
    }
}

extension Consent {
    fileprivate init(of record: FlowRecord, sealer: Sealer) throws {
        self = try JSONDecoder().decode(Consent.self, from: sealer.open(record.body, for: .flow(record.digest)))
    }
}

extension StoreTransaction {
    /// All of them: no more than there are applications. They are shown by name, so that none can be left for a later page.
    func consents(of user: UserID, at now: Date, sealer: Sealer) throws -> [Consent] {
        try openFlows(of: user, purpose: Consents.purpose, at: now, limit: .max).map {
            try Consent(of: $0, sealer: sealer)
        }
    }

    /// Forgets a consent, and ends the newest of the application's grants. What it was allowed and has not fetched yet it does not get.
    /// - Returns: whether anything was allowed; otherwise the event is not written. And where further transactions go on
    ///   (``Consents/endGrants(of:to:before:)``).
    func revokeConsent(
        _ client: ClientID, of user: UserID, at now: Date, _ event: AuditEvent, sealer: Sealer
    ) throws -> (isKnown: Bool, next: GrantPlace?) {
        let digest = Consents.digest(of: user, client)
        let grants = try endGrants(
            of: user, to: client, before: nil,
            reserving: [.user(user), .flow(digest), Withdrawal.row(of: user, from: client)], at: now)
        let isKnown = try deleteFlow(digest: digest)
        // Also where nothing is to be seen: a code may be on its way to an application that never had to ask.
        if try isKnown || grants.count > 0 || registeredApplication(client) != nil {
            try withdraw(from: client, of: user, at: now, sealer: sealer)
        }
        guard isKnown || grants.count > 0 else { return (false, nil) }
        try append(event)
        return (true, grants.next)
    }

    /// Ends what an application got of a user's sessions by the protocol with pages, the newest first, no more than one transaction may.
    /// - Parameters:
    ///   - place: where the transaction before has ended; nil for the first.
    ///   - rows: what the transaction writes beside the grants.
    /// - Returns: how many grants there were, and where to go on; nil where there can be no more.
    func endGrants(
        of user: UserID, to client: ClientID, before place: GrantPlace?, reserving rows: Set<ReservedRow>, at now: Date
    ) throws -> (count: Int, next: GrantPlace?) {
        var next = place
        var ending: [Grant] = []
        repeat {
            let found = try grants(of: user, to: client, ListRange(next, limit: Session.mostEndedAtOnce))
            next = found.count < Session.mostEndedAtOnce ? nil : found.last.map(GrantPlace.init(of:))
            // The same application may have grants of other protocols, which no consent is about.
            ending = found.filter { $0.dialect == .oauth }
        } while ending.isEmpty && next != nil
        try reserve(rows.union(ending.map { .grant($0.id) }))
        for grant in ending { _ = try end(grant, at: now) }
        try announceEnds(of: ending, isLast: next == nil, at: now)
        return (ending.count, next)
    }

    func consent(of user: UserID, to client: ClientID, sealer: Sealer) throws -> Consent? {
        guard let record = try flow(digest: Consents.digest(of: user, client)), record.purpose == Consents.purpose
        else { return nil }
        return try Consent(of: record, sealer: sealer)
    }

    /// Adds to what the user allowed the application before.
    func remember(_ consent: Consent, of user: UserID, at now: Date, sealer: Sealer) throws {
        let digest = Consents.digest(of: user, consent.client)
        var consent = consent
        guard var record = try flow(digest: digest), record.purpose == Consents.purpose else {
            let body = try sealer.seal(JSONEncoder().encode(consent), for: .flow(digest), in: self)
            _ = try insert(
                FlowRecord(
                    digest: digest, userID: user, purpose: Consents.purpose, createdAt: now,
                    expiresAt: now + Consents.lifetime, body: body))
            return
        }
        let before = try Consent(of: record, sealer: sealer)
        // What another registration of the same id was allowed is not this one's.
        if let known = try application(consent.client)?.known, before.createdAt >= known {
            consent.scopes = before.scopes + consent.scopes.filter { !before.scopes.contains($0) }
            consent.resources = before.resources + consent.resources.filter { !before.resources.contains($0) }
        }
        record.body = try sealer.seal(JSONEncoder().encode(consent), for: .flow(digest), in: self)
        record.expiresAt = now + Consents.lifetime
        _ = try update(record)
    }
}
