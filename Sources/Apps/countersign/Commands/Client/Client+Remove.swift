import AdminServer
import ArgumentParser

extension ClientCommand {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a client.",
            discussion: "The app registers again with its next request and is challenged again.")

        @OptionGroup var argument: ClientArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RemoveClient(client: argument.client))
            try output.show(answer) { ["Removed the client \(answer.client)."] }
        }
    }
}
