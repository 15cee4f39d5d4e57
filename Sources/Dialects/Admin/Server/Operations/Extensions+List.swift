import CountersignCore

/// Lists all custom authentication extensions, those that were added first come first.
public struct ListExtensions: AdministrationOperation {
    public static let name = "extensions:list"
    public static let right = AdministrationRight.readExtensions

    public init() {}

    public struct Answer: Codable, Sendable {
        public let extensions: [ExtensionSummary]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        Answer(extensions: try await realm.customExtensions.all().map { ExtensionSummary($0, for: permit) })
    }
}
