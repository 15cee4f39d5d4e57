import AdminServer
import ArgumentParser

extension ClientCommand {
    struct Unblock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unblock",
            abstract: "Let a client answer a check again that blocks it.",
            discussion: """
                A check blocks a client for a while after too many wrong answers; user checks and client show say until when. What the \
                wrong answers cost the user, from whatever client, is a limit of its own: see limit list.

                  countersign user checks anna@example.com
                  countersign client unblock 5f0c… PinCodeAttempts
                """)

        @OptionGroup var argument: ClientArgument

        @Argument(help: "The name of the check.")
        var check: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(UnblockClient(client: argument.client, check: check))
            try output.show(answer) { ["The client can answer \(answer.check) again."] }
        }
    }
}
