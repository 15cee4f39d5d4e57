import CountersignCore

/// Lists the applications that a user has allowed something, also where no session goes on, and those that have something of a session.
public struct ListUserApplications: AdministrationOperation {
    public static let name = "users:applications"
    public static let right = AdministrationRight.readUsers

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        /// By name.
        public let applications: [UserApplication]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let user = try await permit.user(user, of: realm)
        return Answer(applications: try await realm.consents.applications(of: user).map(UserApplication.init))
    }
}

/// What one application has of a user.
public struct UserApplication: Codable, Sendable, Equatable {
    public let id: String
    /// Nil where it has none, or is registered no more.
    public let displayName: String?
    public let isRegistered: Bool
    /// Whether the user was asked and allowed it.
    public let isAllowed: Bool
    /// Of what was allowed and of what it has of sessions, together.
    public let scopes: [String]
    /// The APIs, in the same way.
    public let resources: [String]
    public let since: Timestamp
    /// Nil where it has nothing of a session that goes on.
    public let lastUsedAt: Timestamp?
    /// Whether ``RevokeUserApplication`` takes it back: what came by OAuth.
    public let isRevocable: Bool

    init(_ application: OwnApplication) {
        id = application.id.rawValue
        displayName = application.name
        isRegistered = application.registration != nil
        isAllowed = application.consent != nil
        scopes = application.scopes
        resources = application.resources
        since = Timestamp(application.since)
        lastUsedAt = application.lastUsedAt.map(Timestamp.init)
        isRevocable = application.isRevocable
    }
}

/// Takes back what a user allowed an application, and ends what it got by OAuth of the user's sessions. The application is told, where it
/// wants to know (OpenID Connect Back-Channel Logout 1.0), and asks the user anew.
public struct RevokeUserApplication: AdministrationOperation {
    public static let name = "users:revoke-application"
    public static let right = AdministrationRight.endSessions

    /// Id or address.
    public var user: String
    /// The application's id, also of one that is registered no more.
    public var application: String

    public init(user: String, application: String) {
        self.user = user
        self.application = application
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        public let application: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let user = try await permit.user(user, of: realm)
        guard try await realm.consents.revoke(ClientID(rawValue: application), of: user.id, by: client) else {
            throw AdministrationError(
                .notFound, "The user has allowed the application \(application.prefix(128)) nothing.")
        }
        return Answer(user: UserSummary(user), application: application)
    }
}
