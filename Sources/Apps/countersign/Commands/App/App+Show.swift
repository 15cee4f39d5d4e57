import AdminServer
import ArgumentParser

extension AppCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show an application.")

        @OptionGroup var argument: ApplicationArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ShowApplication(id: argument.id))
            try output.show(answer) { AppCommand.describe(answer.application) }
        }
    }
}
