import CountersignCore
import SecurityChecks

/// Makes the server forget a client: its tokens are invalid, and the app has to register again.
public struct RemoveClient: AdministrationOperation {
    public static let name = "clients:remove"
    public static let right = AdministrationRight.changeClients

    /// What the list calls it, or its id.
    public var client: String

    public init(client: String) {
        self.client = client
    }

    public struct Answer: Codable, Sendable {
        public let client: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by actor: ClientContext
    ) async throws -> Answer {
        let reference = ClientReference(client)
        guard try await realm.clients.remove(reference, by: actor) else { throw AdministrationError.noClient(client) }
        return Answer(client: reference.text)
    }
}
