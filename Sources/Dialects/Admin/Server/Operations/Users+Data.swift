import CountersignCore
import Foundation

/// Everything that the server keeps about one person, to be handed to that person (GDPR, articles 15 and 20), without
/// secrets. The log says that it was handed out.
public struct ShowUserData: AdministrationOperation {
    public static let name = "users:data"
    public static let right = AdministrationRight.readUsers

    /// Id or address.
    public var user: String
    /// Only the part of the log before this event: ``Answer/earlierThan`` of the answer before. Then nothing but that
    /// part is answered.
    public var logBefore: String?

    public init(user: String, logBefore: String? = nil) {
        self.user = user
        self.logBefore = logBefore
    }

    public struct Answer: Codable, Sendable {
        /// Nil where only more of the log was asked for.
        public let data: UserData?
        /// The newest first.
        public let log: [AuditEntry]
        /// Where the log goes on; nil at its end.
        public let earlierThan: String?
    }

    static let logPage = 1000

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let id = try await permit.user(user, of: realm).id
        var data: UserData?
        if logBefore == nil {
            guard let found = try await realm.accounts.personalData(id, by: client) else {
                throw AdministrationError.noUser(user)
            }
            data = UserData(found, logDays: try await realm.settings().audit.retentionDays)
        }
        let events = try await realm.auditLog.events(of: id, before: logBefore, limit: Self.logPage)
        return Answer(
            data: data, log: events.map(AuditEntry.init),
            earlierThan: events.count < Self.logPage ? nil : events.last?.id)
    }
}
