import Foundation

/// Removes what is no longer needed, a little at a time, so that no other write waits for it.
public struct Maintenance: Sendable {
    let realm: Realm

    /// Rows that one transaction removes at most.
    static let batch = 500
    /// Seconds that a counter is kept after its last start, when it blocks nothing.
    static let counterIdle: TimeInterval = 2 * 86_400
    /// Seconds that a message is kept; its links and codes are long dead by then.
    static let messageAge: TimeInterval = 7 * 86_400
    /// Seconds that a push is kept: as long as its device may ask for it, and then some.
    static let pushAge: TimeInterval = FlowLifetime.approval + 60

    /// One round. Answers how many rows went.
    @discardableResult
    public func run() async throws -> Int {
        let now = realm.clock.now
        let keepsDelivered = realm.mode.keepsDeliveredMessages
        var removed = 0
        let eventIDs = realm.eventIDsOfImports(at: now)
        let steps: [@Sendable (any StoreTransaction) throws -> Int] = [
            { try $0.deleteFlows(expiredBefore: now - FlowLifetime.remembered, limit: Self.batch) },
            // A code that is over is as unknown as a made-up one.
            { try $0.deleteAuthorizationCodes(expiredBefore: now, limit: Self.batch) },
            { try $0.deleteUsedTokens(expiredBefore: now - UsedToken.kept, limit: Self.batch) },
            { try $0.deleteSessions(expiredBefore: now, limit: Self.batch) },
            { try $0.deleteGrants(expiredBefore: now, limit: Self.batch) },
            { try $0.deleteCounters(idleBefore: now - Self.counterIdle, limit: Self.batch) },
            { try $0.deleteOutboxMessages(createdBefore: now - Self.messageAge, limit: Self.batch) },
            { transaction in
                keepsDelivered
                    ? 0
                    : try transaction.deleteOutboxMessages(
                        by: .push, createdBefore: now - Self.pushAge, limit: Self.batch)
            },
            { transaction in
                // What is sealed goes with the whole of its range.
                guard let first = try transaction.auditSeals(after: 0, limit: 1).first, first.isPruned else { return 0 }
                return try transaction.deleteAuditRows(
                    through: first.through, sealedBy: first.number, limit: Self.batch)
            },
            { transaction in
                let age = try transaction.settings().audit.retention
                let sealed = try transaction.lastAuditSeal()?.through ?? ""
                return try transaction.deleteAuditEvents(before: now - age, after: sealed, limit: Self.batch)
            },
            { transaction in
                // Says what a broken-off import has done. Nothing is removed.
                _ = try transaction.finishImports(nil, at: now, eventIDs: eventIDs)
                return 0
            },
            { transaction in
                let gone = try transaction.signingKeys().filter { $0.removedAfter.map { $0 <= now } ?? false }
                for id in gone.map(\.id).sorted() { _ = try transaction.deleteSigningKey(id) }
                return gone.count
            },
        ]
        // What could not be written now is written the next time, and keeps nothing from being removed but registrations.
        var failure: (any Error)?
        do {
            try await realm.applicationUses.flush()
            try await realm.administratorToken.flushUse()
        } catch {
            failure = error
        }
        // Rows of an earlier program: searches find them by name from then on.
        while try await realm.store.write({ try $0.fillNameKeys(limit: Self.batch) }) >= Self.batch {}
        let retention = try await realm.settings().audit.retention
        while try await realm.auditSeals.prune(before: now - retention) {}
        let records = ClientRecord.Kind.allCases.map { kind -> @Sendable (any StoreTransaction) throws -> Int in
            { try $0.deleteClientRecords(kind, expiredBefore: now - FlowLifetime.remembered, limit: Self.batch) }
        }
        for step in steps + records {
            var count = Self.batch
            while count >= Self.batch {
                count = try await realm.store.write(step)
                removed += count
            }
        }
        while failure == nil {
            let count = try await realm.registrations.removeUnused(limit: Self.batch)
            removed += count
            if count < Self.batch { break }
        }
        removed += try await realm.accounts.deleteDue()
        do {
            try await realm.auditSeals.seal()
            try await realm.auditSeals.check()
        } catch { failure = failure ?? error }
        // Last: nothing waits for a number that is shown.
        do { try await realm.accounts.tally() } catch { failure = failure ?? error }
        if let failure { throw failure }
        return removed
    }
}
