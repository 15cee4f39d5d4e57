import CountersignCore

/// Lists applications, ordered by id, or those whose id or name begins with a text: the ones that are found by their id come first. A page
/// costs the same wherever it is.
public struct ListApplications: PagedOperation {
    public static let name = "applications:list"
    public static let right = AdministrationRight.readApplications

    /// What the id or the name begins with, without regard to case but for ids; up to 256 characters. All applications where it is left out
    /// or blank.
    public var text: String?
    /// 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?
    /// Where the page ends: ``Answer/previous`` of the page after.
    public var before: String?

    public init(text: String? = nil, limit: Int? = nil, after: String? = nil, before: String? = nil) {
        self.text = text
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
        /// Whether so few names begin with the text that the look ended at its bound: more may follow, although the page is not full. Nil
        /// where no text was looked for.
        public let isPartial: Bool?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let limit = try PageLimit.judged(limit)
        try AdministrationError.check(searchText: text)
        if let text, !text.allSatisfy(\.isWhitespace) {
            let range: ListRange<FoundPlace<ClientID>> = try found(limit: limit)
            let page = try await realm.applications.search(text, range)
            return Answer(
                applications: try await realm.summaries(of: page.rows, for: permit), previous: place(page.previous),
                next: place(page.next), isPartial: page.isPartial(of: range))
        }
        let page = try await realm.applications.list(range(limit: limit))
        return Answer(
            applications: try await realm.summaries(of: page.rows, for: permit), previous: place(page.previous),
            next: place(page.next), isPartial: nil)
    }
}
