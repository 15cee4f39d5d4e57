extension Migration {
    /// Until when the secret of before counts beside an application's present one, so that those that end soon are found by an index.
    /// Registrations of before tell it in their document, as seconds since 2001.
    static let endingSecrets = Migration(version: 21, name: "ends of secrets") { types in
        let end = types.number("registration", ["oauth", "formerSecrets", "0", "expiresAt"])
        let instant = "((\(end) + 978307200) * 1000000)"
        // Instants are kept as whole microseconds that have passed.
        let passed = "round(\(instant)) - CASE WHEN round(\(instant)) > \(instant) THEN 1 ELSE 0 END"
        return [
            "ALTER TABLE applications ADD COLUMN secret_ends_at \(types.integer)",
            // Only documents with a former secret are parsed, and none with a character that PostgreSQL has no text for: such an
            // application is without a reminder until its next change.
            """
            UPDATE applications SET secret_ends_at = CAST(\(passed) AS \(types.integer)) \
            WHERE registration LIKE '%"formerSecrets":[{%' AND \(types.position)(registration, '\\u0000') = 0
            """,
            """
            CREATE INDEX applications_ending ON applications (secret_ends_at, id) WHERE secret_ends_at IS NOT NULL
            """,
        ]
    }
}
