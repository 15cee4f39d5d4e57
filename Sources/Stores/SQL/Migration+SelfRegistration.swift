extension Migration {
    /// When an application registered itself; and since when it waits for its first use, where no administrator let it in. Those of before
    /// were registered by administrators.
    static let selfRegistration = Migration(version: 19, name: "self registration") { types in
        [
            "ALTER TABLE applications ADD COLUMN registered_at \(types.integer)",
            "ALTER TABLE applications ADD COLUMN unused_since \(types.integer)",
            """
            CREATE INDEX applications_registered ON applications (registered_at, id) WHERE registered_at IS NOT NULL
            """,
            """
            CREATE INDEX applications_unused ON applications (unused_since, id) WHERE unused_since IS NOT NULL
            """,
        ]
    }
}
