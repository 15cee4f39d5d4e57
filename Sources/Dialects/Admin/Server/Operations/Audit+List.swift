import CountersignCore

/// Reads the log.
public struct ListAuditEvents: AdministrationOperation {
    public static let name = "audit:list"
    public static let right = AdministrationRight.readLog

    /// Id or address: only what happened to this user. The id of a removed user is good too, as the log outlives users.
    public var user: String?
    /// Only events after the one of this id, or after the time that its first 16 digits are.
    public var after: String?
    /// The newest so many: 1 to 1,000; 100 where it is left out.
    public var limit: Int?

    public init(user: String? = nil, after: String? = nil, limit: Int? = nil) {
        self.user = user
        self.after = after
        self.limit = limit
    }

    public struct Answer: Codable, Sendable {
        /// The oldest first.
        public let events: [AuditEntry]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let id = if let user { try await permit.loggedUser(user, of: realm) } else { UserID?.none }
        // The first 16 digits are a time, after which all that comes is asked for.
        if let after, !AuditEvent.isID(after), !AuditEvent.isID(after + "00000000") { throw ListPlace.unknown }
        let events = try await realm.auditLog.events(of: id, after: after, limit: PageLimit.judged(limit))
        return Answer(events: events.reversed().map(AuditEntry.init))
    }
}

/// One line of the log.
public struct AuditEntry: Codable, Sendable, Equatable {
    /// Sorts by time.
    public let id: String
    public let at: Timestamp
    /// What happened: `sign-in.succeeded`. The words are stable.
    public let kind: String
    public let userID: String?
    /// The application that asked; `command-line` and `admin-api` for administrators.
    public let clientID: String?
    public let dialect: String?
    /// The address that the request came from.
    public let source: String?
    /// Why it was refused.
    public let reason: String?
    public let details: [String: JSONValue]

    init(_ event: AuditEvent) {
        id = event.id
        at = Timestamp(event.at)
        kind = event.kind.rawValue
        userID = event.userID?.rawValue
        clientID = event.clientID?.rawValue
        dialect = event.dialect?.rawValue
        source = event.source
        reason = event.reason
        details = Self.details(of: event)
    }

    /// The log has the origins of services' addresses alone, as the rest may have secrets (`docs/decisions/0562`). Events of before have it.
    private static func details(of event: AuditEvent) -> [String: JSONValue] {
        var details = event.details
        guard event.kind.rawValue.hasPrefix("hook.") || event.kind.rawValue.hasPrefix("extension.") else {
            return details
        }
        if let url = details["url"]?.stringValue { details["url"] = .string(URLText.origin(of: url)) }
        for name in ["before", "after"] {
            guard case .object(var members)? = details[name] else { continue }
            for address in ["url", "targetURL"] where members[address] != nil { members[address] = .string("changed") }
            details[name] = .object(members)
        }
        return details
    }
}
