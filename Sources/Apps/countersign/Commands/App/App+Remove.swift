import AdminServer
import ArgumentParser

extension AppCommand {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an application.", discussion: "Clients can no longer use its id. Users stay.")

        @OptionGroup var argument: ApplicationArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RemoveApplication(id: argument.id))
            try output.show(answer) { ["Removed the application \(answer.id.printable)."] }
        }
    }
}
