extension Migration {
    /// Registrations of clients, states of checks and families of refresh tokens get tables of their own. They were flows of
    /// three purposes. Their digests and bodies stay as they are: a body is sealed for its digest, not for its table.
    /// Families that were over are left out.
    static let clientRecords = Migration(version: 11, name: "records of clients") { types in
        let tables = [
            ("client_registrations", "client-registration"), ("check_states", "security-check"),
            ("refresh_families", "client-refresh"),
        ]
        let columns = "digest, user_id, revision, created_at, expires_at, body"
        // The index of version 6 has the name of the table.
        return ["DROP INDEX client_registrations"]
            + tables.flatMap { table, purpose in
                [
                    """
                    CREATE TABLE \(table) (
                        digest \(types.blob) NOT NULL PRIMARY KEY,
                        user_id \(types.text) REFERENCES users (id) ON DELETE CASCADE,
                        revision \(types.integer) NOT NULL,
                        created_at \(types.integer) NOT NULL,
                        expires_at \(types.integer) NOT NULL,
                        body \(types.blob) NOT NULL
                    ) \(types.tableOptions)
                    """,
                    "CREATE INDEX \(table)_of_user ON \(table) (user_id)",
                    "CREATE INDEX \(table)_by_expiry ON \(table) (expires_at)",
                    """
                    INSERT INTO \(table) (\(columns)) SELECT \(columns) FROM flows \
                    WHERE purpose = '\(purpose)' AND finished_at IS NULL
                    """,
                    "DELETE FROM flows WHERE purpose = '\(purpose)'",
                ]
            }
    }
}
