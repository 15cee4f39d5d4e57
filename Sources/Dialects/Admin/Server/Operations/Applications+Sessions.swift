import CountersignCore

/// Who is signed in to an application, the newest first: what it got of users' sessions that go on.
public struct ListApplicationSessions: PagedOperation {
    public static let name = "applications:sessions"
    /// It is about users: who may look at applications alone is not shown them.
    public static let right = AdministrationRight.readUsers

    public var id: String
    /// 1 to 200; 50 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?
    /// Where the page ends: ``Answer/previous`` of the page after.
    public var before: String?

    public init(id: String, limit: Int? = nil, after: String? = nil, before: String? = nil) {
        self.id = id
        self.limit = limit
        self.after = after
        self.before = before
    }

    public struct Answer: Codable, Sendable {
        public struct Presence: Codable, Sendable {
            public let user: UserSummary
            /// With what the application got of it, and not what others did.
            public let session: SessionSummary
        }

        public let sessions: [Presence]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last. A page may be short and go on.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let limit = limit ?? 50
        guard (1...200).contains(limit) else { throw AdministrationError(.invalid, "limit is 1 to 200.") }
        let range = try range(limit: limit) { GrantPlace($0) }
        let id = ClientID(rawValue: id)
        guard try await realm.applications.registered(id) != nil else {
            throw AdministrationError.noApplication(self.id)
        }
        let now = realm.clock.now
        let page = try await realm.sessions.list(of: id, range)
        let settings = try await realm.settings()
        return Answer(
            sessions: page.rows.map { found in
                Answer.Presence(
                    user: UserSummary(found.user),
                    session: SessionSummary(found.listing, of: found.user, on: realm, settings, at: now))
            }, previous: place(page.previous, \.text), next: place(page.next, \.text))
    }
}
