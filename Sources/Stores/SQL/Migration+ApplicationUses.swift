extension Migration {
    /// When each application was last used, and by which protocols. What grants of before tell is taken over: they name their protocol in
    /// the document of their terms, whose texts have no such quotation marks within.
    static let applicationUses = Migration(version: 20, name: "application uses") { types in
        let dialects = ["identity-toolkit", "guardian", "native-auth", "security-checks", "oauth"]
        let cases = dialects.map { #"WHEN grants.terms LIKE '%"dialect":"\#($0)"%' THEN '\#($0)'"# }
        return [
            """
            CREATE TABLE application_uses (
                client_id \(types.text) NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
                dialect \(types.text) NOT NULL,
                used_at \(types.integer) NOT NULL,
                PRIMARY KEY (client_id, dialect)
            ) \(types.tableOptions)
            """,
            """
            INSERT INTO application_uses (client_id, dialect, used_at) \
            SELECT told.client_id, told.dialect, MAX(told.used_at) FROM (\
            SELECT grants.client_id AS client_id, CASE \(cases.joined(separator: " ")) END AS dialect, \
            COALESCE(grants.rotated_at, grants.created_at) AS used_at FROM grants \
            JOIN applications ON applications.id = grants.client_id \
            WHERE grants.created_at >= applications.created_at) AS told \
            WHERE told.dialect IS NOT NULL GROUP BY told.client_id, told.dialect
            """,
        ]
    }
}
