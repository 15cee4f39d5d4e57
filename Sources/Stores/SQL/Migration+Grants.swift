extension Migration {
    /// Version 12: what an application got of a session is a grant of its own, and authorization codes are rows of their own.
    ///
    /// Each session of before becomes a session and one grant, both under its id: so refresh tokens, which begin with the
    /// grant's id, and the `sid` of other tokens stay good, and what was sealed for the session's id opens as the grant's.
    /// Both keep the document of before and read their own members of it: a session `dialect` and `proofs`, a grant
    /// `dialect`, `scopes` and `details`.
    ///
    /// Codes of before stay among the flows, where they are redeemed for the rest of their minute.
    static let grants = Migration(version: 12, name: "grants and authorization codes") { types in
        [
            """
            CREATE TABLE grants (
                id \(types.text) NOT NULL PRIMARY KEY,
                session_id \(types.text) NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
                user_id \(types.text) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                client_id \(types.text) NOT NULL,
                created_at \(types.integer) NOT NULL,
                expires_at \(types.integer) NOT NULL,
                revoked_at \(types.integer),
                revision \(types.integer) NOT NULL,
                current_digest \(types.blob) NOT NULL,
                previous_digest \(types.blob),
                rotated_at \(types.integer),
                sealed_current \(types.blob),
                terms \(types.text) NOT NULL
            ) \(types.tableOptions)
            """,
            """
            INSERT INTO grants (id, session_id, user_id, client_id, created_at, expires_at, revoked_at, revision, \
            current_digest, previous_digest, rotated_at, sealed_current, terms) \
            SELECT id, id, user_id, client_id, created_at, expires_at, revoked_at, revision, current_digest, \
            previous_digest, rotated_at, sealed_current, evidence FROM sessions
            """,
            "CREATE INDEX grants_of_session ON grants (session_id, created_at, id)",
            "CREATE INDEX grants_of_user ON grants (user_id, created_at, id)",
            "CREATE INDEX grants_by_expiry ON grants (expires_at)",
            "ALTER TABLE sessions DROP COLUMN client_id",
            "ALTER TABLE sessions DROP COLUMN current_digest",
            "ALTER TABLE sessions DROP COLUMN previous_digest",
            "ALTER TABLE sessions DROP COLUMN rotated_at",
            "ALTER TABLE sessions DROP COLUMN sealed_current",
            "ALTER TABLE sessions ADD COLUMN address \(types.text)",
            "ALTER TABLE sessions ADD COLUMN user_agent \(types.text)",
            "ALTER TABLE sessions ADD COLUMN browser_digest \(types.blob)",
            """
            CREATE TABLE authorization_codes (
                digest \(types.blob) NOT NULL PRIMARY KEY,
                user_id \(types.text) REFERENCES users (id) ON DELETE CASCADE,
                created_at \(types.integer) NOT NULL,
                expires_at \(types.integer) NOT NULL,
                redeemed_at \(types.integer),
                grant_id \(types.text),
                body \(types.blob) NOT NULL
            ) \(types.tableOptions)
            """,
            "CREATE INDEX authorization_codes_of_user ON authorization_codes (user_id)",
            "DROP INDEX authorization_codes_by_expiry",
            "CREATE INDEX authorization_codes_by_expiry ON authorization_codes (expires_at)",
        ]
    }
}
