import AdminServer

/// Remembers what was shown.
///
/// Ids sort by when something happened, and a slow transaction becomes visible after a later one: so it looks back over
/// some seconds each time, and leaves out what it has shown.
struct AuditCursor {
    /// Microseconds that are looked over again.
    static let overlap: UInt64 = 10_000_000
    /// Characters of an id that are its time.
    private static let timeDigits = 16

    private(set) var after: String?
    private var shown: Set<String> = []

    init(shown events: [AuditEntry]) {
        _ = fresh(events)
    }

    /// Those that were not shown yet, which then were.
    mutating func fresh(_ events: [AuditEntry]) -> [AuditEntry] {
        let fresh = events.filter { !shown.contains($0.id) }
        shown.formUnion(fresh.map(\.id))
        if let newest = shown.max(), let time = UInt64(newest.prefix(Self.timeDigits), radix: 16) {
            let digits = String(time > Self.overlap ? time - Self.overlap : 0, radix: 16)
            let after = String(repeating: "0", count: max(0, Self.timeDigits - digits.count)) + digits
            shown = shown.filter { $0 > after }
            self.after = after
        }
        return fresh
    }
}
