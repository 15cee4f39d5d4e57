/// A table that mostly has a row or two: keys are compared one after another, which is faster than to hash them, until there are too many
/// for that.
struct FewRows<Key: Hashable, Row>: ExpressibleByDictionaryLiteral {
    /// From here on keys are hashed: a job over all users reads thousands of rows in one transaction.
    static var most: Int { 8 }

    // Apart, so that a look at the keys copies no rows.
    private var keys: [Key] = []
    private var rows: [Row] = []
    /// All rows, where there are more than few.
    private var many: [Key: Row] = [:]

    /// - Parameter elements: of several with one key the last counts.
    init(dictionaryLiteral elements: (Key, Row)...) {
        for (key, row) in elements { self[key] = row }
    }

    /// Whether there is a row under a key. To compare what the subscript gives with nil copies the row.
    func has(_ key: Key) -> Bool { many.isEmpty ? keys.contains(key) : many.index(forKey: key) != nil }

    /// The row under a key; nil where there is none, and to take one out.
    subscript(key: Key) -> Row? {
        get {
            if !many.isEmpty { return many[key] }
            return keys.firstIndex(of: key).map { rows[$0] }
        }
        set {
            if !many.isEmpty {
                many[key] = newValue
                return
            }
            let place = keys.firstIndex(of: key)
            // A row is large: each name for it would be one more copy.
            guard let row = newValue else {
                if let place {
                    keys.remove(at: place)
                    rows.remove(at: place)
                }
                return
            }
            if let place {
                rows[place] = row
                return
            }
            keys.append(key)
            rows.append(row)
            if keys.count > Self.most {
                many = Dictionary(uniqueKeysWithValues: zip(keys, rows))
                (keys, rows) = ([], [])
            }
        }
    }
}
