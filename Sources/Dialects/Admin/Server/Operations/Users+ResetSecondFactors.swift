import CountersignCore

/// Removes all second factors of a user who lost them, with their counts of wrong answers, and ends all sessions.
/// Verify the user's identity first: from then on the password alone is enough.
public struct ResetSecondFactors: AdministrationOperation {
    public static let name = "users:reset-mfa"
    public static let right = AdministrationRight.changeUsers

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

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await permit.user(user, of: realm)
        return try await permit.changing(found, of: realm) {
            guard let removed = try await realm.enrolments.reset(of: found.id, by: client) else {
                throw AdministrationError.noUser(user)
            }
            return Answer(user: UserSummary(found), removed: removed)
        }
    }
}
