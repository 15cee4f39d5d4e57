import CountersignCore
import GRDB

extension StoreError {
    /// What SQLite refused, without the statement's parameters, which may be personal.
    init(_ error: DatabaseError) {
        self.init(
            error.resultCode == .SQLITE_READONLY ? .readOnly : .unavailable,
            "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
                + (error.sql.map { " in \($0)" } ?? ""))
    }
}

/// Runs what may fail in SQLite, so that only errors of the store and of the body come out.
func translatingErrors<T>(_ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch let error as DatabaseError {
        throw StoreError(error)
    }
}
