import CountersignCore
import Foundation
import GRDB
import StoreSQL

extension ColumnTypes {
    static let sqlite = ColumnTypes(
        integer: "INTEGER", text: "TEXT", blob: "BLOB", tableOptions: "STRICT", position: "instr",
        number: { column, path in
            // The sign that a path begins with stands for parameters in the text of a statement.
            "json_extract(\(column), char(36) || '\(path.map { Int($0) == nil ? ".\($0)" : "[\($0)]" }.joined())')"
        })
}

extension SQLiteStore {
    /// Opens the database at the path, made with mode 0600 where there is none, and brings its schema to the newest.
    ///
    /// Several processes may do so at once, also for a file that is not there yet.
    ///
    /// A file that may not be written – by its mode, by this user, or because its file system is read-only – is left as it
    /// is and only read; writes are then refused as `readOnly`. SQLite needs files beside it, so its directory must be
    /// writable all the same.
    /// - Throws: `StoreError` of code `outdated` where a newer program has been here, `readOnly` where an older program's
    ///   schema would have to be changed and cannot, `unavailable` where the file cannot be opened or is no database.
    public static func open(path: String, options: Options = Options()) async throws -> SQLiteStore {
        try await open(path: path, options: options, migrations: .all)
    }

    /// For tests: a database in a directory of its own, which goes when the store goes. It differs in nothing else from
    /// one that stays.
    /// - Parameter parent: where to make the directory; nil for where the system keeps such.
    public static func temporary(in parent: URL? = nil, options: Options = Options()) async throws -> SQLiteStore {
        try await blocking {
            let directory = try TemporaryDirectory(in: parent)
            return try store(
                path: directory.url.appendingPathComponent("store.sqlite").path, options: options, migrations: .all,
                temporaryDirectory: directory)
        }
    }

    /// For tests: with other migrations than the program's.
    static func open(path: String, options: Options, migrations: Migrations) async throws -> SQLiteStore {
        try await blocking {
            try store(path: path, options: options, migrations: migrations)
        }
    }

    private static func store(
        path: String, options: Options, migrations: Migrations, temporaryDirectory: TemporaryDirectory? = nil
    ) throws -> SQLiteStore {
        try DatabaseFile.createIfMissing(path)
        let isReadOnly = DatabaseFile.isReadOnly(path)
        if !isReadOnly { try DatabaseFile.restrict(path) }
        let writer = try retryingWhileBusy(for: options.busyTimeout) {
            var configuration = configuration(options)
            configuration.readonly = isReadOnly
            return try SQLiteAccess(path: path, configuration: configuration, isReadOnly: isReadOnly) { database in
                if isReadOnly {
                    try requireNewest(database, migrations)
                } else {
                    try makeDurable(database)
                    try migrate(database, migrations)
                }
            }
        }
        let readers = SQLiteReaders(most: options.readers, capacity: options.waitingReads) {
            var configuration = configuration(options)
            configuration.readonly = true
            return try translatingErrors {
                try SQLiteAccess(path: path, configuration: configuration, isReadOnly: isReadOnly)
            }
        }
        return SQLiteStore(
            path: path, writer: writer, readers: readers, isReadOnly: isReadOnly, options: options,
            temporaryDirectory: temporaryDirectory)
    }

    private static func requireNewest(_ database: Database, _ migrations: Migrations) throws {
        var isNewest = false
        try database.inTransaction(.deferred) {
            isNewest =
                try database.tableExists("schema_migrations")
                && migrations.areApplied(to: SQLiteConnection(database, isReadOnly: true))
            return .commit
        }
        guard isNewest else { throw migrations.readOnlyRefusal }
    }

    private static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.label = "countersign.sqlite"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(options.busyTimeout / .seconds(1))
        return configuration
    }

    /// Turns on the write-ahead log, asks for a wait at every commit (a group that needs none asks for none,
    /// `SQLiteConnection.begin`), and makes sure that both were heard, because a misspelt
    /// pragma is silently nothing.
    ///
    /// GRDB would turn the log on as well. But then it makes a table at each opening and drops it, with two waits for the disk, for the
    /// sake of a kind of snapshot that is not used here; and it sets `NORMAL`, under which a power cut may lose the last commits.
    private static func makeDurable(_ database: Database) throws {
        _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        // On Apple systems only this makes a drive write what it has in its cache; elsewhere it does nothing.
        try database.execute(sql: "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; PRAGMA synchronous = FULL")
        for (pragma, expected) in [("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1")] {
            let actual = try String.fetchOne(database, sql: "PRAGMA \(pragma)")
            guard actual == expected else {
                throw StoreError(.unavailable, "PRAGMA \(pragma) is \(actual ?? "missing"), not \(expected)")
            }
        }
    }

    private static func migrate(_ database: Database, _ migrations: Migrations) throws {
        try database.inTransaction(.immediate) {
            try migrations.apply(to: try SQLiteConnection(database), types: .sqlite)
            return .commit
        }
    }

    /// Tries again where another process is turning on the write-ahead log of the same new file: SQLite then answers
    /// `SQLITE_BUSY` at once, without waiting.
    private static func retryingWhileBusy<T>(for limit: Duration, _ attempt: () throws -> T) throws -> T {
        let end = ContinuousClock.now + limit
        while true {
            do {
                return try attempt()
            } catch let error as DatabaseError {
                let isBusy = [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
                guard isBusy, ContinuousClock.now < end else { throw StoreError(error) }
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }
}
