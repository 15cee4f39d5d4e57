import ArgumentParser
import CountersignCore
import CountersignServer

extension DbCommand {
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
}
