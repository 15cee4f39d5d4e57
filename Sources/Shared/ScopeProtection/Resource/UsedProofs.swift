import Foundation
import Synchronization

/// Remembers proofs of possession, so that each counts once (RFC 9449, section 11.1).
///
/// ``UsedProofsInMemory`` is for one server. Servers that share an address share a table: a unique key over thumbprint and id, and a
/// row that may go when its time is over.
public protocol UsedProofs: Sendable {
    /// Whether this is the first time that the proof is shown; it is remembered then.
    /// - Parameters:
    ///   - id: `jti`, at most 256 bytes.
    ///   - keyThumbprint: of the key that made it; two keys may use the same id.
    ///   - instant: when it is too old to count anyhow.
    /// - Throws: where that cannot be said; the request is then refused with 503.
    func use(_ id: String, of keyThumbprint: String, until instant: Date, at now: Date) async throws -> Bool
}

/// The proofs that one server has seen within the last two minutes.
public final class UsedProofsInMemory: UsedProofs {
    /// There are more proofs than are kept. It passes within two minutes.
    public struct Full: Error {}

    private struct Entry: Hashable {
        let key: String
        let id: String
    }

    private struct State {
        var entries: Set<Entry> = []
        /// How many there are of each key.
        var counts: [String: Int] = [:]
        /// In the order of their coming; those before `first` are over.
        var queue: [(entry: Entry, until: Date)] = []
        var first = 0

        mutating func forget(before now: Date) {
            while first < queue.count, queue[first].until <= now {
                let entry = queue[first].entry
                entries.remove(entry)
                counts[entry.key] = counts[entry.key].flatMap { $0 > 1 ? $0 - 1 : nil }
                first += 1
            }
            if first > 1024, first * 2 > queue.count {
                queue.removeFirst(first)
                first = 0
            }
        }
    }

    private let state = Mutex(State())
    private let limit: Int
    private let limitOfKey: Int

    /// - Parameters:
    ///   - limit: proofs that are kept at most, about 200 bytes each.
    ///   - limitOfKey: of one key at most, so that no client takes the room of all.
    public init(limit: Int = 200_000, limitOfKey: Int = 20_000) {
        self.limit = limit
        self.limitOfKey = limitOfKey
    }

    public func use(_ id: String, of keyThumbprint: String, until instant: Date, at now: Date) async throws -> Bool {
        try state.withLock { state in
            state.forget(before: now)
            let entry = Entry(key: keyThumbprint, id: id)
            guard !state.entries.contains(entry) else { return false }
            let ofKey = state.counts[keyThumbprint, default: 0]
            // Forgetting one that still counts would let it be shown again.
            guard state.entries.count < limit, ofKey < limitOfKey else { throw Full() }
            state.entries.insert(entry)
            state.counts[keyThumbprint] = ofKey + 1
            state.queue.append((entry, instant))
            return true
        }
    }
}
