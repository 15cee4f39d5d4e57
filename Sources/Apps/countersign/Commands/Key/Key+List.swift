import AdminServer
import ArgumentParser

extension KeyCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the signing keys, oldest first.")

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ListKeys())
            try output.show(answer) { KeyCommand.describe(answer.keys) }
        }
    }
}
