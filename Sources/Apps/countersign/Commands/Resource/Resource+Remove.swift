import AdminServer
import ArgumentParser

extension ResourceCommand {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an API.", discussion: "No tokens are issued for it any more.")

        @Argument(help: "The API's identifier.")
        var uri: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RemoveResource(uri: uri))
            try output.show(answer) { ["Removed the API \(answer.uri.printable)."] }
        }
    }
}
