extension Migration {
    /// Seals of the log. Events of before have none of what a seal adds to a row; maintenance seals them, the oldest first. A program of
    /// before that runs beside neither reads nor writes any of it.
    static let auditSeals = Migration(version: 22, name: "seals of the log") { types in
        [
            """
            CREATE TABLE audit_seals (
                number \(types.integer) NOT NULL PRIMARY KEY,
                key_id \(types.text) NOT NULL,
                after_id \(types.text) NOT NULL,
                through_id \(types.text) NOT NULL,
                sealed_at \(types.integer) NOT NULL,
                looked \(types.integer) NOT NULL,
                event_count \(types.integer) NOT NULL,
                ids \(types.text) NOT NULL,
                late \(types.text) NOT NULL,
                nonce \(types.text),
                content \(types.text) NOT NULL,
                previous \(types.text) NOT NULL,
                is_pruned \(types.integer) NOT NULL,
                code \(types.text) NOT NULL
            ) \(types.tableOptions)
            """,
            "CREATE INDEX audit_seals_by_end ON audit_seals (through_id, number)",
            "ALTER TABLE audit_events ADD COLUMN details_nonce \(types.text)",
            "ALTER TABLE audit_events ADD COLUMN details_digest \(types.text)",
            "ALTER TABLE audit_events ADD COLUMN late_seal \(types.integer)",
        ]
    }
}
