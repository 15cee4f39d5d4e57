import CountersignCore
import SecurityChecks

/// Lists clients of security checks, in no order that means anything.
public struct ListClients: PagedOperation {
    public static let name = "clients:list"
    public static let right = AdministrationRight.readClients

    /// 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?
    /// Where the page ends: ``Answer/previous`` of the page after.
    public var before: String?
    /// Of this application alone.
    public var application: String?
    /// Where this user logged in last, by id.
    public var user: String?
    /// With this status alone.
    public var status: String?

    public init(
        limit: Int? = nil, after: String? = nil, before: String? = nil, application: String? = nil,
        user: String? = nil, status: String? = nil
    ) {
        self.limit = limit
        self.after = after
        self.before = before
        self.application = application
        self.user = user
        self.status = status
    }

    public struct Answer: Codable, Sendable {
        /// Fewer than the limit, or none, where most did not fit: the next page may have more.
        public let clients: [ClientSummary]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let filter = ClientFilter(
            application: application, user: user, status: try status.map(ClientRegistration.Status.judged))
        let page = try await realm.clients.list(
            range(limit: PageLimit.judged(limit)) { ClientReference($0) }, filter: filter)
        return Answer(
            clients: page.rows.map(ClientSummary.init), previous: place(page.previous, \.text),
            next: place(page.next, \.text))
    }
}

extension ClientRegistration.Status {
    /// - Throws: ``AdministrationError`` of code `invalid`.
    static func judged(_ text: String) throws -> Self {
        guard let status = Self(rawValue: text.uppercased()) else {
            throw AdministrationError(
                .invalid,
                "\"\(text)\" is no status. There are \(allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return status
    }
}
