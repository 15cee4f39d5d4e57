import CountersignCore
import SecurityChecks

/// Says whether a client's device is served. One that is not is refused everywhere, and its tokens are inactive; nothing
/// is lost.
public struct SetClientStatus: AdministrationOperation {
    public static let name = "clients:set-status"
    public static let right = AdministrationRight.changeClients

    /// What the list calls it, or its id.
    public var client: String
    /// `ACTIVE`, `LOST`, `STOLEN`, `EXPIRED` or `DISABLED`.
    public var status: String

    public init(client: String, status: String) {
        self.client = client
        self.status = status
    }

    public struct Answer: Codable, Sendable {
        public let client: ClientSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by actor: ClientContext
    ) async throws -> Answer {
        let reference = ClientReference(client)
        switch try await realm.clients.setStatus(try .judged(status), of: reference, by: actor) {
        case .registered(let registration):
            return Answer(client: ClientSummary(ListedClient(reference: reference, registration: registration)))
        case .refused: throw AdministrationError.noClient(client)
        }
    }
}
