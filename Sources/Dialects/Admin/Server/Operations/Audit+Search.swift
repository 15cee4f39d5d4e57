import CountersignCore
import Foundation

/// Looks through the log, the newest events first.
public struct SearchAuditEvents: AdministrationOperation {
    public static let name = "audit:search"
    public static let right = AdministrationRight.readLog

    /// Id or address: only what happened to this user.
    public var user: String?
    /// Only events of these kinds: `sign-in.succeeded`, or `sign-in` for all that begin so. What is no kind is refused.
    public var kinds: [String]?
    /// Only what this application asked for; `console`, `admin-api` and `command-line` for administrators.
    public var application: String?
    /// Only what came from this address.
    public var source: String?
    /// Only events from then on, and before then: a time (``instant(of:)``), or the beginning of a day in UTC.
    public var since: String?
    public var until: String?
    /// Only events before the one of this id, the nearest to it: ``Answer/next`` of another page.
    public var before: String?
    /// Only events after the one of this id, the nearest to it: ``Answer/previous`` of another page.
    public var after: String?
    /// 1 to 1,000; 100 where it is left out.
    public var limit: Int?

    public init(
        user: String? = nil, kinds: [String]? = nil, application: String? = nil, source: String? = nil,
        since: String? = nil, until: String? = nil, before: String? = nil, after: String? = nil, limit: Int? = nil
    ) {
        self.user = user
        self.kinds = kinds
        self.application = application
        self.source = source
        self.since = since
        self.until = until
        self.before = before
        self.after = after
        self.limit = limit
    }

    public struct Answer: Codable, Sendable {
        /// The newest first.
        public let events: [AuditEntry]
        /// What to look back `after`; nil where no newer event is asked for.
        public let previous: String?
        /// What to look on `before`; nil where the log ends, or what was asked for does. A page can be short, or empty, and go on: one
        /// call looks through a bounded number of events.
        public let next: String?
    }

    /// Events that one call looks through.
    public static let mostEvents = 5000

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let limit = try PageLimit.judged(limit)
        let (oldest, end) = (try Self.instant(since, "since"), try Self.instant(until, "until"))
        for kind in kinds ?? [] { try EventKinds.require(kind) }
        guard after == nil || before == nil else { throw ListPlace.both }
        let place = before ?? after
        if let place, !AuditEvent.isID(place) { throw ListPlace.unknown }
        var id: UserID?
        if let user { id = try await permit.loggedUser(user, of: realm) }
        let page = try await realm.auditLog.search(
            of: id, ListRange(place, isBackwards: after != nil, limit: limit), from: oldest, until: end,
            most: Self.mostEvents, admits: admits)
        return Answer(
            events: page.rows.map(AuditEntry.init), previous: AuditLog.place(page.previous, atEnd: "0"),
            next: AuditLog.place(page.next, atEnd: "f"))
    }

    @Sendable
    private func admits(_ event: AuditEvent) -> Bool {
        if let kinds, !kinds.isEmpty {
            let kind = event.kind.rawValue
            guard kinds.contains(where: { $0 == kind || kind.hasPrefix($0 + ".") }) else { return false }
        }
        if let application, event.clientID?.rawValue != application { return false }
        if let source, event.source != source { return false }
        return true
    }

    /// The time that a text names: RFC 3339 (`2026-11-23T08:00:00+01:00`). Without a zone it is UTC, seconds may be left out, a blank may stand
    /// for the `T` (`2026-11-23 08:00`), and a day alone is its beginning. Nil where it names none.
    public static func instant(of text: String) -> Date? {
        if let time = Timestamp(rfc3339: text) { return time.date }
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        guard parts.count <= 2, text.utf8.count <= 32, let day = parts.first else { return nil }
        var clock = parts.count == 2 ? String(parts[1]) : "00:00:00Z"
        // `08:00`, of which RFC 3339 wants seconds and a zone.
        let bare = clock.hasSuffix("Z") ? String(clock.dropLast()) : clock
        if bare.allSatisfy({ $0.isNumber || $0 == ":" || $0 == "." }) {
            clock = bare + (bare.utf8.count == 5 ? ":00Z" : "Z")
        }
        return Timestamp(rfc3339: "\(day)T\(clock)")?.date
    }

    private static func instant(_ text: String?, _ name: String) throws -> Date? {
        guard let text else { return nil }
        if let found = instant(of: text) { return found }
        throw AdministrationError(
            .invalid,
            "\(name) is no time. Write one such as 2026-11-23T08:00, in UTC if it has no zone, or a day: 2026-11-23.")
    }
}

/// Shows one event of the log.
public struct ShowAuditEvent: AdministrationOperation {
    public static let name = "audit:show"
    public static let right = AdministrationRight.readLog

    public var id: String

    public init(id: String) {
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let event: AuditEntry
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let event = try await realm.auditLog.event(id) else {
            throw AdministrationError(.notFound, "There is no event of this id. Old events are removed from the log.")
        }
        return Answer(event: AuditEntry(event))
    }
}
