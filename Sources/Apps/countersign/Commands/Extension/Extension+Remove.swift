import AdminServer
import ArgumentParser

extension ExtensionCommand {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an extension.", discussion: "The server no longer calls its service.")

        @OptionGroup var argument: ExtensionArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RemoveExtension(id: argument.id))
            try output.show(answer) { ["Removed the extension \(answer.id.printable)."] }
        }
    }
}
