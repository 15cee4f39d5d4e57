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
        let now = realm.clock.now
        var ended = 0
        // A user has as many as one listing shows, or what is left goes by the next ones.
        while true {
            let living = try await realm.sessions.list(of: found.id, limit: 1000).filter {
                $0.isLiving(of: found, at: now)
            }
            var count = 0
            for listing in living {
                if try await realm.sessions.end(listing.session.id, of: found.id, by: client) { count += 1 }
            }
            ended += count
            if count == 0 { return Answer(user: UserSummary(found), ended: ended) }
        }
    }
}

extension RemoveFactor: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "remove-factor").arguments(user, factor) }
}

extension EndSessions: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "end-sessions").arguments(user) }
}
