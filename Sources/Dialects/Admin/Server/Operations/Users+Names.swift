import CountersignCore

/// Shows users by their ids, all at once: for lists that know users by the id alone.
public struct NameUsers: AdministrationOperation {
    public static let name = "users:names"
    public static let right = AdministrationRight.readUsers

    /// Ids that one call takes.
    public static let most = 200

    /// 1 to 200 ids.
    public var ids: [String]

    public init(ids: [String]) {
        self.ids = ids
    }

    public struct Answer: Codable, Sendable {
        /// Ordered by id. Users who are not there are left out.
        public let users: [UserSummary]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard (1...Self.most).contains(ids.count) else {
            throw AdministrationError(.invalid, "Name 1 to \(Self.most) ids.")
        }
        let users = try await realm.accounts.users(among: Set(ids.map(UserID.init(rawValue:))))
        return Answer(users: users.map(UserSummary.init))
    }
}
