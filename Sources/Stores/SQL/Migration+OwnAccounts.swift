extension Migration {
    /// When an account is to be removed whose owner asked for that, and since when a factor is frozen that its owner reported lost.
    static let ownAccounts = Migration(version: 16, name: "own accounts") { types in
        [
            "ALTER TABLE users ADD COLUMN deletion_due_at \(types.integer)",
            "CREATE INDEX users_by_deletion ON users (deletion_due_at) WHERE deletion_due_at IS NOT NULL",
            "ALTER TABLE factors ADD COLUMN frozen_at \(types.integer)",
        ]
    }
}
