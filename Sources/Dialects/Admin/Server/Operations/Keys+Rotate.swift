import CountersignCore

/// Makes new signing keys. The old ones sign nothing more and are accepted until their last token has expired. Of calls at the same time one
/// makes keys, and all answer with those.
public struct RotateKeys: AdministrationOperation {
    public static let name = "keys:rotate"
    public static let right = AdministrationRight.rotateKeys

    public init() {}

    public struct Answer: Codable, Sendable {
        /// The new ones.
        public let keys: [KeySummary]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        Answer(keys: try await realm.keyring.rotate(by: client).map(KeySummary.init))
    }
}
