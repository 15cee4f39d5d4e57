extension Migration {
    /// Lists of an application's sessions. What was ended is left out, so that a page costs what it shows.
    static let applicationSessions = Migration(version: 18, name: "sessions of applications") { _ in
        ["CREATE INDEX grants_of_client ON grants (client_id, created_at, id) WHERE revoked_at IS NULL"]
    }
}
