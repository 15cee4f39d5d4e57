extension PostgresFailure {
    /// What an operator does about an SQLSTATE (appendix A of PostgreSQL's manual).
    static func advice(on state: String) -> String? {
        switch state {
        case "53100": "the disk of PostgreSQL is full. Free some space there; what was written before is intact"
        case "53300": "PostgreSQL has no connection left. Raise its max_connections, or run fewer servers on it"
        case "42501": "the user of --database may not do that. Make it the owner of the database"
        case "25006": "the database is read-only: a standby, or set so. Name the primary with --database"
        case "XX001", "XX002":
            "the database is damaged. Put a backup in its place with pg_restore; pg_amcheck tells what is damaged"
        default: nil
        }
    }

    /// libpq tells why a connection was not made in words alone: what it said is repeated, as it has no values in it.
    static func advice(onConnectionLost reason: String) -> String? {
        let words = reason.lowercased()
        if words.contains("password authentication failed") || words.contains("no password supplied") {
            return "PostgreSQL takes another password. Set PGPASSWORD or ~/.pgpass, and look at the user in --database"
        }
        if words.contains("does not exist") {
            return "PostgreSQL has no such database or user. Make it (createdb, createuser), or correct --database"
        }
        if words.contains("connection refused") || words.contains("could not translate host name")
            || words.contains("timeout expired")
        {
            return "PostgreSQL cannot be reached. Look whether it runs, and whether --database names its host and port"
        }
        return nil
    }
}
