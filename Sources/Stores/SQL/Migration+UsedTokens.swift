extension Migration {
    /// Used tokens get a table of their own. Client assertions were flows of one purpose, under the same digests.
    static let usedTokens = Migration(version: 13, name: "used tokens") { types in
        [
            """
            CREATE TABLE used_tokens (
                digest \(types.blob) NOT NULL PRIMARY KEY,
                kind \(types.text) NOT NULL,
                expires_at \(types.integer) NOT NULL
            ) \(types.tableOptions)
            """,
            "CREATE INDEX used_tokens_by_expiry ON used_tokens (expires_at)",
            """
            INSERT INTO used_tokens (digest, kind, expires_at) SELECT digest, purpose, expires_at FROM flows \
            WHERE purpose = 'client-assertion'
            """,
            "DELETE FROM flows WHERE purpose = 'client-assertion'",
        ]
    }
}
