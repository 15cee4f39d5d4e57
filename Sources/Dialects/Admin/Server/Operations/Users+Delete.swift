import CountersignCore

/// Removes a user with factors, attempts and sessions. The log keeps what it says of them.
public struct DeleteUser: AdministrationOperation {
    public static let name = "users:delete"
    public static let right = AdministrationRight.changeUsers

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        /// As it was.
        public let user: UserSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await realm.user(user)
        try await permit.requireChanging(found, of: realm)
        switch try await realm.accounts.delete([found.id], by: client).first {
        case .deleted: return Answer(user: UserSummary(found))
        case .lastOwner: throw AdministrationError.lastOwner
        default: throw AdministrationError.noUser(user)
        }
    }
}
