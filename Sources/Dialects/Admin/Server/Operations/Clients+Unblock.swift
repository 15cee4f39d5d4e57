import CountersignCore
import SecurityChecks

/// Lets a client answer a check again that has blocked it after wrong answers.
///
/// What the wrong answers have cost a person, from whatever client, is a limit of its own (`limits:lift`).
public struct UnblockClient: AdministrationOperation {
    public static let name = "clients:unblock"
    public static let right = AdministrationRight.changeClients

    /// What the list calls it, or its id.
    public var client: String
    /// The name of the check.
    public var check: String

    public init(client: String, check: String) {
        self.client = client
        self.check = check
    }

    public struct Answer: Codable, Sendable {
        public let client: String
        public let check: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by actor: ClientContext
    ) async throws -> Answer {
        let reference = ClientReference(client)
        switch try await realm.clients.unblock(check, of: reference, by: actor) {
        case .unblocked: return Answer(client: reference.text, check: check)
        case .unknownClient: throw AdministrationError.noClient(client)
        case .notBlocked:
            throw AdministrationError(
                .refused, "The check \(check.prefix(128)) does not block this client. It may be a limit of the user.")
        }
    }
}
