import ArgumentParser
import CountersignCore
import CountersignServer
import Foundation

/// The database of a data directory.
struct DbCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db", abstract: "Migrate, back up, restore and check the database.",
        discussion: """
            All but restore work while a server runs. They are for the database in the data directory; one in PostgreSQL \
            has tools of its own (pg_dump, pg_restore). What a backup holds – users, keys, the administrator's token, the \
            first application – is the same again where it is restored.

              countersign db backup /backups/2026-11-21.sqlite --with-master-key
              countersign db restore /backups/2026-11-21.sqlite --data ./restored
            """,
        subcommands: [Migrate.self, Backup.self, Restore.self, Check.self])
}

extension DbCommand {
    struct Migrate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Bring the schema up to this program's version.",
            discussion: "A server does the same when it starts. A schema of a newer program is refused.")

        @OptionGroup var realm: RealmOptions

        func run() async throws {
            try await realm.withOpenedRealm { _ in }
            Terminal.print("The schema is up to date.")
        }
    }

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy the database, as it is at one instant, to a new file.",
            discussion: """
                Secrets in the copy are sealed: it opens nothing without the master key. Keep the two apart; or, where the \
                copy is kept as safe as the server, take the key along with --with-master-key: it becomes FILE.master-key. \
                Nothing is overwritten.
                """)

        @Argument(help: "The file to make.") var file: String
        @Flag(help: "Copy the master key too, to FILE.master-key.") var withMasterKey = false
        @OptionGroup var realm: RealmOptions

        func run() async throws {
            try await Progress.showing("Copying") {
                try await realm.withOpenedRealm { try await $0.backup(to: file, withMasterKey: withMasterKey) }
            }
            Terminal.print("Wrote \(file)\(withMasterKey ? " and \(DataDirectory.masterKeyPath(beside: file))" : "").")
        }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a data directory out of a backup.",
            discussion: """
                The directory must hold no database yet. The master key is FILE.master-key where there is one; otherwise \
                put it into the directory as master-key before the server starts.
                """)

        @Argument(help: "The file that backup made.") var file: String
        @Option(help: ArgumentHelp("The data directory to make.", valueName: "dir")) var data: String?
        @Flag(help: "Without --data: make ./countersign-dev-data, where `countersign serve --dev` looks.") var dev =
            false

        func validate() throws {
            if data == nil && !dev { throw ValidationError("Name the directory to make with --data.") }
        }

        func run() async throws {
            let data = data ?? ServerConfiguration.standardDataDirectory(isDevelopment: true)
            let restored = try await Progress.showing("Copying") { try await DataDirectory.restore(file, to: data) }
            let mode = restored.kind == .development ? " --dev" : ""
            Terminal.print("Restored to \(data). Start it with `countersign serve\(mode) --data \(data)`.")
            if !restored.hasMasterKey {
                Terminal.say("The backup has no master key: put yours into \(data)/master-key first.")
            }
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read the whole database and look for damage.",
            discussion: "Exit code 1 where there is any. The master key is tried too.")

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        private struct Answer: Encodable {
            let faults: [String]
        }

        func run() async throws {
            let faults = try await Progress.showing("Reading") {
                try await realm.withOpenedRealm { try await $0.check() }
            }
            try output.show(Answer(faults: faults)) { faults.isEmpty ? ["The database is sound."] : faults }
            if !faults.isEmpty { throw CommandFailure(.refused, "The database is damaged. Restore it from a backup.") }
        }
    }
}
