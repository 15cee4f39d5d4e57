import CountersignCore

/// The counters that one transaction has read and changed, until they are written at its end.
///
/// Counters are what transactions share that have nothing else in common: all answers of one address, all of one account.
/// Written last, and in the order of their names, they are locked for the shortest time, and no two transactions can
/// wait for each other's (`docs/decisions/0124`).
///
/// It belongs to one transaction, which runs on one thread.
final class CounterChanges {
    enum Change {
        case put(AttemptCounter)
        case delete(String)
    }

    /// What the transaction sees: nil within is that there is no such counter.
    private var present: [String: AttemptCounter?] = [:]
    /// As it was read; what ends so is not written.
    private var kept: [String: AttemptCounter?] = [:]
    private var changed: Set<String> = []

    func counter(_ key: String, orRead read: () throws -> AttemptCounter?) rethrows -> AttemptCounter? {
        if let known = present[key] { return known }
        let counter = try read()
        present[key] = .some(counter)
        kept[key] = .some(counter)
        return counter
    }

    /// Those of the keys of which nothing is known yet.
    func unknown(among keys: [String]) -> [String] {
        keys.filter { present[$0] == nil }
    }

    /// Notes what was read of these keys.
    func note(_ found: [AttemptCounter], of keys: [String]) {
        for key in keys {
            let counter = found.first { $0.key == key }
            present[key] = .some(counter)
            kept[key] = .some(counter)
        }
    }

    func put(_ counter: AttemptCounter) {
        if present[counter.key] != .some(.some(counter)) { changed.insert(counter.key) }
        present[counter.key] = .some(counter)
    }

    func delete(_ key: String) {
        // What was not there when it was read is not there now: this is one snapshot.
        if present[key] != .some(nil) || changed.contains(key) { changed.insert(key) }
        present[key] = .some(nil)
    }

    /// What is to be written; afterwards nothing is.
    func takeChanges() -> [Change] {
        let changes = changed.sorted().compactMap { key -> Change? in
            let counter = present[key].flatMap { $0 }
            if let before = kept[key], before == counter { return nil }
            return counter.map(Change.put) ?? .delete(key)
        }
        changed = []
        present = [:]
        kept = [:]
        return changes
    }
}
