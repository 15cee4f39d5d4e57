import ArgumentParser
import CountersignCore
import CountersignServer

extension DbCommand {
    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore",
            abstract: "Restore a data directory from a backup.",
            discussion: """
                The users, the keys, the administrator's token and the first application are those of the backup. The \
                directory must not contain a database. The master key is FILE.master-key if that exists; otherwise \
                put it into the directory as master-key before the server starts.
                """)

        @Argument(help: "The file that `backup` wrote.") var file: String
        @Option(help: ArgumentHelp("The data directory to create.", valueName: "dir")) var data: String?
        @Flag(help: "Without --data: create ./countersign-dev-data, as `countersign serve --dev` uses it.") var dev =
            false

        func validate() throws {
            if data == nil && !dev { throw ValidationError("Name the directory to create with --data.") }
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
}
