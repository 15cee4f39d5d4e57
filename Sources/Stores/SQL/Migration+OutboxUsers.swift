extension Migration {
    /// Version 4: a message names the user it is about, so that it is deleted with the user. Those of earlier programs
    /// do not; they are found by their recipient, and removed after a week.
    static let outboxUsers = Migration(version: 4, name: "users of messages") { types in
        [
            "ALTER TABLE outbox_messages ADD COLUMN user_id \(types.text)",
            "CREATE INDEX outbox_messages_of_user ON outbox_messages (user_id, id)",
        ]
    }
}
