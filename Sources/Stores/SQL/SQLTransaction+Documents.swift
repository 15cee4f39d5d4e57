import CountersignCore
import Foundation

extension SQLTransaction {
    public func document(_ name: String) throws -> Data? {
        guard let row = try connection.rows("SELECT name, body FROM documents WHERE name = $1", [SQLValue(name)]).first
        else { return nil }
        var reader = RowReader(row, table: "documents")
        _ = try reader.text()
        return try reader.blob()
    }

    public func putDocument(_ name: String, _ body: Data) throws {
        try locks.note(.documents, name)
        _ = try changes(
            "INSERT INTO documents (name, body) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
            SQLValue(name), SQLValue(body))
    }
}
