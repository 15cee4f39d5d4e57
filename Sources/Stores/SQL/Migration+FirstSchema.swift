extension Migration {
    /// Version 1. Instants are microseconds since 1970; flags are 0 or 1; documents are JSON text.
    static let firstSchema = Migration(version: 1, name: "first schema") { types in
        [
            """
            CREATE TABLE users (
                id \(types.text) NOT NULL PRIMARY KEY,
                revision \(types.integer) NOT NULL,
                email \(types.text) UNIQUE,
                is_disabled \(types.integer) NOT NULL,
                profile \(types.text) NOT NULL,
                created_at \(types.integer) NOT NULL,
                last_sign_in_at \(types.integer),
                last_refresh_at \(types.integer),
                password_changed_at \(types.integer),
                tokens_valid_after \(types.integer) NOT NULL,
                token_epoch \(types.integer) NOT NULL
            ) \(types.tableOptions)
            """,
            """
            CREATE TABLE factors (
                id \(types.text) NOT NULL PRIMARY KEY,
                user_id \(types.text) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                kind \(types.text) NOT NULL,
                name \(types.text) NOT NULL,
                created_at \(types.integer) NOT NULL,
                last_used_at \(types.integer),
                revision \(types.integer) NOT NULL,
                payload \(types.blob) NOT NULL
            ) \(types.tableOptions)
            """,
            "CREATE INDEX factors_of_user ON factors (user_id, created_at, id)",
            """
            CREATE TABLE flows (
                digest \(types.blob) NOT NULL PRIMARY KEY,
                user_id \(types.text) REFERENCES users (id) ON DELETE CASCADE,
                purpose \(types.text) NOT NULL,
                attempts \(types.integer) NOT NULL,
                revision \(types.integer) NOT NULL,
                created_at \(types.integer) NOT NULL,
                expires_at \(types.integer) NOT NULL,
                finished_at \(types.integer),
                body \(types.blob) NOT NULL
            ) \(types.tableOptions)
            """,
            "CREATE INDEX flows_of_user ON flows (user_id)",
            "CREATE INDEX flows_by_expiry ON flows (expires_at)",
            """
            CREATE TABLE sessions (
                id \(types.text) NOT NULL PRIMARY KEY,
                user_id \(types.text) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                client_id \(types.text) NOT NULL,
                token_epoch \(types.integer) NOT NULL,
                created_at \(types.integer) NOT NULL,
                expires_at \(types.integer) NOT NULL,
                revoked_at \(types.integer),
                revision \(types.integer) NOT NULL,
                current_digest \(types.blob) NOT NULL,
                previous_digest \(types.blob),
                rotated_at \(types.integer),
                sealed_current \(types.blob),
                evidence \(types.text) NOT NULL
            ) \(types.tableOptions)
            """,
            "CREATE INDEX sessions_of_user ON sessions (user_id, created_at, id)",
            "CREATE INDEX sessions_by_expiry ON sessions (expires_at)",
            """
            CREATE TABLE signing_keys (
                id \(types.text) NOT NULL PRIMARY KEY,
                algorithm \(types.text) NOT NULL,
                created_at \(types.integer) NOT NULL,
                retired_at \(types.integer),
                removed_after \(types.integer),
                sealed_private_key \(types.blob) NOT NULL
            ) \(types.tableOptions)
            """,
            """
            CREATE TABLE applications (
                id \(types.text) NOT NULL PRIMARY KEY,
                revision \(types.integer) NOT NULL,
                created_at \(types.integer) NOT NULL,
                registration \(types.text) NOT NULL
            ) \(types.tableOptions)
            """,
            """
            CREATE TABLE attempt_counters (
                name \(types.text) NOT NULL PRIMARY KEY,
                attempts \(types.integer) NOT NULL,
                began_at \(types.integer) NOT NULL,
                blocked_until \(types.integer)
            ) \(types.tableOptions)
            """,
            "CREATE INDEX attempt_counters_by_beginning ON attempt_counters (began_at)",
            // No reference to users: the log outlives them.
            """
            CREATE TABLE audit_events (
                id \(types.text) NOT NULL PRIMARY KEY,
                at \(types.integer) NOT NULL,
                kind \(types.text) NOT NULL,
                user_id \(types.text),
                client_id \(types.text),
                dialect \(types.text),
                source \(types.text),
                reason \(types.text),
                details \(types.text) NOT NULL
            ) \(types.tableOptions)
            """,
            "CREATE INDEX audit_events_of_user ON audit_events (user_id, id)",
            "CREATE INDEX audit_events_by_time ON audit_events (at)",
            """
            CREATE TABLE outbox_messages (
                id \(types.text) NOT NULL PRIMARY KEY,
                channel \(types.text) NOT NULL,
                recipient \(types.text) NOT NULL,
                created_at \(types.integer) NOT NULL,
                attempts \(types.integer) NOT NULL,
                next_attempt_at \(types.integer) NOT NULL,
                delivered_at \(types.integer),
                sealed_content \(types.blob) NOT NULL
            ) \(types.tableOptions)
            """,
            "CREATE INDEX outbox_messages_due ON outbox_messages (next_attempt_at) WHERE delivered_at IS NULL",
            "CREATE INDEX outbox_messages_by_creation ON outbox_messages (created_at)",
            """
            CREATE TABLE documents (
                name \(types.text) NOT NULL PRIMARY KEY,
                body \(types.blob) NOT NULL
            ) \(types.tableOptions)
            """,
        ]
    }
}
