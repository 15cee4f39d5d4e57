/// A change of one row, in two statements with the same parameters.
///
/// SQLite takes a row out of the index of each column that an update names, and puts it in again, also where the value stays as it
/// is; the pages where that happens are written to the log. So the first statement leaves out what an index has or is
/// limited by and what seldom changes, and finds the row only where all of that is as it is to be. That is nearly every change: of a flow
/// whose attempts were counted, of a grant whose token was rotated (docs/decisions/0534).
struct RowUpdate: Sendable {
    /// Changes the rest of a row that has those values; for SQLite alone.
    let keepingIndexes: SQLStatement
    /// Changes all of a row.
    let whole: SQLStatement
}

extension SQLTransaction {
    /// Whether the row was there to be changed.
    func changes(_ update: RowUpdate, _ parameters: SQLValue...) throws -> Bool {
        if connection.rewritesNamedIndexes, try connection.changes(update.keepingIndexes, parameters) { return true }
        return try connection.changes(update.whole, parameters)
    }
}
