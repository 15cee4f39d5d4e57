import CountersignCore
import Foundation

/// Makes an initial access token, with which applications register themselves, so often and until then (RFC 7591, section 3).
public struct AddRegistrationToken: AdministrationOperation {
    public static let name = "registration-tokens:add"
    public static let right = AdministrationRight.changeApplications

    /// What people call the token; up to 100 characters.
    public var label: String?
    /// Seconds that the token lives: 60 to 31,622,400 (366 days).
    public var lifetime: Int
    /// How many applications it registers: 1 to 10,000; nil for as many as come.
    public var count: Int?
    /// What they may be registered for beside a user's sign-in by redirect: `client_credentials`,
    /// `urn:ietf:params:oauth:grant-type:device_code`.
    public var grantTypes: [String]?
    /// The APIs that they may ask for.
    public var resources: [String]?
    /// Which scopes of these APIs; nil for all of them.
    public var scopes: [String]?

    public init(
        label: String? = nil, lifetime: Int, count: Int? = nil, grantTypes: [String]? = nil,
        resources: [String]? = nil, scopes: [String]? = nil
    ) {
        self.label = label
        self.lifetime = lifetime
        self.count = count
        self.grantTypes = grantTypes
        self.resources = resources
        self.scopes = scopes
    }

    public struct Answer: Codable, Sendable {
        public let token: RegistrationTokenSummary
        /// The token itself; it is nowhere else.
        public let secret: SecretText
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard RegistrationTokens.lifetimes.contains(TimeInterval(lifetime)) else {
            throw AdministrationError(.invalid, "The lifetime \(lifetime) is out of range: a minute to 366 days.")
        }
        if let count, !RegistrationTokens.counts.contains(count) {
            throw AdministrationError(.invalid, "A token registers 1 to 10000 applications.")
        }
        try AdministrationError.check(label: label)
        for type in grantTypes ?? [] where !RegistrationAllowance.furtherGrantTypes.contains(type) {
            throw AdministrationError(
                .invalid,
                "\"\(type.prefix(80))\" is nothing that a token allows. There are "
                    + "\(RegistrationAllowance.furtherGrantTypes.joined(separator: ", ")).")
        }
        let known = try await realm.resources.list()
        for uri in resources ?? [] where !known.contains(where: { $0.uri == uri }) {
            throw AdministrationError.noResource(uri)
        }
        let named = known.filter { (resources ?? []).contains($0.uri) }.flatMap { $0.scopes.map(\.name) }
        for scope in scopes ?? [] where !named.contains(scope) {
            throw AdministrationError(.invalid, "\"\(scope.prefix(80))\" is no scope of the APIs that are named.")
        }
        let made = try await realm.registrationTokens.add(
            name: PlainText.key(label ?? ""), lifetime: TimeInterval(lifetime), count: count,
            allowance: RegistrationAllowance(grantTypes: grantTypes ?? [], resources: resources ?? [], scopes: scopes),
            by: client)
        guard let made else {
            throw AdministrationError(
                .refused,
                "There are \(RegistrationTokens.most) tokens, which is the most. Remove those that are not needed.")
        }
        return Answer(
            token: RegistrationTokenSummary(made.token, at: realm.clock.now), secret: SecretText(made.text.reveal()))
    }
}

/// Lists the initial access tokens, without what is secret of them.
public struct ListRegistrationTokens: PagedOperation {
    public static let name = "registration-tokens:list"
    public static let right = AdministrationRight.readApplications

    /// 1 to 1,000; 100 where nothing is said.
    public var limit: Int?
    /// Where the page begins: the `next` of the page before.
    public var after: String?
    /// Where the page ends: the `previous` of the page after.
    public var before: String?

    public init(limit: Int? = nil, after: String? = nil, before: String? = nil) {
        self.limit = limit
        self.after = after
        self.before = before
    }

    public struct Answer: Codable, Sendable {
        /// In the order in which they were made.
        public let tokens: [RegistrationTokenSummary]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let now = realm.clock.now
        let page = try await realm.registrationTokens.list(range(limit: PageLimit.judged(limit)) { CreationPlace($0) })
        return Answer(
            tokens: page.rows.map { RegistrationTokenSummary($0, at: now) }, previous: place(page.previous, \.text),
            next: place(page.next, \.text))
    }
}

