import CountersignCore

/// Lists users, ordered by id.
public struct ListUsers: AdministrationOperation {
    public static let name = "users:list"
    public static let right = AdministrationRight.readUsers

    /// 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?

    public init(limit: Int? = nil, after: String? = nil) {
        self.limit = limit
        self.after = after
    }

    public struct Answer: Codable, Sendable {
        public let users: [UserSummary]
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let limit = try PageLimit.judged(limit)
        let last = try ListPlace.key(after, in: Self.self).map(UserID.init(rawValue:))
        let users = try await realm.accounts.users(after: last, limit: limit)
        let next = users.count < limit ? nil : users.last?.id.rawValue
        return Answer(users: users.map(UserSummary.init), next: ListPlace.text(next, in: Self.self))
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
