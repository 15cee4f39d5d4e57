import CountersignCore

/// Lists applications, ordered by id.
public struct ListApplications: AdministrationOperation {
    public static let name = "applications:list"
    public static let right = AdministrationRight.readApplications

    /// 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Only ids after this one.
    public var after: String?

    public init(limit: Int? = nil, after: String? = nil) {
        self.limit = limit
        self.after = after
    }

    public struct Answer: Codable, Sendable {
        public let applications: [ApplicationSummary]
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let limit = try PageLimit.judged(limit)
        let last = try ListPlace.key(after, in: Self.self).map(ClientID.init(rawValue:))
        let found = try await realm.applications.applications(after: last, limit: limit)
        let next = found.count < limit ? nil : found.last?.id.rawValue
        return Answer(
            applications: found.map(ApplicationSummary.init), next: ListPlace.text(next, in: Self.self))
    }
}
