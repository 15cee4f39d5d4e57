import CountersignCore

/// Lists users, the newest first, or those whose address, name or id begins with a text. Forwards and backwards; a page costs the same
/// wherever it is.
public struct SearchUsers: PagedOperation {
    public static let name = "users:search"
    public static let right = AdministrationRight.readUsers

    /// What the address, the name or the id begins with, without regard to case but for ids; up to 256 characters.
    public var text: String?
    /// `disabled`, `no-second-factor`, `unverified` or `never-signed-in`; or a role: `owner`, `operator`, `support` or `auditor`.
    public var filter: String?
    /// The order of a list without a text or a role: `created` (the newest first, where it is left out), `address`, `name` or `id`. Users who
    /// have no address or no name are left out of those orders.
    public var sort: String?
    /// Only what comes after this place: ``Answer/next`` of another page.
    public var after: String?
    /// Only what comes before this place: ``Answer/previous`` of another page.
    public var before: String?
    /// 1 to 1,000; 50 where it is left out.
    public var limit: Int?

    public init(
        text: String? = nil, filter: String? = nil, sort: String? = nil, after: String? = nil, before: String? = nil,
        limit: Int? = nil
    ) {
        self.text = text
        self.filter = filter
        self.sort = sort
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
        /// About how many users there are; nil where a text or a filter leaves some out.
        public let estimate: Estimate?
    }

    /// About how many users there are: few are counted, of many it is known what a server counted within the last hours.
    public struct Estimate: Codable, Sendable, Equatable {
        /// How many users.
        public let users: Int
        /// `exact`; `about`, rounded to two digits; or `at-least`.
        public let precision: String

        init(_ estimate: UserEstimate) {
            users = estimate.users
            precision = estimate.precision.rawValue
        }
    }

    /// The words of ``sort``.
    static let orders: [String: UserIndex] = [
        "created": .creation, "address": .email, "name": .name, "id": .id,
    ]

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        try AdministrationError.check(searchText: text)
        guard after == nil || before == nil else { throw ListPlace.both }
        let place = try (after ?? before).map { text in
            guard let place = UserListPlace(text) else { throw ListPlace.unknown }
            return place
        }
        let role = filter.flatMap(AdministratorRole.init(rawValue:))
        let chosen =
            try role == nil
            ? filter.map { word in
                guard let filter = UserFilter(rawValue: word) else {
                    let words = UserFilter.allCases.map(\.rawValue) + AdministratorRole.allCases.map(\.rawValue)
                    throw AdministrationError(
                        .invalid, "\"\(word.prefix(60))\" is no filter. There are \(words.joined(separator: ", ")).")
                }
                return filter
            } : nil
        let order = try sort.map { word in
            guard let order = Self.orders[word] else {
                throw AdministrationError(
                    .invalid,
                    "\"\(word.prefix(60))\" is no order. There are \(Self.orders.keys.sorted().joined(separator: ", "))."
                )
            }
            return order
        }
        guard order == nil || order == .creation || (text ?? "").isEmpty && role == nil else {
            throw AdministrationError(.invalid, "What was searched for has an order of its own: leave out sort.")
        }
        let query = Accounts.UserQuery(
            text: text, filter: chosen, order: order, from: place, isBackwards: before != nil,
            limit: limit == nil ? 50 : try PageLimit.judged(limit))
        let page =
            if let role { try await realm.accounts.browse(query, administering: role) } else {
                try await realm.accounts.browse(query)
            }
        let isOfAll = (text ?? "").isEmpty && filter == nil
        let estimate = isOfAll ? Estimate(try await realm.accounts.estimate()) : nil
        return Answer(
            users: page.users.map(UserSummary.init), previous: page.before?.text, next: page.after?.text,
            isPartial: page.isPartial, estimate: estimate)
    }
}

extension AdministrationError {
    /// - Throws: where a text is too long to be looked for.
    static func check(searchText text: String?) throws {
        guard text?.count ?? 0 <= 256 else {
            throw AdministrationError(.invalid, "The text has more than 256 characters.")
        }
    }
}

extension SearchUsers: CommandedOperation {
    public var commandLine: [String] {
        let command = CommandParts("user", "search").option("filter", filter).option("sort", sort).option(
            "after", after
        )
        .option("before", before).option("limit", limit)
        return text.map { command.arguments($0) } ?? command.arguments()
    }
}
