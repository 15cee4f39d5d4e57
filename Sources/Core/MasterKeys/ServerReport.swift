import Foundation

/// What a running server says of itself, so that no master key is put in place that a server does not know.
public struct ServerReport: Sendable, Codable, Equatable {
    /// Drawn at the start.
    public let id: String
    /// For the operator: the machine and the process.
    public let name: String
    /// The master keys that it knows (``Sealer/MasterKey/id``).
    public var masterKeys: [String]
    /// Counts up with each report. An observer sees that the server is running, regardless of the machines' clocks.
    public var beat: Int
    /// When the report was put, by the server's own clock.
    public var at: Date

    /// A server that is about to report; ``ServerReports/put(_:)`` sets what changes.
    public init(id: String, name: String, masterKeys: [String] = [], beat: Int = 0, at: Date = .distantPast) {
        self.id = id
        self.name = name
        self.masterKeys = masterKeys
        self.beat = beat
        self.at = at
    }
}

/// The reports of all servers on one store: one document.
public struct ServerReports: Sendable {
    let realm: Realm

    /// Seconds between two reports of a server.
    public static let interval: TimeInterval = 15
    /// Seconds after which the report of a server that was killed is thrown away by the others.
    static let retention: TimeInterval = 86_400
    private static let document = "servers"

    /// The latest report of each server that lives, or was killed within the last day, by name.
    public func all() async throws -> [ServerReport] {
        try await realm.store.read { try Self.read($0) }.sorted { $0.name < $1.name }
    }

    /// Says that the server lives, and which keys it knows.
    public func put(_ report: inout ServerReport) async throws {
        report.beat += 1
        report.at = realm.clock.now
        report.masterKeys = realm.sealer.keys.all.map(\.id)
        let (fresh, now) = (report, realm.clock.now)
        try await realm.store.write { transaction in
            let others = try Self.read(transaction).filter { $0.id != fresh.id && $0.at > now - Self.retention }
            try transaction.putDocument(Self.document, JSONEncoder().encode(others + [fresh]))
        }
    }

    /// Takes reports back: of a server that ends, or of one that was seen to live no more.
    public func remove(_ ids: Set<String>) async throws {
        try await realm.store.write { transaction in
            let present = try Self.read(transaction)
            let others = present.filter { !ids.contains($0.id) }
            if others.count < present.count {
                try transaction.putDocument(Self.document, JSONEncoder().encode(others))
            }
        }
    }

    private static func read(_ transaction: any StoreTransaction) throws -> [ServerReport] {
        try transaction.document(document).map { try JSONDecoder().decode([ServerReport].self, from: $0) } ?? []
    }
}

extension Realm {
    /// Which servers run on this realm.
    public var serverReports: ServerReports { ServerReports(realm: self) }
}
