import CountersignCore

/// The list of migrations, and how a database is brought to the newest.
public struct Migrations: Sendable {
    /// The migrations of this program.
    public static let all = Migrations([
        .firstSchema, .phoneNumbers, .recipients, .outboxUsers, .delivery, .clientRegistrations, .namedInstants,
        .authorizationCodes, .openCharges, .offeredFactors, .clientRecords, .grants,
        .usedTokens, .administration, .eventHooks, .ownAccounts, .userNames,
        .applicationSessions, .selfRegistration, .applicationUses, .endingSecrets, .auditSeals,
    ])

    let steps: [Migration]

    /// - Parameter steps: versions 1, 2, 3, …
    public init(_ steps: [Migration]) {
        precondition(steps.map(\.version) == Array(1...steps.count), "versions count from 1 without gaps")
        self.steps = steps
    }

    /// Applies what the database has not seen yet, and notes it in the table `schema_migrations`.
    ///
    /// Two programs that start at once both come here, so the transaction must exclude every other that migrates:
    /// `BEGIN IMMEDIATE`, or an advisory lock.
    /// - Returns: the versions that were applied now.
    /// - Throws: `StoreError` of code `outdated` where the schema is newer than this program, which then must not touch
    ///   it: an older program would write rows that the newer one has already changed the meaning of.
    @discardableResult
    public func apply(to connection: any SQLConnection, types: ColumnTypes) throws -> [Int] {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS schema_migrations (\
            version \(types.integer) NOT NULL PRIMARY KEY, name \(types.text) NOT NULL) \(types.tableOptions)
            """)
        let missing = steps.dropFirst(try knownVersion(of: connection))
        for migration in missing {
            for statement in migration.statements(types) {
                try connection.execute(statement)
            }
            try connection.execute(
                "INSERT INTO schema_migrations (version, name) VALUES ($1, $2)",
                [SQLValue(migration.version), SQLValue(migration.name)])
        }
        return missing.map(\.version)
    }

    /// Whether nothing is missing, which is found out without writing. The table `schema_migrations` has to be there.
    /// - Throws: `StoreError` of code `outdated`, as ``apply(to:types:)`` does.
    public func areApplied(to connection: any SQLConnection) throws -> Bool {
        try knownVersion(of: connection) == steps.count
    }

    /// What to say of a database that has to be brought to the newest and takes no writes.
    public var readOnlyRefusal: StoreError {
        StoreError(
            .readOnly,
            "the database takes no writes, and its schema has to be brought to version \(steps.count) first: start this "
                + "version of the program once where the database can be written")
    }

    private func knownVersion(of connection: any SQLConnection) throws -> Int {
        let present = try version(of: connection)
        guard present <= steps.count else {
            throw StoreError(
                .outdated,
                "the schema has version \(present), and this program knows versions up to \(steps.count): start a program "
                    + "that is as new as the one that was here, or restore the backup from before it")
        }
        return present
    }

    func version(of connection: any SQLConnection) throws -> Int {
        let statement = "SELECT version FROM schema_migrations ORDER BY version DESC LIMIT 1"
        guard let row = try connection.rows(statement, []).first else { return 0 }
        var reader = RowReader(row, table: "schema_migrations")
        return try reader.integer()
    }
}
