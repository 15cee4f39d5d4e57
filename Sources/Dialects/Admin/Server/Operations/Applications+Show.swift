import CountersignCore

/// Shows one application.
public struct ShowApplication: AdministrationOperation {
    public static let name = "applications:show"
    public static let right = AdministrationRight.readApplications

    public var id: String

    public init(id: String) {
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let application: ApplicationSummary
        /// For `expecting` of `applications:set`. Nil from a server of before, and for callers who may not change applications: they could
        /// try which concealed setting makes it.
        public let revision: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let found = try await realm.applications.registered(ClientID(rawValue: id)) else {
            throw AdministrationError.noApplication(id)
        }
        return Answer(
            application: try await realm.summary(of: found, for: permit),
            revision: permit.has(ChangeApplication.right) ? try found.registration.revision : nil)
    }
}
