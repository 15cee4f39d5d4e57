import Foundation

/// A run of an import, in several calls: so that the log has one event of it.
public struct ImportRun: Sendable, Hashable {
    /// 1 to 64 characters, which the caller has drawn.
    public let id: String
    /// Whether nothing more comes: the log says how many there were.
    public var isLast: Bool

    /// Names a run; nil where the id is empty or too long.
    public init?(id: String, isLast: Bool = false) {
        guard (1...64).contains(id.utf8.count) else { return nil }
        self.id = id
        self.isLast = isLast
    }
}

/// What imports and exports have done so far that take several calls: one document.
///
/// An import is counted here in the transactions that write it, and the log has the sum when it is over: when its last call
/// says so, or when it has been silent for a while, or after an hour in any case. An export is in the log before its first
/// page leaves; its further pages name it.
struct ImportExportRuns: Codable, Equatable {
    struct Import: Codable, Equatable {
        let id: String
        let startedAt: Date
        var at: Date
        var imported: Int
        var replaced: Int
        let clientID: ClientID
        let dialect: Dialect
        let source: String?
    }

    struct Export: Codable, Equatable {
        let id: String
        let startedAt: Date
    }

    /// Seconds of silence after which an import is taken for broken off.
    static let silence: TimeInterval = 600
    /// Seconds after which a run is over for the log, though it goes on.
    static let longest: TimeInterval = 3600
    /// Runs of each kind that are kept; beyond it, calls are in the log one by one.
    static let limit = 20
    private static let document = "moving-runs"

    private(set) var imports: [Import] = []
    private(set) var exports: [Export] = []

    static func read(_ transaction: any StoreTransaction) throws -> ImportExportRuns {
        try transaction.document(document).map { try JSONDecoder().decode(ImportExportRuns.self, from: $0) }
            ?? ImportExportRuns()
    }

    func put(in transaction: any StoreTransaction) throws {
        try transaction.putDocument(Self.document, JSONEncoder().encode(self))
    }

    // MARK: Imports

    /// Counts what a transaction has written; false where there is no room for another run.
    mutating func count(
        _ run: ImportRun, imported: Int, replaced: Int, by client: ClientContext, at now: Date
    ) -> Bool {
        if let index = imports.firstIndex(where: { $0.id == run.id }) {
            imports[index].imported += imported
            imports[index].replaced += replaced
            imports[index].at = now
            return true
        }
        if imported + replaced == 0 { return true }
        guard imports.count < Self.limit else { return false }
        imports.append(
            Import(
                id: run.id, startedAt: now, at: now, imported: imported, replaced: replaced,
                clientID: client.clientID, dialect: client.dialect, source: client.source))
        return true
    }

    /// Takes out the runs that are over.
    mutating func takeFinished(_ id: String?, at now: Date) -> [Import] {
        let isOver = { (run: Import) in
            run.id == id || now > run.at + Self.silence || now > run.startedAt + Self.longest
        }
        let finished = imports.filter(isOver)
        imports.removeAll(where: isOver)
        return finished
    }

    // MARK: Exports

    /// Whether the log has this export.
    func hasExport(_ id: String, at now: Date) -> Bool {
        exports.contains { $0.id == id && now <= $0.startedAt + Self.longest }
    }

    mutating func begin(export id: String, at now: Date) {
        exports.removeAll { now > $0.startedAt + Self.longest }
        // The oldest goes: its next page is in the log for itself.
        if exports.count >= Self.limit { exports.removeFirst() }
        exports.append(Export(id: id, startedAt: now))
    }
}

extension ImportExportRuns.Import {
    /// What the log says of it. No ids of users: the log would keep them when the users are deleted.
    func event(_ id: String, at now: Date) -> AuditEvent {
        AuditEvent(
            id: id, at: now, kind: .usersImported, userID: nil,
            context: ClientContext(clientID: clientID, dialect: dialect, limitedSource: nil, source: source),
            details: ["imported": .integer(Int64(imported)), "replaced": .integer(Int64(replaced))])
    }
}

extension StoreTransaction {
    /// Writes the events of imports that are over; answers how many.
    /// - Parameters:
    ///   - id: an import that is over as it says so.
    ///   - eventIDs: drawn beforehand; one for each of ``ImportExportRuns/limit``.
    func finishImports(_ id: String?, at now: Date, eventIDs: [String]) throws -> Int {
        var runs = try ImportExportRuns.read(self)
        let finished = runs.takeFinished(id, at: now)
        guard !finished.isEmpty else { return 0 }
        for (run, eventID) in zip(finished, eventIDs) { try append(run.event(eventID, at: now)) }
        try runs.put(in: self)
        return finished.count
    }
}

extension Realm {
    /// For ``StoreTransaction/finishImports(_:at:eventIDs:)``.
    func eventIDsOfImports(at now: Date) -> [String] {
        (0..<ImportExportRuns.limit).map { _ in AuditEvent.freshID(at: now, random: random) }
    }
}
