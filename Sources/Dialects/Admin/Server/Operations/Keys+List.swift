import CountersignCore

/// Lists the signing keys, the oldest first.
public struct ListKeys: AdministrationOperation {
    public static let name = "keys:list"
    public static let right = AdministrationRight.readKeys

    public init() {}

    public struct Answer: Codable, Sendable {
        public let keys: [KeySummary]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        Answer(keys: try await realm.store.read { try $0.signingKeys() }.map(KeySummary.init))
    }
}

/// A signing key without its private half.
public struct KeySummary: Codable, Sendable, Equatable {
    /// The `kid`.
    public let id: String
    public let algorithm: String
    /// Whether it signs.
    public let isActive: Bool
    public let createdAt: Timestamp
    public let retiredAt: Timestamp?
    /// When it leaves the JWKS.
    public let removedAfter: Timestamp?

    init(_ key: SigningKeyRecord) {
        id = key.id
        algorithm = key.algorithm.rawValue
        isActive = key.retiredAt == nil
        createdAt = Timestamp(key.createdAt)
        retiredAt = key.retiredAt.map(Timestamp.init)
        removedAfter = key.removedAfter.map(Timestamp.init)
    }
}
