import CountersignCore

/// Shows what the server that started last was started with, and where each value came from. Secrets are not among the values.
public struct ShowStart: AdministrationOperation {
    public static let name = "settings:start"
    public static let right = AdministrationRight.readSettings

    public init() {}

    public struct Answer: Codable, Sendable {
        /// Every key of the configuration; empty where no server has started yet.
        public let values: [Deployment.Value]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        Answer(values: try await realm.deployment()?.values ?? [])
    }
}
