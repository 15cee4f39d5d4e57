import AdminServer
import ArgumentParser

extension AppCommand {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an application.", discussion: "Its id opens nothing any more. Users stay.")

        @OptionGroup var argument: ApplicationArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RemoveApplication(id: argument.id))
            try output.show(answer) { ["Removed the application \(answer.id.printable)."] }
        }
    }
}
