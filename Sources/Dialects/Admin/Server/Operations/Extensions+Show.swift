import CountersignCore

/// Shows one custom authentication extension.
public struct ShowExtension: AdministrationOperation {
    public static let name = "extensions:show"
    public static let right = AdministrationRight.readExtensions

    public var id: String

    public init(id: String) {
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let `extension`: ExtensionSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let found = try await realm.customExtensions.extensionOf(id: id) else {
            throw AdministrationError.noExtension(id)
        }
        return Answer(extension: ExtensionSummary(found, for: permit))
    }
}
