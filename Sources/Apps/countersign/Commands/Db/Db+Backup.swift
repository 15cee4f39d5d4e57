import ArgumentParser
import CountersignServer

extension DbCommand {
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
}
