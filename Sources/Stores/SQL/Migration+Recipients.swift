extension Migration {
    /// Version 3: a device asks for what was sent to it.
    static let recipients = Migration(version: 3, name: "messages by recipient") { _ in
        ["CREATE INDEX outbox_messages_of_recipient ON outbox_messages (recipient, created_at)"]
    }
}
