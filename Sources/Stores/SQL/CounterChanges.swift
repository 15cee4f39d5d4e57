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
        /// - keepsBeginning: whether the row is there and began at the same instant, which an index has.
        case put(AttemptCounter, keepsBeginning: Bool)
        case delete(String)
    }

    /// What the transaction knows of one counter.
    private struct Entry {
        /// What the transaction sees: nil is that there is no such counter.
        private(set) var present: AttemptCounter?
        private var isKnown = false
        /// As it was read: what ends so is not written. The inner nil is that there was none.
        private var read: AttemptCounter??
        private var isChanged = false

        mutating func note(_ counter: AttemptCounter?) {
            (present, isKnown, read) = (counter, true, .some(counter))
        }

        /// What is as it was is no change: this is one snapshot.
        mutating func become(_ counter: AttemptCounter?) {
            if !isKnown || present != counter { isChanged = true }
            (present, isKnown) = (counter, true)
        }

        /// Whether it has to be written.
        var isToBeWritten: Bool { isChanged && read.map { $0 != present } ?? true }

        /// Whether a row was read that began when the counter that is to be written does.
        var keepsBeginning: Bool {
            guard let read, let row = read, let present else { return false }
            return row.since == present.since
        }
    }

    private var entries: [String: Entry] = [:]

    func counter(_ key: String, orRead read: () throws -> AttemptCounter?) rethrows -> AttemptCounter? {
        if let known = entries[key] { return known.present }
        let counter = try read()
        entries[key, default: Entry()].note(counter)
        return counter
    }

    /// Those of the keys of which nothing is known yet.
    func unknown(among keys: [String]) -> [String] {
        keys.filter { entries[$0] == nil }
    }

    /// Notes what was read of these keys.
    func note(_ found: [AttemptCounter], of keys: [String]) {
        for key in keys { entries[key, default: Entry()].note(found.first { $0.key == key }) }
    }

    func put(_ counter: AttemptCounter) {
        entries[counter.key, default: Entry()].become(counter)
    }

    func delete(_ key: String) {
        entries[key, default: Entry()].become(nil)
    }

    /// What is to be written; afterwards nothing is.
    func takeChanges() -> [Change] {
        defer { entries = [:] }
        return entries.filter { $0.value.isToBeWritten }.sorted { $0.key < $1.key }.map { key, entry in
            entry.present.map { Change.put($0, keepsBeginning: entry.keepsBeginning) } ?? .delete(key)
        }
    }
}
