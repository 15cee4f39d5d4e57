import Foundation

/// The store itself remembers counters.
extension RememberingTransaction {
    func counter(_ key: String) throws -> AttemptCounter? { try base.counter(key) }
    func put(_ counter: AttemptCounter) throws { try base.put(counter) }
    func deleteCounter(_ key: String) throws { try base.deleteCounter(key) }

    func deleteCounters(idleBefore instant: Date, limit: Int) throws -> Int {
        try base.deleteCounters(idleBefore: instant, limit: limit)
    }

    func counters(_ range: ListRange<String>) throws -> [AttemptCounter] {
        try base.counters(range)
    }
}
