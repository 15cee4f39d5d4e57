extension Migration {
    /// Version 2: phone numbers find their users, and are unique. No earlier program wrote one.
    static let phoneNumbers = Migration(version: 2, name: "telephone numbers") { types in
        [
            "ALTER TABLE users ADD COLUMN phone_number \(types.text)",
            "CREATE UNIQUE INDEX users_by_phone_number ON users (phone_number)",
        ]
    }
}
