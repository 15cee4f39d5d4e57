import AdminServer
import ArgumentParser

extension ClientCommand {
    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable",
            abstract: "Refuse a client until it is enabled again.",
            discussion: "Introspection reports its tokens as inactive at once. No data is lost.")

        @OptionGroup var argument: ClientArgument

        @Option(help: "Why: DISABLED, LOST, STOLEN or EXPIRED.")
        var status = "DISABLED"

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(SetClientStatus(client: argument.client, status: status))
            try output.show(answer) { ["The client is \(answer.client.status)."] }
        }
    }
}
