import ArgumentParser

/// The database of a data directory.
struct DbCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db", abstract: "Migrate, back up, restore and check the database.",
        discussion: """
            All but restore work while a server runs. They are for the database in the data directory; PostgreSQL has its \
            own tools (pg_dump, pg_restore). What a backup contains – the users, the keys, the administrator's token, \
            the first application – is the same again where it is restored.

              countersign db backup /backups/2026-11-21.sqlite --with-master-key
              countersign db restore /backups/2026-11-21.sqlite --data ./restored
            """,
        subcommands: [Migrate.self, Backup.self, Restore.self, Check.self])
}
