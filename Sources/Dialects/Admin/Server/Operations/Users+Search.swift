import CountersignCore

/// Lists users, the newest first, or those whose address, name or id begins with a text. Forwards and backwards; a page costs the same
/// wherever it is.
public struct SearchUsers: AdministrationOperation {
    public static let name = "users:search"
    public static let right = AdministrationRight.readUsers

    /// What the address, the name or the id begins with, without regard to case but for ids; up to 256 characters.
    public var text: String?
    /// `disabled`, `no-second-factor`, `unverified` or `never-signed-in`.
    public var filter: String?
    /// Only what comes after this place: ``Answer/next`` of another page.
    public var after: String?
    /// Only what comes before this place: ``Answer/previous`` of another page.
    public var before: String?
    /// 1 to 1,000; 50 where it is left out.
    public var limit: Int?

    public init(
        text: String? = nil, filter: String? = nil, after: String? = nil, before: String? = nil, limit: Int? = nil
    ) {
        self.text = text
        self.filter = filter
        self.after = after
        self.before = before
        self.limit = limit
    }

    public struct Answer: Codable, Sendable {
        public let users: [UserSummary]
        public let previous: String?
        public let next: String?
        /// Whether the filter let so few through that the look ended at its bound: more may follow, although the page is not full.
        public let isPartial: Bool
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard text?.count ?? 0 <= 256 else {
            throw AdministrationError(.invalid, "The text has more than 256 characters.")
        }
        guard after == nil || before == nil else {
            throw AdministrationError(.invalid, "Give after or before, not both.")
        }
        let place = try (after ?? before).map { text in
            guard let place = UserListPlace(text) else {
                throw AdministrationError(.invalid, "\"\(text.prefix(60))\" is no place of a list of users.")
            }
            return place
        }
        let chosen = try filter.map { word in
            guard let filter = UserFilter(rawValue: word) else {
                let words = UserFilter.allCases.map(\.rawValue)
                throw AdministrationError(
                    .invalid, "\"\(word.prefix(60))\" is no filter. There are \(words.joined(separator: ", ")).")
            }
            return filter
        }
        let page = try await realm.accounts.browse(
            Accounts.UserQuery(
                text: text, filter: chosen, from: place, isBackwards: before != nil,
                limit: limit == nil ? 50 : PageLimit.judged(limit)))
        return Answer(
            users: page.users.map(UserSummary.init), previous: page.before?.text, next: page.after?.text,
            isPartial: page.isPartial)
    }
}

extension SearchUsers: CommandedOperation {
    public var commandLine: [String] {
        let command = CommandParts("user", "search").option("filter", filter).option("after", after)
            .option("before", before).option("limit", limit)
        return text.map { command.arguments($0) } ?? command.arguments()
    }
}
