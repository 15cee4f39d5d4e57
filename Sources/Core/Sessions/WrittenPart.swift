import Crypto
import Foundation

/// What one of several transactions did, which together do what may be too much for one.
struct WrittenPart<Done: Sendable>: Sendable {
    let done: Done
    /// Whether as much was done as one transaction may, so that there may be more.
    let isFull: Bool
}

extension Realm {
    /// Writes part by part, until one was not full.
    /// - Parameter part: writes one part in its own transaction, at that instant, with ids for its events.
    /// - Returns: what each part did.
    func writeParts<Done: Sendable>(
        _ part: @escaping @Sendable (any StoreTransaction, Date, EventIDs) throws -> WrittenPart<Done>
    ) async throws -> [Done] {
        var all: [Done] = []
        while true {
            let now = clock.now
            let eventIDs = EventIDs(at: now, random: random)
            let written = try await store.write { try part($0, now, eventIDs) }
            all.append(written.done)
            if !written.isFull { return all }
        }
    }
}

/// Ids for as many events of one instant as a transaction turns out to write: each is made when it is asked for, and is the same where the
/// transaction runs again.
struct EventIDs: Sendable {
    private let prefix: String
    private let seed: Data

    /// Drawn before the transaction.
    init(at now: Date, random: any RandomSource) {
        prefix = AuditEvent.idPrefix(at: now)
        seed = Data(random.bytes(16))
    }

    /// - Parameter index: which event of the transaction it is of.
    subscript(index: Int) -> String {
        var hash = SHA256()
        hash.update(data: seed)
        withUnsafeBytes(of: UInt64(index).bigEndian) { hash.update(bufferPointer: $0) }
        return prefix + hash.finalize().data.prefix(4).hex
    }
}
