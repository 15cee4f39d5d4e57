import AdminServer
import ArgumentParser

extension ClientCommand {
    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "enable", abstract: "Enable a disabled client.")

        @OptionGroup var argument: ClientArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(SetClientStatus(client: argument.client, status: "ACTIVE"))
            try output.show(answer) { ["The client is \(answer.client.status)."] }
        }
    }
}
