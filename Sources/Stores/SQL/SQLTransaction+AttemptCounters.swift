import CountersignCore
import Foundation

extension AttemptCounter: StoredRow {
    static let table = "attempt_counters"
    static let columns = "name, attempts, began_at, blocked_until"

    init(row: inout RowReader) throws {
        self.init(
            key: try row.text(), count: try row.integer(), since: try row.date(), blockedUntil: try row.optionalDate())
    }

    var values: [SQLValue] {
        [SQLValue(key), SQLValue(count), SQLValue(since), SQLValue(blockedUntil)]
    }
}

extension SQLTransaction {
    public func counter(_ key: String) throws -> AttemptCounter? {
        try row(where: "name", SQLValue(key))
    }

    public func put(_ counter: AttemptCounter) throws {
        _ = try changes(
            """
            INSERT INTO attempt_counters (name, attempts, began_at, blocked_until) VALUES ($1, $2, $3, $4) \
            ON CONFLICT (name) DO UPDATE SET attempts = excluded.attempts, began_at = excluded.began_at, \
            blocked_until = excluded.blocked_until
            """, counter.values)
    }

    public func deleteCounter(_ key: String) throws {
        _ = try changes("DELETE FROM attempt_counters WHERE name = $1", SQLValue(key))
    }

    // The present is not known here. A counter that blocks until the instant or earlier, an instant that lies in the
    // past, blocks nothing for certain.
    public func deleteCounters(idleBefore instant: Date, limit: Int) throws -> Int {
        try delete(
            AttemptCounter.self, key: "name",
            """
            WHERE began_at < $1 AND (blocked_until IS NULL OR blocked_until <= $1) \
            AND name NOT LIKE '\(AttemptCounter.factorPrefix)%' ORDER BY began_at
            """,
            instant, limit: limit)
    }
}
