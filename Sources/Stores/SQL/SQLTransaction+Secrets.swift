import CountersignCore
import Foundation

extension SQLTransaction {
    public func sealedSecret(_ name: String) throws -> Data? {
        let rows = try connection.rows("SELECT sealed_value FROM secrets WHERE name = $1", [SQLValue(name)])
        guard let row = rows.first else { return nil }
        var reader = RowReader(row, table: "secrets")
        return try reader.blob()
    }

    public func putSealedSecret(_ name: String, _ sealed: Data) throws {
        try locks.note(.secrets, name)
        _ = try changes(
            """
            INSERT INTO secrets (name, sealed_value) VALUES ($1, $2) \
            ON CONFLICT (name) DO UPDATE SET sealed_value = excluded.sealed_value
            """, SQLValue(name), SQLValue(sealed))
    }

    public func deleteSealedSecret(_ name: String) throws {
        try locks.note(.secrets, name)
        _ = try changes("DELETE FROM secrets WHERE name = $1", SQLValue(name))
    }
}
