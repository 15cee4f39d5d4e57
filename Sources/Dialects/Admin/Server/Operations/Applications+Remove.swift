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
        guard let present = try await realm.applications.registered(ClientID(rawValue: id)) else {
            throw AdministrationError.noApplication(id)
        }
        try permit.requireChanging(present.registration)
        guard try await realm.applications.remove(ClientID(rawValue: id), by: client) else {
            throw AdministrationError.noApplication(id)
        }
        return Answer(id: id)
    }
}
