import CountersignCore

/// Removes a user with factors, attempts and sessions. The log keeps what it says of them.
public struct DeleteUser: AdministrationOperation {
    public static let name = "users:delete"

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        /// As it was.
        public let user: UserSummary
    }

    public func perform(on realm: Realm, by client: ClientContext) async throws -> Answer {
        let found = try await realm.user(user)
        guard try await realm.accounts.delete(found.id, by: client) else { throw AdministrationError.noUser(user) }
        return Answer(user: UserSummary(found))
    }
}
