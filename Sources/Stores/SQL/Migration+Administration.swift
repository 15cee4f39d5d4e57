extension Migration {
    /// Groups of users with their members, the roles of administrators, and tokens of machines that administer.
    static let administration = Migration(version: 14, name: "administration") { types in
        [
            """
            CREATE TABLE user_groups (
                name \(types.text) NOT NULL PRIMARY KEY,
                summary \(types.text) NOT NULL,
                created_at \(types.integer) NOT NULL
            ) \(types.tableOptions)
            """,
            """
            CREATE TABLE group_members (
                group_name \(types.text) NOT NULL REFERENCES user_groups (name) ON DELETE CASCADE,
                user_id \(types.text) NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                created_at \(types.integer) NOT NULL,
                PRIMARY KEY (group_name, user_id)
            ) \(types.tableOptions)
            """,
            "CREATE INDEX group_members_of_user ON group_members (user_id, group_name)",
            """
            CREATE TABLE administrators (
                user_id \(types.text) NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
                role \(types.text) NOT NULL,
                granted_by \(types.text),
                created_at \(types.integer) NOT NULL
            ) \(types.tableOptions)
            """,
            "CREATE INDEX administrators_by_role ON administrators (role, user_id)",
            """
            CREATE TABLE machine_tokens (
                id \(types.text) NOT NULL PRIMARY KEY,
                digest \(types.blob) NOT NULL UNIQUE,
                name \(types.text) NOT NULL,
                scopes \(types.text) NOT NULL,
                created_by \(types.text),
                created_at \(types.integer) NOT NULL,
                expires_at \(types.integer) NOT NULL,
                last_used_at \(types.integer)
            ) \(types.tableOptions)
            """,
        ]
    }
}
