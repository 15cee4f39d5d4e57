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
    /// How many counters one statement looks for.
    static let places = 4
    static let among = AttemptCounter.selectionOfEach("name", places, isByRow: true)
    static let pair = AttemptCounter.selectionOfEach("name", 2, isByRow: true)
    static let replacement = replacing(1)
    static let replacementOfTwo = replacing(2)
    static let count = replacing(1, keepingBeginnings: true)
    static let countOfTwo = replacing(2, keepingBeginnings: true)
    static let listed = ListStatements { AttemptCounter.selection("WHERE name \($0) $1 ORDER BY name\($1) LIMIT $2") }
    static let deletion = SQLStatement("DELETE FROM attempt_counters WHERE name = $1", isByRow: true)
    static let idle = AttemptCounter.selection(
        """
        WHERE began_at < $1 AND (blocked_until IS NULL OR blocked_until <= $1) \
        AND name NOT LIKE '\(AttemptCounter.factorPrefix)%' ORDER BY began_at LIMIT $2
        """)
}

extension Statements {
    /// Calls the body with the keys, as many at a time as one statement looks for.
    fileprivate static func inGroups(_ keys: [String], _ body: ([String]) throws -> Void) throws {
        if keys.count <= places { return try body(keys) }
        for start in stride(from: 0, to: keys.count, by: places) {
            try body(Array(keys[start..<min(start + places, keys.count)]))
        }
    }

    /// The counters of at most as many keys as there are places. Naming one twice changes nothing.
    fileprivate static func selection(of keys: [String]) -> (SQLStatement, [SQLValue]) {
        let count = keys.count <= 2 ? 2 : places
        var parameters: [SQLValue] = []
        parameters.reserveCapacity(count)
        for place in 0..<count { parameters.append(SQLValue(keys[min(place, keys.count - 1)])) }
        return (count == 2 ? pair : among, parameters)
    }

    /// Inserts or replaces so many counters, in the order of their places.
    /// - Parameter keepingBeginnings: names no column of rows that are there which an index has (``RowUpdate``).
    private static func replacing(_ count: Int, keepingBeginnings: Bool = false) -> SQLStatement {
        let rows = (0..<count).map { row in "(\((1...5).map { "$\(row * 5 + $0)" }.joined(separator: ", ")))" }
        return SQLStatement(
            """
            INSERT INTO attempt_counters (name, attempts, began_at, blocked_until, open_charges) \
            VALUES \(rows.joined(separator: ", ")) \
            ON CONFLICT (name) DO UPDATE SET attempts = excluded.attempts, \
            \(keepingBeginnings ? "" : "began_at = excluded.began_at, ")\
            blocked_until = excluded.blocked_until, open_charges = excluded.open_charges
            """, isByRow: true)
    }
}

extension SQLTransaction {
    public func counter(_ key: String) throws -> AttemptCounter? {
        try counters.counter(key) { try first(Statements.byName, SQLValue(key)) }
    }

    public func put(_ counter: AttemptCounter) throws { counters.put(counter) }

    public func deleteCounter(_ key: String) throws { counters.delete(key) }

    public func readCounters(_ keys: [String]) throws {
        let unknown = counters.unknown(among: keys)
        // One alone is read when it is asked for.
        guard unknown.count > 1 else { return }
        try Statements.inGroups(unknown) { wanted in
            let (statement, parameters) = Statements.selection(of: wanted)
            var found: [AttemptCounter] = []
            try connection.query(statement, parameters) { columns in
                var reader = RowReader(columns, table: AttemptCounter.table)
                found.append(try AttemptCounter(row: &reader))
            }
            counters.note(found, of: wanted)
        }
    }

    /// Asks as ``readCounters(_:)`` will, or ``counter(_:)`` for one alone.
    func expectCounters(_ keys: [String]) throws {
        guard keys.count > 1 else {
            if let key = keys.first { try connection.ask(Statements.byName, [SQLValue(key)]) }
            return
        }
        try Statements.inGroups(keys) { wanted in
            let (statement, parameters) = Statements.selection(of: wanted)
            try connection.ask(statement, parameters)
        }
    }

    /// Writes what the body left to write of counters, the names in order.
    func writeCounters() throws {
        var before: (counter: AttemptCounter, keepsBeginning: Bool)?
        for change in counters.takeChanges() {
            switch (change, before) {
            case (.put(let counter, let keeps), nil): before = (counter, keeps)
            case (.put(let counter, let keeps), let first?):
                let keepsBoth = first.keepsBeginning && keeps && connection.rewritesNamedIndexes
                try connection.send(
                    keepsBoth ? Statements.countOfTwo : Statements.replacementOfTwo,
                    first.counter.values + counter.values)
                before = nil
            case (.delete(let key), let first):
                if let first { try write(first.counter, keepsBeginning: first.keepsBeginning) }
                before = nil
                try send(Statements.deletion, SQLValue(key))
            }
        }
        if let before { try write(before.counter, keepsBeginning: before.keepsBeginning) }
    }

    private func write(_ counter: AttemptCounter, keepsBeginning: Bool) throws {
        let keeps = keepsBeginning && connection.rewritesNamedIndexes
        try connection.send(keeps ? Statements.count : Statements.replacement, counter.values)
    }

    public func counters(_ range: ListRange<String>) throws -> [AttemptCounter] {
        try select(Statements.listed[range], Statements.listed.place(range), SQLValue(limit: range.limit))
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
