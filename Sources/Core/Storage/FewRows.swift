/// A table that mostly has a row or two: keys are compared one after another, which is faster than to hash them, until there are too many
/// for that.
struct FewRows<Key: Hashable, Row>: ExpressibleByDictionaryLiteral {
    /// From here on keys are hashed: a job over all users reads thousands of rows in one transaction.
    static var most: Int { 8 }

    private var few: [(key: Key, row: Row)] = []
    /// All rows, where there are more than few.
    private var many: [Key: Row] = [:]

    /// - Parameter elements: of several with one key the last counts.
    init(dictionaryLiteral elements: (Key, Row)...) {
        for (key, row) in elements { self[key] = row }
    }

    /// The row under a key; nil where there is none, and to take one out.
    subscript(key: Key) -> Row? {
        get {
            if !many.isEmpty { return many[key] }
            for entry in few where entry.key == key { return entry.row }
            return nil
        }
        set {
            if !many.isEmpty {
                many[key] = newValue
                return
            }
            let place = few.firstIndex { $0.key == key }
            switch (place, newValue) {
            case (let place?, let row?): few[place].row = row
            case (let place?, nil): few.remove(at: place)
            case (nil, let row?):
                few.append((key, row))
                if few.count > Self.most {
                    many = Dictionary(uniqueKeysWithValues: few.map { ($0.key, $0.row) })
                    few = []
                }
            case (nil, nil): break
            }
        }
    }
}
