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
        /// For `expecting` of `extensions:add` in its place. Nil from a server of before, and for callers who may not change extensions: they
        /// could try which concealed constant makes it.
        public let revision: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let found = try await realm.customExtensions.extensionOf(id: id) else {
            throw AdministrationError.noExtension(id)
        }
        return Answer(
            extension: ExtensionSummary(found, for: permit),
            revision: permit.has(AddExtension.right) ? try RecordRevision.text(of: found) : nil)
    }
}
