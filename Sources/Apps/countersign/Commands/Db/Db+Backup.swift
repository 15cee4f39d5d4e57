import ArgumentParser
import CountersignServer

extension DbCommand {
    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup",
            abstract: "Copy a consistent snapshot of the database to a new file.",
            discussion: """
                Secrets in the copy are encrypted under the master key. Keep the two apart; or, if the copy is as protected \
                as the server, copy the key too with --with-master-key, to FILE.master-key. Nothing is overwritten.

                A restore brings back what the copy contains: the users, the keys, the administrator's token and the \
                first application.
                """)

        @Argument(help: "The file to create.") var file: String
        @Flag(help: "Copy the master key too, to FILE.master-key.") var withMasterKey = false
        @OptionGroup var realm: RealmOptions

        func run() async throws {
            try await Progress.showing("Copying") {
                try await realm.withOpenedRealm { try await $0.backup(to: file, withMasterKey: withMasterKey) }
            }
            Terminal.print("Wrote \(file)\(withMasterKey ? " and \(DataDirectory.masterKeyPath(beside: file))" : "").")
        }
    }
}
