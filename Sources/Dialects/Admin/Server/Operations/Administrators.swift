import CountersignCore

/// Gives a user a role, in place of the one that the user has. A role that may do more than the caller is refused.
public struct GrantRole: AdministrationOperation {
    public static let name = "administrators:grant"
    public static let right = AdministrationRight.changeAdministrators

    /// Id or address.
    public var user: String
    /// `owner`, `operator`, `support` or `auditor`.
    public var role: String

    public init(user: String, role: String) {
        self.user = user
        self.role = role
    }

    public struct Answer: Codable, Sendable {
        public let administrator: AdministratorSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let role = AdministratorRole(rawValue: role) else {
            let names = AdministratorRole.allCases.map(\.rawValue)
            let remedy =
                NearestName.of(role, among: names).map { "Did you mean \($0)?" }
                ?? "There are \(names.joined(separator: ", "))."
            throw AdministrationError(.invalid, "\"\(role.prefix(60))\" is no role. \(remedy)")
        }
        try permit.requireGiving(role.rights)
        let found = try await permit.user(user, of: realm)
        switch try await realm.administrators.grant(role, to: found.id, by: client) {
        case .success(let made): return Answer(administrator: AdministratorSummary(made, found))
        case .failure(.lastOwner): throw AdministrationError.lastOwner
        case .failure(.userDisabled): throw AdministrationError.userDisabled
        case .failure(.userNotFound): throw AdministrationError.noUser(user)
        }
    }
}

/// Takes a user's role away. It ends at the user's next request, and so do the tokens that the user answers for.
public struct RevokeRole: RehearsedOperation {
    public static let name = "administrators:revoke"
    public static let right = AdministrationRight.changeAdministrators

    /// Id or address.
    public var user: String
    /// Whether nothing is changed, and the answer says what would be.
    public var dryRun: Bool?

    public init(user: String, dryRun: Bool? = nil) {
        self.user = user
        self.dryRun = dryRun
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        /// The role that the user had; nil where there was none.
        public let role: String?
        /// How many tokens of programs the user answers for, which open nothing now.
        public let tokens: Int?
        /// Whether the settings required a second factor of the user because of the role alone, so that none is required any more. Nil from a
        /// server of before.
        public let liftsSecondFactor: Bool?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await permit.user(user, of: realm)
        let lifts = try await realm.administrators.requiresSecondFactor(onlyOf: found.id)
        let outcome =
            dryRun == true
            ? try await realm.administrators.rehearseRevoking(found.id)
            : try await realm.administrators.revoke(found.id, by: client)
        let former: AdministratorRole?
        switch outcome {
        case .success(let role): former = role
        case .failure(.lastOwner): throw AdministrationError.lastOwner
        case .failure: throw AdministrationError.noUser(user)
        }
        return Answer(
            user: UserSummary(found), role: former?.rawValue,
            tokens: try await realm.machineTokens.count(of: found.id), liftsSecondFactor: lifts)
    }
}

/// Lists the users who have a role, ordered by id.
public struct ListAdministrators: PagedOperation {
    public static let name = "administrators:list"
    public static let right = AdministrationRight.readAdministrators

    /// 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?
    /// Where the page ends: ``Answer/previous`` of the page after.
    public var before: String?

    public init(limit: Int? = nil, after: String? = nil, before: String? = nil) {
        self.limit = limit
        self.after = after
        self.before = before
    }

    public struct Answer: Codable, Sendable {
        public let administrators: [AdministratorSummary]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let page = try await realm.administrators.list(range(limit: PageLimit.judged(limit)))
        return Answer(
            administrators: page.rows.map { AdministratorSummary($0.administrator, $0.user) },
            previous: place(page.previous), next: place(page.next))
    }
}

/// A user with a role.
public struct AdministratorSummary: Codable, Sendable, Equatable {
    public let user: UserSummary
    public let role: String
    public let since: Timestamp
    /// `user:ID`, `token:ID`, or `admin-token` for the token of the data directory; nil for the command line.
    public let grantedBy: String?

    init(_ administrator: Administrator, _ user: User) {
        self.user = UserSummary(user)
        role = administrator.role.rawValue
        since = Timestamp(administrator.createdAt)
        grantedBy = administrator.grantedBy
    }
}
