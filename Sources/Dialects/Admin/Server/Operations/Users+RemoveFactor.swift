import CountersignCore

/// Removes one of a user's second factors or passkeys, with its count of wrong answers. With the last second factor the recovery codes and
/// all sessions go too.
public struct RemoveFactor: AdministrationOperation {
    public static let name = "users:remove-factor"
    public static let right = AdministrationRight.changeUsers

    /// Id or address.
    public var user: String
    /// The factor's id, as `users:show` has it.
    public var factor: String

    public init(user: String, factor: String) {
        self.user = user
        self.factor = factor
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        public let factor: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await permit.user(user, of: realm)
        return try await permit.changing(found, of: realm) {
            guard try await realm.enrolments.remove(FactorID(rawValue: factor), of: found.id, by: client) else {
                throw AdministrationError(
                    .notFound,
                    "The user has no second factor \(factor.prefix(80)). `countersign user show` has the ids of all.")
            }
            return Answer(user: UserSummary(found), factor: factor)
        }
    }
}

/// Ends all sessions of a user with all that applications got of them. The user signs in again.
public struct EndSessions: AdministrationOperation {
    public static let name = "users:end-sessions"
    public static let right = AdministrationRight.endSessions

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        /// How many went on.
        public let ended: Int
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await permit.user(user, of: realm)
        return Answer(
            user: UserSummary(found), ended: try await realm.sessions.endAll(of: found.id, by: client))
    }
}

extension RemoveFactor: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "remove-factor").arguments(user, factor) }
}

extension EndSessions: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "end-sessions").arguments(user) }
}
