/// An insert of one row that refers to others, in two statements with the same parameters.
///
/// For all that SQLite knows, an `INSERT … SELECT … WHERE` inserts several rows. So that it could undo some of them, it takes 64 KiB of memory
/// for each run and copies every page there before it changes it. The first statement therefore inserts its values without a condition, and
/// fails where a row is missing that they refer to: in SQLite a statement fails alone. In PostgreSQL the transaction would fail with it, so
/// the second statement has the condition (docs/decisions/0566).
struct RowInsertion: Sendable {
    /// Fails where a row is missing that the new one refers to; for SQLite alone.
    let unconditional: SQLStatement
    /// Columns that SQLite's message names, `grants.session_id`, where the first statement inserts NULL instead of a row that is missing. NULL
    /// in any other column is a fault.
    let refusing: [String]
    /// Inserts nothing where a row is missing that the new one refers to.
    let conditional: SQLStatement
}

extension StoredRow {
    /// Inserts a row that refers to others, where no row has one of its keys and those others are there.
    /// - Parameters:
    ///   - condition: that those others are there.
    ///   - values: what SQLite inserts in place of a parameter, by the parameter's number: NULL, which the column does not take, where the
    ///     condition asks for more than the foreign keys do.
    static func insertion(referring condition: String, _ values: [Int: String] = [:]) -> RowInsertion {
        let names = columns.split(whereSeparator: { $0 == "," || $0.isWhitespace })
        let places = (1...names.count).map { values[$0] ?? "$\($0)" }.joined(separator: ", ")
        return RowInsertion(
            unconditional: SQLStatement(
                "INSERT INTO \(table) (\(columns)) VALUES (\(places)) ON CONFLICT DO NOTHING", isByRow: true),
            refusing: values.keys.map { "\(table).\(names[$0 - 1])" },
            conditional: insertion(where: condition, isByRow: true))
    }
}

extension SQLTransaction {
    /// Whether the row was inserted.
    func inserts(_ insertion: RowInsertion, _ parameters: [SQLValue]) throws -> Bool {
        if let isInserted = try connection.insertsReferring(
            insertion.unconditional, parameters, refusing: insertion.refusing)
        {
            return isInserted
        }
        return try connection.changes(insertion.conditional, parameters)
    }
}
