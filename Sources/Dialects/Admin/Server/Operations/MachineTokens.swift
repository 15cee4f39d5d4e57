import CountersignCore
import Foundation

/// Makes a bearer token for a program, with some rights and an end. Its scopes open nothing that its maker may not do.
public struct AddMachineToken: AdministrationOperation {
    public static let name = "tokens:add"
    public static let right = AdministrationRight.changeAdministrators

    /// What people call the token; up to 100 characters.
    public var label: String?
    /// `users:read`, …; `*` for everything.
    public var scopes: [String]
    /// Seconds that the token lives: 60 to 315,619,200 (ten years).
    public var lifetime: Int

    public init(label: String? = nil, scopes: [String], lifetime: Int) {
        self.label = label
        self.scopes = scopes
        self.lifetime = lifetime
    }

    public struct Answer: Codable, Sendable {
        public let token: MachineTokenSummary
        /// The token itself; it is nowhere else.
        public let secret: SecretText
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let words = AdministrationRight.allCases.map(\.rawValue)
        guard !scopes.isEmpty else {
            throw AdministrationError(
                .invalid, "The token needs scopes: * for everything, or some of \(words.joined(separator: ", ")).")
        }
        let judged = try scopes.map { word in
            guard let scope = AdministrationScope(word) else {
                let remedy =
                    NearestName.of(word, among: words).map { "Did you mean \($0)?" }
                    ?? "There are * and \(words.joined(separator: ", "))."
                throw AdministrationError(.invalid, "\"\(word.prefix(60))\" is no scope. \(remedy)")
            }
            return scope
        }
        guard MachineTokens.lifetimes.contains(TimeInterval(lifetime)) else {
            throw AdministrationError(.invalid, "The lifetime \(lifetime) is out of range: a minute to ten years.")
        }
        try AdministrationError.check(label: label)
        try permit.requireGiving(judged.reduce(into: []) { $0.formUnion($1.rights) })
        let added = try await realm.machineTokens.add(
            name: PlainText.key(label ?? ""), scopes: Set(judged), lifetime: TimeInterval(lifetime), by: client)
        let made: (token: MachineToken, text: Secret<String>)
        switch added {
        case .success(let token): made = token
        case .failure(.ended): throw AdministrationError.unauthorized
        case .failure(.full):
            throw AdministrationError(
                .refused, "There are \(MachineTokens.most) tokens, which is the most. Revoke those that have expired.")
        }
        return Answer(
            token: MachineTokenSummary(made.token, .open, at: realm.clock.now), secret: SecretText(made.text.reveal()))
    }
}

/// Lists the tokens of machines, without what is secret of them. Of the administrator's token of the data directory, which is the first of them
/// and has no row, it tells the last use.
public struct ListMachineTokens: PagedOperation {
    public static let name = "tokens:list"
    public static let right = AdministrationRight.readAdministrators

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
        /// Ordered by id.
        public let tokens: [MachineTokenSummary]
        /// When the token of the data directory was last used, to the hour; nil where that is not known.
        public let adminTokenLastUsedAt: Timestamp?
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let now = realm.clock.now
        let page = try await realm.machineTokens.list(range(limit: PageLimit.judged(limit)) { $0 })
        return Answer(
            tokens: page.rows.map { MachineTokenSummary($0.token, $0.standing, at: now) },
            adminTokenLastUsedAt: try await realm.administratorToken.lastUse().map(Timestamp.init),
            previous: place(page.previous) { $0 }, next: place(page.next) { $0 })
    }
}

/// Ends a machine's token: it opens nothing from its next request on.
public struct RevokeMachineToken: AdministrationOperation {
    public static let name = "tokens:revoke"
    public static let right = AdministrationRight.changeAdministrators

    /// The token's id, as the list has it.
    public var id: String

    public init(id: String) {
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let token: MachineTokenSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let token = try await realm.machineTokens.revoke(id, by: client) else {
            throw AdministrationError(
                .notFound, "There is no token \(id.prefix(80)). `countersign admin token list` shows all of them.")
        }
        return Answer(token: MachineTokenSummary(token, nil, at: realm.clock.now))
    }
}

/// A machine's token in lists.
public struct MachineTokenSummary: Codable, Sendable, Equatable {
    public let id: String
    public let label: String
    public let scopes: [String]
    public let createdAt: Timestamp
    /// Who answers for it: `user:ID`, `token:ID`, or `admin-token` for the token of the data directory; nil for the command line. A user answers
    /// for what was made with a token of theirs, too.
    public let createdBy: String?
    public let expiresAt: Timestamp
    public let hasExpired: Bool
    /// `open`; `limited`: the user who answers for it may do less than the scopes say; `dormant`: that user has no role any more, is disabled or
    /// was removed, and it opens nothing; `expired`. Nil where the token was revoked, and from a server of before.
    public let standing: String?
    /// To the hour.
    public let lastUsedAt: Timestamp?

    init(_ token: MachineToken, _ standing: MachineToken.Standing?, at now: Date) {
        id = token.id
        label = token.name
        scopes = token.scopes.map(\.description).sorted()
        createdAt = Timestamp(token.createdAt)
        createdBy = token.createdBy
        expiresAt = Timestamp(token.expiresAt)
        hasExpired = token.expiresAt <= now
        self.standing = standing?.rawValue
        lastUsedAt = token.lastUsedAt.map(Timestamp.init)
    }
}
