import CountersignCore
import SecurityChecks

/// Shows a client of security checks.
public struct ShowClient: AdministrationOperation {
    public static let name = "clients:show"
    public static let right = AdministrationRight.readClients

    /// What the list calls it, or its id.
    public var client: String

    public init(client: String) {
        self.client = client
    }

    public struct Answer: Codable, Sendable {
        public let client: ClientSummary
        /// What it may read of itself.
        public let publicAttributes: [String: JSONValue]
        /// What else checks keep with it; their values are theirs.
        public let protectedAttributes: [String]
        /// The open checks that the application names; nil from a server of an earlier version.
        public let checks: [CheckSummary]?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by actor: ClientContext
    ) async throws -> Answer {
        let reference = ClientReference(client)
        guard let listed = try await realm.clients.listed(reference) else {
            throw AdministrationError.noClient(client)
        }
        let context = listed.registration.context
        return Answer(
            client: ClientSummary(listed), publicAttributes: context.publicAttributes,
            protectedAttributes: context.protectedAttributes.keys.sorted(),
            checks: try await realm.clients.openChecks(of: reference)?.map(CheckSummary.init))
    }
}
