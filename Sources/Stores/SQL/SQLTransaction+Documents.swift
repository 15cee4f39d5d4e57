import CountersignCore
import Foundation

private enum Statements {
    static let byName = SQLStatement("SELECT name, body FROM documents WHERE name = $1", isByRow: true)
    static let replacement = SQLStatement(
        "INSERT INTO documents (name, body) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET body = excluded.body")
}

extension SQLTransaction {
    public func document(_ name: String) throws -> Data? {
        try first(of: "documents", Statements.byName, [SQLValue(name)]) { reader in
            reader.skip()
            return try reader.blob()
        }
    }

    public func putDocument(_ name: String, _ body: Data) throws {
        try locks.note(.documents, name)
        try send(Statements.replacement, SQLValue(name), SQLValue(body))
    }
}
