import Foundation

/// What one of several transactions did, which together do what may be too much for one.
struct WrittenPart<Done: Sendable>: Sendable {
    let done: Done
    /// Whether as much was done as one transaction may, so that there may be more.
    let isFull: Bool
}

extension Realm {
    /// Writes part by part, until one was not full.
    /// - Parameters:
    ///   - events: how many events a part writes into the log at most.
    ///   - part: writes one part in its own transaction, at that instant, with ids for its events.
    /// - Returns: what each part did.
    func writeParts<Done: Sendable>(
        events: Int, _ part: @escaping @Sendable (any StoreTransaction, Date, [String]) throws -> WrittenPart<Done>
    ) async throws -> [Done] {
        var all: [Done] = []
        while true {
            let now = clock.now
            let eventIDs = (0..<events).map { _ in AuditEvent.freshID(at: now, random: random) }
            let written = try await store.write { try part($0, now, eventIDs) }
            all.append(written.done)
            if !written.isFull { return all }
        }
    }
}
