/// Which statements one connection has prepared, and under what names.
///
/// There are few statements, and their text never holds data, so that the bound is there for the day when that is no
/// longer so: the one used longest ago makes room.
struct StatementCache {
    struct Lookup: Equatable {
        let name: String
        let isNew: Bool
        /// The name of the statement to forget first.
        let evicted: String?
    }

    let capacity: Int
    private var entries: [String: (name: String, lastUse: UInt64)] = [:]
    private var uses: UInt64 = 0

    init(capacity: Int) {
        precondition(capacity > 0, "a statement that is being run has to be kept")
        self.capacity = capacity
    }

    mutating func name(of statement: String) -> Lookup {
        uses += 1
        if let name = entries[statement]?.name {
            entries[statement] = (name, uses)
            return Lookup(name: name, isNew: false, evicted: nil)
        }
        var evicted: String?
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            evicted = oldest.value.name
            entries[oldest.key] = nil
        }
        let name = "countersign_\(uses)"
        entries[statement] = (name, uses)
        return Lookup(name: name, isNew: true, evicted: evicted)
    }

    /// Called when preparing failed.
    mutating func forget(_ statement: String) {
        entries[statement] = nil
    }
}
