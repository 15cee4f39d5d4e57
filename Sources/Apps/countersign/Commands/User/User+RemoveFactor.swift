import AdminServer
import ArgumentParser

extension UserCommand {
    struct RemoveFactor: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-factor",
            abstract: "Remove one second factor or passkey of a user.",
            discussion: """
                countersign user show --json has the ids. Verify the user's identity first. With the last second factor \
                the recovery codes go too, and all sessions end.
                """)

        @OptionGroup var argument: UserArgument

        @Argument(help: "The factor's id.")
        var factor: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(AdminServer.RemoveFactor(user: argument.user, factor: factor))
            try output.show(answer) {
                ["Removed the factor \(answer.factor.printable) of \(answer.user.shortName.printable)."]
            }
        }
    }

    struct EndSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end-sessions",
            abstract: "End all sessions of a user.",
            discussion: "Everything that applications got of them ends too. The user signs in again.")

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(AdminServer.EndSessions(user: argument.user))
            try output.show(answer) { ["Ended \(answer.ended) sessions of \(answer.user.shortName.printable)."] }
        }
    }
}
