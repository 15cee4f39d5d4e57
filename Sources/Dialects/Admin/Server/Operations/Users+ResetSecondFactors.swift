import CountersignCore

/// Removes all second factors of somebody who lost them, with what was counted against them, and ends all sessions. Make
/// sure of who it is first: from then on the password alone is enough.
public struct ResetSecondFactors: AdministrationOperation {
    public static let name = "users:reset-mfa"

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        /// How many factors there were.
        public let removed: Int
    }

    public func perform(on realm: Realm, by client: ClientContext) async throws -> Answer {
        let found = try await realm.user(user)
        guard let removed = try await realm.enrolments.reset(of: found.id, by: client) else {
            throw AdministrationError.noUser(user)
        }
        return Answer(user: UserSummary(found), removed: removed)
    }
}
