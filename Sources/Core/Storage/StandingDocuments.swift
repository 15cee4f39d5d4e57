import Foundation
import Synchronization

/// What documents of the realm say – settings, the tenant, extensions – decoded once and not in every transaction.
///
/// What is remembered is known by the document's bytes, which each transaction reads for itself. So it is what that
/// transaction sees: also where another process has just changed the document, and where the transaction that wrote it is
/// undone. Nothing has to be invalidated.
final class StandingDocuments: Sendable {
    private struct Entry {
        let body: Data
        let value: any Sendable
    }

    private struct Sight {
        var isKnown = false
        var settings: Data?
        var changes = 0
    }

    private let sight = Mutex(Sight())

    /// How often the settings were found to be others than before, or this process changed them or the signing keys. What is kept beside
    /// the store is of before where this has grown since.
    var changes: Int { sight.withLock { $0.changes } }

    /// A transaction sees the settings so; nil where there are none.
    func saw(settings: Data?) {
        sight.withLock { sight in
            guard !sight.isKnown || sight.settings != settings else { return }
            if sight.isKnown { sight.changes += 1 }
            (sight.isKnown, sight.settings) = (true, settings)
        }
    }

    /// This process has changed the settings or the signing keys, and committed that.
    func noteChange() { sight.withLock { $0.changes += 1 } }

    /// Documents that are remembered. There are few, by names of ours; more are none the worse.
    static let capacity = 64

    private let entries = Mutex<[String: Entry]>([:])

    /// - Parameter body: the document, as the transaction sees it.
    func decoded<T: Sendable>(_ name: String, _ body: Data, _ decode: (Data) throws -> T) rethrows -> T {
        if let known = entries.withLock({ $0[name] }), known.body == body, let value = known.value as? T {
            return value
        }
        let value = try decode(body)
        entries.withLock { entries in
            if entries.count >= Self.capacity { entries = [:] }
            entries[name] = Entry(body: body, value: value)
        }
        return value
    }
}
