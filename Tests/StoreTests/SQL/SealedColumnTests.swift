import CountersignCore
import Foundation
import StoreSQLite
import Testing

@testable import StoreSQL

@Suite("Sealed columns")
struct SealedColumnTests {
    /// Columns of bytes that hold nothing sealed, each with the reason.
    private static let open: [String: String] = [
        "flows.digest": "a digest of the handle",
        "client_registrations.digest": "a digest of the client's id",
        "check_states.digest": "a digest of the client's id and the check's name",
        "refresh_families.digest": "a digest of the family's id",
        "sessions.browser_digest": "a digest of the token in a browser's cookie",
        "grants.current_digest": "a digest of the refresh token",
        "grants.previous_digest": "a digest of the refresh token",
        "authorization_codes.digest": "a digest of the code",
        "used_tokens.digest": "a digest of a token's jti",
        "machine_tokens.digest": "a digest of a machine's token",
        "documents.body": "settings and notes; of the master key's check only the key that seals is known",
    ]

    @Test
    func `Every column of bytes is a place that the replacement of the master key knows, or is known to be open`()
        async throws
    {
        let store = try await SQLiteStore.temporary()
        let columns = try await store.read { transaction -> Set<String> in
            guard let sql = transaction as? SQLTransaction else { return [] }
            let rows = try sql.connection.rows(
                """
                SELECT tables.name || '.' || columns.name FROM sqlite_master AS tables \
                JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table' AND columns.type = 'BLOB'
                """, [])
            return Set(
                try rows.map { row in
                    var reader = RowReader(row, table: "sqlite_master")
                    return try reader.text()
                })
        }
        let sealed = SealedPlace.allCases.map { place in
            let column = SealedColumn(place)
            return "\(column.table).\(column.column)"
        }
        #expect(Set(sealed).count == sealed.count)
        #expect(columns == Set(sealed).union(Self.open.keys))
    }
}
