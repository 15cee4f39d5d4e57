import CountersignCore
import Foundation

/// Lists the applications whose secret of before ends soon by itself, the soonest first: their servers should have the new one by then.
public struct ListEndingSecrets: AdministrationOperation {
    public static let name = "applications:ending-secrets"
    public static let right = AdministrationRight.readApplications

    /// Applications that one answer names.
    public static let most = 50

    /// 1 to 365; 30 where it is left out.
    public var days: Int?

    /// Days where none are said.
    static let usual = 30

    public init(days: Int? = 30) {
        self.days = days
    }

    public struct Answer: Codable, Sendable {
        /// The first 50.
        public let applications: [ApplicationSummary]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let days = days ?? Self.usual
        guard (1...365).contains(days) else { throw AdministrationError(.invalid, "Name 1 to 365 days.") }
        let now = realm.clock.now
        let end = now + TimeInterval(days) * 86_400
        // A server of an earlier version changes a registration and leaves what the index says of it behind.
        let found = try await realm.applications.secretsEnding(before: end, limit: 2 * Self.most).filter {
            application in
            application.registration.oauth.formerSecretUntil.map { $0 > now && $0 < end } ?? false
        }
        return Answer(applications: try await realm.summaries(of: Array(found.prefix(Self.most)), for: permit))
    }
}
