import CountersignCore
import Foundation
import GRDB
import StoreSQL

extension SQLiteStore {
    /// Copies the database, as it is at one instant, to a new file of mode 0600, while reads and writes go on.
    ///
    /// The copy appears under its name only when it is whole.
    /// - Throws: `StoreError` of code `unavailable` where there is such a file already: a backup overwrites nothing.
    public func backup(to path: String) async throws {
        try await readers.apart { access in
            guard !FileManager.default.fileExists(atPath: path) else {
                throw StoreError(.unavailable, "\(path) exists already")
            }
            let partial = path + ".partial"
            try? FileManager.default.removeItem(atPath: partial)
            try DatabaseFile.createIfMissing(partial)
            do {
                try translatingErrors {
                    let copy = try DatabaseQueue(path: partial)
                    try access.backup(to: copy)
                    try copy.close()
                }
                try FileManager.default.moveItem(atPath: partial, toPath: path)
            } catch {
                try? FileManager.default.removeItem(atPath: partial)
                throw error as? StoreError ?? StoreError(.unavailable, "cannot write \(path): \(error)")
            }
        }
    }

    /// Reads the whole database and looks for damage: broken pages and indices, rows that refer to deleted rows.
    /// - Returns: a sentence for each fault; none where all is well.
    public func check() async throws -> [String] {
        try await readers.apart { access in
            try translatingErrors { try access.wait(for: Self.faults) }
        }
    }

    private static func faults(of database: Database) throws -> [String] {
        do {
            let damage = try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
            // Rows of a broken page cannot be followed.
            guard damage.isEmpty else { return damage }
            return try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map { row in
                let (table, id, parent) = (row[0] as String?, row[1] as Int64?, row[2] as String?)
                return "\(table ?? "?"): row \(id ?? 0) refers to a missing row of \(parent ?? "?")"
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            // Some damage stops the check itself.
            return [StoreError(error).description]
        }
    }
}
