import CountersignCore

/// Makes new signing keys. The old ones sign nothing more and are accepted until their last token has expired. Of calls at the same time one
/// makes keys, and all answer with those.
public struct RotateKeys: AdministrationOperation {
    public static let name = "keys:rotate"
    public static let right = AdministrationRight.rotateKeys

    /// The ids of the keys that sign: where other ones do by then, nothing is changed. Any may where it is left out.
    public var expecting: [String]?

    public init(expecting: [String]? = nil) {
        self.expecting = expecting
    }

    public struct Answer: Codable, Sendable {
        /// The new ones.
        public let keys: [KeySummary]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let expected = expecting.map { Set($0) }
        let keys = try await realm.keyring.rotate(by: client) { signing in
            if let expected, expected != Set(signing.map(\.id)) { throw AdministrationError.changedMeanwhile }
        }
        return Answer(keys: keys.map(KeySummary.init))
    }
}
