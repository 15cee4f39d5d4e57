extension Migration {
    /// Version 5: messages are found by the channel that delivers them, so that those which wait for one do not stand in
    /// the way of another's; and the realm has secrets of its own for services elsewhere.
    static let delivery = Migration(version: 5, name: "delivery") { types in
        [
            "DROP INDEX outbox_messages_due",
            """
            CREATE INDEX outbox_messages_due ON outbox_messages (channel, next_attempt_at, id) \
            WHERE delivered_at IS NULL
            """,
            "CREATE INDEX outbox_messages_of_channel ON outbox_messages (channel, created_at)",
            """
            CREATE TABLE secrets (
                name \(types.text) NOT NULL PRIMARY KEY,
                sealed_value \(types.blob) NOT NULL
            ) \(types.tableOptions)
            """,
        ]
    }
}
