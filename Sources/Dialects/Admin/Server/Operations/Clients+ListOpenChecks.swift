import CountersignCore
import SecurityChecks

/// Lists the open checks of all clients: those in success, those that are being tried, and those that block a client after wrong answers
/// (``UnblockClient``). They are in no order that means anything.
public struct ListOpenChecks: PagedOperation {
    public static let name = "clients:list-open-checks"
    public static let right = AdministrationRight.readClients

    /// 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?
    /// Where the page ends: ``Answer/previous`` of the page after.
    public var before: String?
    /// Of clients of this application alone.
    public var application: String?
    /// The check of this name alone.
    public var check: String?
    /// In this state alone: `attempting`, `success`, `blocked`, or a state of a check's own.
    public var state: String?

    public init(
        limit: Int? = nil, after: String? = nil, before: String? = nil, application: String? = nil,
        check: String? = nil, state: String? = nil
    ) {
        self.limit = limit
        self.after = after
        self.before = before
        self.application = application
        self.check = check
        self.state = state
    }

    public struct Answer: Codable, Sendable {
        /// Fewer than the limit, or none, where most did not fit or are over: the next page may have more.
        public let checks: [OpenCheckSummary]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let filter = OpenCheckFilter(application: application, check: check, state: state)
        let page = try await realm.clients.openChecks(
            range(limit: PageLimit.judged(limit)) { OpenCheckReference($0) }, filter: filter)
        return Answer(
            checks: page.rows.map(OpenCheckSummary.init), previous: place(page.previous, \.text),
            next: place(page.next, \.text))
    }
}

/// An open check, and the client that was in front of it last.
public struct OpenCheckSummary: Codable, Sendable, Equatable {
    public let client: ClientSummary
    public let check: CheckSummary

    init(_ listed: ListedCheck) {
        client = ClientSummary(listed.client)
        check = CheckSummary(listed.check)
    }
}
