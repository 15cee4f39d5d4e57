import CountersignCore
import Foundation

extension AttemptCounter: StoredRow {
    static let table = "attempt_counters"
    static let columns = "name, attempts, began_at, blocked_until, open_charges"

    init(row: inout RowReader) throws {
        self.init(
            key: try row.text(), count: try row.integer(), since: try row.date(),
            blockedUntil: try row.optionalDate(), open: try row.optionalDocument() ?? [])
    }

    var values: [SQLValue] {
        get throws {
            [
                SQLValue(key), SQLValue(count), SQLValue(since), SQLValue(blockedUntil),
                try open.isEmpty ? .null : Document.encode(open),
            ]
        }
    }
}

private enum Statements {
    static let byName = AttemptCounter.selection("WHERE name = $1", isByRow: true)
    static let replacement = SQLStatement(
        """
        INSERT INTO attempt_counters (name, attempts, began_at, blocked_until, open_charges) \
        VALUES ($1, $2, $3, $4, $5) \
        ON CONFLICT (name) DO UPDATE SET attempts = excluded.attempts, began_at = excluded.began_at, \
        blocked_until = excluded.blocked_until, open_charges = excluded.open_charges
        """, isByRow: true)
    static let deletion = SQLStatement("DELETE FROM attempt_counters WHERE name = $1", isByRow: true)
    static let idle = AttemptCounter.selection(
        """
        WHERE began_at < $1 AND (blocked_until IS NULL OR blocked_until <= $1) \
        AND name NOT LIKE '\(AttemptCounter.factorPrefix)%' ORDER BY began_at LIMIT $2
        """)
}

extension SQLTransaction {
    public func counter(_ key: String) throws -> AttemptCounter? {
        try counters.counter(key) { try first(Statements.byName, SQLValue(key)) }
    }

    public func put(_ counter: AttemptCounter) throws { counters.put(counter) }

    public func deleteCounter(_ key: String) throws { counters.delete(key) }

    /// Writes what the body left to write of counters, the names in order.
    func writeCounters() throws {
        for change in counters.takeChanges() {
            switch change {
            case .put(let counter): try connection.send(Statements.replacement, counter.values)
            case .delete(let key): try send(Statements.deletion, SQLValue(key))
            }
        }
    }

    // The present is not known here. A counter that blocks until the instant or earlier, an instant that lies in the
    // past, blocks nothing for certain. One by one, in the order in which all transactions lock counters.
    public func deleteCounters(idleBefore instant: Date, limit: Int) throws -> Int {
        try writeCounters()
        let idle: [AttemptCounter] = try select(Statements.idle, SQLValue(instant), SQLValue(limit: limit))
        for counter in idle { try deleteCounter(counter.key) }
        try writeCounters()
        return idle.count
    }
}
