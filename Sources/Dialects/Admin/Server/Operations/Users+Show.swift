import CountersignCore

/// Shows a user with factors, sessions and what is locked.
public struct ShowUser: AdministrationOperation {
    public static let name = "users:show"
    public static let right = AdministrationRight.readUsers

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        public let factors: [FactorSummary]
        /// Sessions that go on.
        public let sessions: Int
        public let passwordChangedAt: Timestamp?
        /// Tokens from before count no more.
        public let tokensValidAfter: Timestamp
        public let customClaims: [String: JSONValue]
        /// What the user is refused at the moment because of too many attempts. Nil from a server of before.
        public let limits: [LimitSummary]?
        /// What the user administers; nil where that is nothing.
        public let role: String?
        /// What applications asked the user for. Nil from a server of before.
        public let attributes: [String: JSONValue]?
        /// For `expecting` of `users:set`. Nil from a server of before.
        public let revision: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await permit.user(user, of: realm)
        guard let dossier = try await realm.accounts.dossier(found.id) else { throw AdministrationError.noUser(user) }
        let limits = try await realm.standingLimits.list(of: found.id)
        return Answer(
            user: UserSummary(dossier.user), factors: dossier.factors.map(FactorSummary.init),
            sessions: dossier.sessionCount, passwordChangedAt: dossier.user.passwordChangedAt.map(Timestamp.init),
            tokensValidAfter: Timestamp(dossier.user.tokensValidAfter), customClaims: dossier.user.profile.customClaims,
            limits: limits.map(LimitSummary.init),
            role: try await realm.administrators.role(of: found.id)?.rawValue,
            attributes: dossier.user.profile.attributes,
            revision: try RecordRevision.text(of: ChangeableProfile(dossier.user)))
    }
}
