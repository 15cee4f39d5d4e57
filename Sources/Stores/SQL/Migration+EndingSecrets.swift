extension Migration {
    /// Until when the secret of before counts beside an application's present one, so that those that end soon are found by an index.
    /// Registrations of before tell it in their document, whose texts have no such quotation marks within, as microseconds.
    static let endingSecrets = Migration(version: 21, name: "ends of secrets") { types in
        let name = #""expiresAt":"#
        let digits = "substr(registration, \(types.position)(registration, '\(name)') + \(name.utf8.count), 16)"
        return [
            "ALTER TABLE applications ADD COLUMN secret_ends_at \(types.integer)",
            """
            UPDATE applications SET secret_ends_at = CAST(\(digits) AS \(types.integer)) \
            WHERE registration LIKE '%\(name)%' AND length(\(digits)) = 16 AND rtrim(\(digits), '0123456789') = ''
            """,
            """
            CREATE INDEX applications_ending ON applications (secret_ends_at, id) WHERE secret_ends_at IS NOT NULL
            """,
        ]
    }
}
