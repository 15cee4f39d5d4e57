import CountersignCore

/// A user's sessions with what applications got of them, the newest first, also those that are over and not yet removed.
public struct ListSessions: PagedOperation {
    public static let name = "users:sessions"
    public static let right = AdministrationRight.readUsers

    /// Id or address.
    public var user: String
    /// Whether only those that go on are listed; of these a page can be short, and go on.
    public var living: Bool?
    /// 1 to 1,000; 100 where nothing is said.
    public var limit: Int?
    /// Where the page begins: the `next` of the page before.
    public var after: String?
    /// Where the page ends: the `previous` of the page after.
    public var before: String?

    public init(
        user: String, living: Bool? = nil, limit: Int? = nil, after: String? = nil, before: String? = nil
    ) {
        self.user = user
        self.living = living
        self.limit = limit
        self.after = after
        self.before = before
    }

    public struct Answer: Codable, Sendable {
        /// The newest first, with those that are over and not yet removed.
        public let sessions: [SessionSummary]
        /// Whether there are no older ones.
        public let isWhole: Bool?
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let limit = limit ?? 100
        guard (1...1000).contains(limit) else { throw AdministrationError(.invalid, "limit is 1 to 1000.") }
        let user = try await permit.user(user, of: realm)
        let now = realm.clock.now
        let page = try await realm.sessions.list(
            of: user, living: living ?? false, range(limit: limit) { SessionPlace($0) })
        let settings = try await realm.settings()
        return Answer(
            sessions: page.rows.map { SessionSummary($0, of: user, on: realm, settings, at: now) },
            isWhole: page.next == nil, previous: place(page.previous, \.text), next: place(page.next, \.text))
    }
}

/// Ends one of a user's sessions with all that applications got of it, or what one application got of it. The tokens that were issued
/// for it no longer count here.
public struct EndSession: AdministrationOperation {
    public static let name = "users:end-session"
    public static let right = AdministrationRight.endSessions

    /// Id or address.
    public var user: String
    /// The session's id: the `sid` of its tokens.
    public var session: String
    /// The application whose grants of the session end; nil ends the session.
    public var application: String?

    public init(user: String, session: String, application: String? = nil) {
        self.user = user
        self.session = session
        self.application = application
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        public let session: String
        /// False where it was over before.
        public let wasLiving: Bool
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let user = try await permit.user(user, of: realm)
        let id = SessionID(rawValue: session)
        guard let listing = try await realm.sessions.listing(id, of: user.id) else {
            throw AdministrationError.noSession(session, of: user)
        }
        let now = realm.clock.now
        // What ran out, or lost its session, is over although no one ended it.
        let goesOn = listing.isLiving(of: user, at: now)
        var wasLiving = false
        if let application {
            let ended = try await realm.grants.endAll(
                of: id, to: ClientID(rawValue: application), of: user.id, by: client)
            guard !ended.isEmpty || listing.grants.contains(where: { $0.clientID.rawValue == application }) else {
                throw AdministrationError(
                    .notFound, "The application \(application) has nothing of the session \(session).")
            }
            wasLiving = goesOn && ended.contains { realm.sessions.end(of: $0) > now }
        } else {
            let isEnded = try await realm.sessions.end(id, of: user.id, by: client)
            wasLiving = isEnded && goesOn
        }
        return Answer(user: UserSummary(user), session: session, wasLiving: wasLiving)
    }
}

extension AdministrationError {
    static func noSession(_ id: String, of user: User) -> AdministrationError {
        AdministrationError(
            .notFound,
            "The user has no session \(id). `countersign user sessions \(user.id.rawValue)` shows all of them.")
    }
}
