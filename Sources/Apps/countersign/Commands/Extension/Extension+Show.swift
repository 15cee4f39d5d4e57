import AdminServer
import ArgumentParser

extension ExtensionCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show an extension.")

        @OptionGroup var argument: ExtensionArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ShowExtension(id: argument.id))
            try output.show(answer) { ExtensionCommand.describe(answer.extension) }
        }
    }
}
