import CountersignCore
import Foundation
import GRDB

extension StoreError {
    static let closedStore = StoreError(.unavailable, "the store is closed")

    /// What SQLite refused, without the statement's parameters, which may be personal.
    init(_ error: DatabaseError) {
        let code: Code = error.resultCode == .SQLITE_READONLY ? .readOnly : .unavailable
        let detail =
            "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
            + (error.sql.map { " in \($0)" } ?? "")
        guard let advice = Self.advice(error.resultCode) else {
            self.init(code, detail)
            return
        }
        self.init(code, advice, detail: detail)
    }

    /// A file of the database that cannot be used.
    init(cannot verb: String, _ path: String, _ code: Int32) {
        let advice =
            switch code {
            case ENOSPC, EDQUOT, EFBIG: ". \(freeSpace)"
            case EACCES, EPERM: ". \(rightUser)"
            case EROFS: ". Mount its disk for writing"
            default: ""
            }
        self.init(.unavailable, "cannot \(verb) \(path): \(String(cString: strerror(code)))\(advice)")
    }

    /// Result codes: https://www.sqlite.org/rescode.html. Nil for what no operator can correct.
    private static func advice(_ code: ResultCode) -> String? {
        switch code {
        case .SQLITE_FULL: "the disk is full. \(freeSpace)"
        case .SQLITE_IOERR:
            "the database cannot be read or written: its disk fails, or a limit on the size of files is reached. Look at "
                + "the system's log, `df` and `ulimit -f`; what was written before is intact where the disk is"
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            "the database is damaged, or is none. Put a backup in its place with `countersign db restore`; "
                + "`countersign db check` tells what is damaged"
        case .SQLITE_READONLY:
            "the database cannot be written. \(rightUser), and see that its disk is mounted for writing"
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: "the database cannot be opened. \(rightUser)"
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            "another program holds the database. Wait for it, or find it with `fuser` and end it"
        default: nil
        }
    }
}

private let freeSpace = "Free some space and try again; what was written before is intact"
private let rightUser = "Run this as the user who runs the server"

/// Runs what may fail in SQLite, so that only errors of the store and of the body come out.
func translatingErrors<T>(_ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch let error as DatabaseError {
        throw StoreError(error)
    }
}
