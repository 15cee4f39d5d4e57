import CountersignCore

/// Lists the signing keys, the oldest first.
public struct ListKeys: AdministrationOperation {
    public static let name = "keys:list"
    public static let right = AdministrationRight.readKeys

    public init() {}

    public struct Answer: Codable, Sendable {
        public let keys: [KeySummary]
        /// What is signed with which algorithm, by protocol.
        public let uses: [KeyUse]
        /// The key under which secrets are sealed in the database.
        public let masterKey: MasterKeySummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let (keys, tokens) = try await realm.store.read { (try $0.signingKeys(), try $0.settings().tokens) }
        let masterKey = realm.masterKeyReplacement
        let present = try await masterKey.current()
        let reports = try await realm.serverReports.all()
        return Answer(
            // One that left the JWKS is only waiting to be removed.
            keys: keys.filter { $0.removedAfter.map { $0 > realm.clock.now } ?? true }.map(KeySummary.init),
            uses: Dialect.signing.map { KeyUse(dialect: $0.rawValue, algorithm: tokens.algorithm(for: $0).rawValue) },
            masterKey: MasterKeySummary(
                id: present.id, since: try await masterKey.since(present).map(Timestamp.init),
                servers: reports.map {
                    MasterKeySummary.Server(
                        name: $0.name, knowsIt: $0.masterKeys.contains(present.id), seenAt: Timestamp($0.at))
                }))
    }
}

/// What tokens of a protocol are signed with, where an application's registration says nothing else.
public struct KeyUse: Codable, Sendable, Equatable {
    /// `oauth`, `identity-toolkit`, `guardian`, `native-auth`, `security-checks`.
    public let dialect: String
    public let algorithm: String
}

/// The master key that seals now. The key itself is in no database.
public struct MasterKeySummary: Codable, Sendable, Equatable {
    public struct Server: Codable, Sendable, Equatable {
        /// The machine and the process.
        public let name: String
        public let knowsIt: Bool
        public let seenAt: Timestamp
    }

    /// Digits that name it and tell nothing of it.
    public let id: String
    /// It seals since then at least: databases of earlier versions do not say since when. Nil where no server has looked yet.
    public let since: Timestamp?
    /// Servers that reported in the last day.
    public let servers: [Server]
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
