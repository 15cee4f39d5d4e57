import Foundation

/// How the store is, as one look found it.
public struct StoreHealth: Sendable, Equatable {
    /// False where the database is a standby or was made read-only.
    public var takesWrites: Bool
    /// Seconds that this server's clock is ahead of the database's, negative where it is behind; nil where the store has
    /// no clock of its own.
    public var clockSkew: TimeInterval?

    /// What a look found.
    public init(takesWrites: Bool, clockSkew: TimeInterval?) {
        self.takesWrites = takesWrites
        self.clockSkew = clockSkew
    }
}

extension Realm {
    /// Looks whether the store answers, takes writes, and is sealed with a key that is known here; and how far this server's
    /// clock is from the database's.
    /// - Throws: ``SealingError`` where the key is not known; ``StoreError`` where the store does not answer.
    public func storeHealth() async throws -> StoreHealth {
        let (keys, clock) = (sealer.keys, clock)
        return try await store.read { transaction in
            _ = try keys.current(in: transaction)
            // The first look may have to prepare the statement; the second takes as long as the way there and back.
            _ = try transaction.presentTime()
            let begin = clock.machineTime
            let time = try transaction.presentTime()
            let end = clock.machineTime
            let middle = begin + end.timeIntervalSince(begin) / 2
            return StoreHealth(
                takesWrites: try transaction.takesWrites(), clockSkew: time.map { middle.timeIntervalSince($0) })
        }
    }
}

extension WallClock {
    /// What the machine's own clock says, however far this one was moved from it.
    fileprivate var machineTime: Date { now - displacement }
}
