import CountersignCore

/// Removes an application: its client id opens nothing any more. Users stay.
public struct RemoveApplication: AdministrationOperation {
    public static let name = "applications:remove"
    public static let right = AdministrationRight.changeApplications

    public var id: String

    public init(id: String) {
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let id: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let isRemoved = try await realm.applications.remove(ClientID(rawValue: id), by: client) {
            try permit.requireChanging($0)
        }
        guard isRemoved else { throw AdministrationError.noApplication(id) }
        return Answer(id: id)
    }
}
