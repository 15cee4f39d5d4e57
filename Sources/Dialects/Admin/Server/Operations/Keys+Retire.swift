import CountersignCore

/// Takes a signing key out of use at once, as one that may be in other hands: no token that it signed counts any more. Where it signs, a
/// fresh one of its algorithm takes its place.
public struct RetireKey: AdministrationOperation {
    public static let name = "keys:retire"
    public static let right = AdministrationRight.rotateKeys

    /// The `kid`.
    public var id: String

    public init(id: String) {
        self.id = id
    }

    public struct Answer: Codable, Sendable {
        public let retired: KeySummary
        /// What signs in its place; nil where it was replaced before.
        public let successor: KeySummary?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let (retired, successor) = try await realm.keyring.retire(id, by: client) else {
            throw AdministrationError(
                .notFound, "There is no signing key \(id.prefix(60)). `countersign key list` shows all of them.")
        }
        return Answer(retired: KeySummary(retired), successor: successor.map(KeySummary.init))
    }
}
