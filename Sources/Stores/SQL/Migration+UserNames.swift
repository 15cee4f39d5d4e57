extension Migration {
    /// Lists of users by creation and by folded name. Names of before are folded by the program, a few at a time
    /// (`fillNameKeys`); until then a search by name does not find them.
    static let userNames = Migration(version: 17, name: "names of users") { types in
        [
            "ALTER TABLE users ADD COLUMN name_key \(types.text)",
            "CREATE INDEX users_by_name ON users (name_key, id)",
            "CREATE INDEX users_without_name_key ON users (id) WHERE name_key IS NULL",
            "CREATE INDEX users_by_creation ON users (created_at, id)",
        ]
    }
}
