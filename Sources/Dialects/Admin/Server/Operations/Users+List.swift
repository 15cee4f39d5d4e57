import CountersignCore

/// Lists users, ordered by id.
public struct ListUsers: PagedOperation {
    public static let name = "users:list"
    public static let right = AdministrationRight.readUsers

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
        public let users: [UserSummary]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let page = try await realm.accounts.list(range(limit: PageLimit.judged(limit)))
        return Answer(
            users: page.rows.map(UserSummary.init), previous: place(page.previous), next: place(page.next))
    }
}

/// How long pages are.
enum PageLimit {
    static let range = 1...1000

    static func judged(_ limit: Int?) throws -> Int {
        guard let limit else { return 100 }
        guard range.contains(limit) else {
            throw AdministrationError(
                .invalid, "The limit \(limit) is out of range: \(range.lowerBound) to \(range.upperBound).")
        }
        return limit
    }
}