/// Ends an initial access token: it registers nothing any more. What it registered stays.
public struct RemoveRegistrationToken: AdministrationOperation {
    public static let name = "registration-tokens:remove"
    public static let right = AdministrationRight.changeApplications

    /// The token's id, as the list has it.
    public var id: String

    public init(id: String) {
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let token: RegistrationTokenSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let token = try await realm.registrationTokens.remove(id, by: client) else {
            throw AdministrationError(
                .notFound,
                "There is no registration token \(id.prefix(80)). `countersign app registration-token list` shows all of them."
            )
        }
        return Answer(token: RegistrationTokenSummary(token, at: realm.clock.now))
    }
}

/// An initial access token in lists.
public struct RegistrationTokenSummary: Codable, Sendable, Equatable {
    public let id: String
    public let label: String
    public let createdAt: Timestamp
    /// `user:ID`, `token:ID`, or `admin-token` for the token of the data directory; nil for the command line.
    public let createdBy: String?
    public let expiresAt: Timestamp
    /// How many applications it still registers; nil where only its end bounds it.
    public let remaining: Int?
    /// How many it has registered.
    public let used: Int
    public let lastUsedAt: Timestamp?
    /// Whether it registers an application now.
    public let isOpen: Bool
    public let grantTypes: [String]
    public let resources: [String]
    /// Which scopes of the APIs; nil for all of them.
    public let scopes: [String]?

    init(_ token: RegistrationToken, at now: Date) {
        id = token.id
        label = token.name
        createdAt = Timestamp(token.createdAt)
        createdBy = token.createdBy
        expiresAt = Timestamp(token.expiresAt)
        remaining = token.remaining
        used = token.used
        lastUsedAt = token.lastUsedAt.map(Timestamp.init)
        isOpen = token.isOpen(at: now)
        grantTypes = token.allowance.grantTypes
        resources = token.allowance.resources
        scopes = token.allowance.scopes
    }
}

/// Lists applications that registered themselves, the newest first.
public struct ListRegistrations: PagedOperation {
    public static let name = "registrations:list"
    public static let right = AdministrationRight.readApplications

    /// 1 to 200; 50 where it is left out.
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
        public struct Registration: Codable, Sendable {
            public let application: ApplicationSummary
            /// When it was last used, to the hour.
            public let lastUsedAt: Timestamp?
        }

        public let registrations: [Registration]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let limit = limit ?? 50
        guard (1...200).contains(limit) else { throw AdministrationError(.invalid, "limit is 1 to 200.") }
        let page = try await realm.registrations.list(range(limit: limit) { RegistrationPlace($0) })
        let summaries = try await realm.summaries(of: page.rows, for: permit)
        return Answer(
            registrations: summaries.map { Answer.Registration(application: $0, lastUsedAt: $0.lastUsedAt) },
            previous: place(page.previous, \.text), next: place(page.next, \.text))
    }
}

/// Vouches for an application that registered itself, or takes that back. Pages say no more that it was not checked; its users are asked as
/// before.
public struct ApproveRegistration: AdministrationOperation {
    public static let name = "registrations:approve"
    public static let right = AdministrationRight.changeApplications

    public var id: String
    /// False takes it back; left out is true.
    public var isApproved: Bool?

    public init(id: String, isApproved: Bool? = nil) {
        self.id = id
        self.isApproved = isApproved
    }

    public struct Answer: Codable, Sendable {
        public let application: ApplicationSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let outcome = try await realm.registrations.approve(
            ClientID(rawValue: id), isApproved ?? true, by: client)
        guard let outcome else { throw AdministrationError.noApplication(id) }
        guard outcome.isSelfRegistered else {
            throw AdministrationError(
                .conflict, "\(id.prefix(128)) did not register itself: an administrator vouches for it already.")
        }
        return Answer(application: try await realm.summary(of: outcome.application, for: permit))
    }
}
