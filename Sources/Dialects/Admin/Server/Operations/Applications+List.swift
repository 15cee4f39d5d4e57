import CountersignCore

/// Lists applications, ordered by id.
public struct ListApplications: PagedOperation {
    public static let name = "applications:list"
    public static let right = AdministrationRight.readApplications

    /// 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?
    /// Where the page ends: ``Answer/previous`` of the page after.
    public var before: String?

    public init(limit: Int? = nil, after: String? = nil, before: String? = nil) {
        self.limit = limit
        self.after = after
        self.before = before
    }

    public struct Answer: Codable, Sendable {
        public let applications: [ApplicationSummary]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let page = try await realm.applications.list(range(limit: PageLimit.judged(limit)))
        return Answer(
            applications: try await realm.summaries(of: page.rows, for: permit), previous: place(page.previous),
            next: place(page.next))
    }
}
