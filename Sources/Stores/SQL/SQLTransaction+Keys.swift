/// The keys of a statement that looks for many rows at once. Their number is always the same, so that there is one text to prepare.
enum KeyList {
    static let count = 100
    /// For `IN (…)`.
    static let places = (1...count).map { "$\($0)" }.joined(separator: ", ")
}

extension SQLTransaction {
    /// Reads the rows that a query with a ``KeyList`` finds of however many keys, in as many statements as it takes. Places that are left
    /// name the last key again.
    func query(
        _ query: SQLStatement, of table: String, among keys: [SQLValue], _ read: (inout RowReader) throws -> Void
    ) throws {
        for start in stride(from: 0, to: keys.count, by: KeyList.count) {
            var places = Array(keys[start...].prefix(KeyList.count))
            places += Array(repeating: places[places.count - 1], count: KeyList.count - places.count)
            try connection.query(query, places) { columns in
                var reader = RowReader(columns, table: table)
                try read(&reader)
            }
        }
    }
}
