import CountersignCore

/// Removes a custom authentication extension: its service is not asked any more.
public struct RemoveExtension: AdministrationOperation {
    public static let name = "extensions:remove"
    public static let right = AdministrationRight.changeExtensions

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
        guard try await realm.customExtensions.remove(id, by: client) else { throw AdministrationError.noExtension(id) }
        return Answer(id: id)
    }
}
