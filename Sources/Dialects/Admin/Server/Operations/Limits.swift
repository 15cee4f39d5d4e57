import CountersignCore

/// Lists what is refused at the moment because of too many attempts.
public struct ListLimits: PagedOperation {
    public static let name = "limits:list"
    public static let right = AdministrationRight.readLimits

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
        public let limits: [LimitSummary]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// From where to look on; nil where all was seen. A page can be empty and go on: one call looks through a bounded number of
        /// counters.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let page = try await realm.standingLimits.list(range(limit: PageLimit.judged(limit)) { $0 })
        return Answer(
            limits: page.rows.map(LimitSummary.init), previous: place(page.previous) { $0 },
            next: place(page.next) { $0 })
    }
}

/// A limit that refuses at the moment.
public struct LimitSummary: Codable, Sendable, Equatable {
    /// What is limited: `factor`, `password`, `answers`. The words are stable.
    public let kind: String
    /// Whom or what it limits: the id of a factor, user or application, a source address, or the digest of an e-mail address. The address
    /// itself is not kept there; ``LiftLimit`` takes it, and a user's page shows the limits of the user's address.
    public let subject: String
    /// The user whom it limits, or whose factor.
    public let userID: String?
    /// From when on it admits again; nil: not before it is lifted.
    public let until: Timestamp?
    /// Attempts that count.
    public let count: Int

    init(_ limit: StandingLimit) {
        kind = limit.kind.rawValue
        subject = limit.subject
        userID = limit.user?.rawValue
        until = limit.until.map(Timestamp.init)
        count = limit.count
    }
}

/// Takes a limit away before its time: of a user with a role, by those alone who may give and take roles.
public struct LiftLimit: AdministrationOperation {
    public static let name = "limits:lift"
    public static let right = AdministrationRight.liftLimits

    /// As ``ListLimits`` names them.
    public var kind: String
    /// As ``ListLimits`` names it; of a limit that is counted under the digest of an address, also the address.
    public var subject: String

    public init(kind: String, subject: String) {
        self.kind = kind
        self.subject = subject
    }

    public struct Answer: Codable, Sendable {
        public let kind: String
        public let subject: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let known = StandingLimit.Kind(rawValue: kind) else {
            let words = StandingLimit.Kind.allCases.map(\.rawValue)
            let remedy =
                NearestName.of(kind, among: words).map { "Did you mean \($0)?" }
                ?? "There are \(words.joined(separator: ", "))."
            throw AdministrationError(.invalid, "There is no limit \"\(kind)\". \(remedy)")
        }
        var subject = subject
        if known.subject == .digest, subject.contains("@") {
            guard let address = EmailAddress(subject) else {
                throw AdministrationError(.invalid, "The address is no e-mail address.")
            }
            subject = try await realm.standingLimits.subject(known, of: address)
        }
        guard try await lift(known, of: subject, permit, on: realm, by: client) else {
            throw AdministrationError(.notFound, "Nothing is counted there.")
        }
        return Answer(kind: kind, subject: self.subject)
    }

    /// Who could lift the limits of an administrator again and again would guess without limit at that account.
    private func lift(
        _ kind: StandingLimit.Kind, of subject: String, _ permit: AdministrationPermit, on realm: Realm,
        by client: ClientContext
    ) async throws -> Bool {
        let limits = realm.standingLimits
        guard let user = try await limits.user(limitedBy: kind, of: subject) else {
            return try await limits.lift(kind, of: subject, by: client)
        }
        return try await permit.changing(user, of: realm) {
            try await limits.lift(kind, of: subject, by: client)
        }
    }
}
