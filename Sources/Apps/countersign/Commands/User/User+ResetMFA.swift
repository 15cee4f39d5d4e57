import AdminServer
import ArgumentParser

extension UserCommand {
    struct ResetMFA: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-mfa",
            abstract: "Remove all second factors of a user who lost them.",
            discussion: """
                Verify the user's identity first: from then on the password alone is enough. The factors' counts of wrong \
                answers are removed too, and the user's sessions end.
                """)

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ResetSecondFactors(user: argument.user))
            try output.show(answer) {
                let name = answer.user.shortName.printable
                return switch answer.removed {
                case 0: ["\(name) has no second factor."]
                case 1: ["Removed the second factor of \(name), who is signed out everywhere."]
                default: ["Removed \(answer.removed) second factors of \(name), who is signed out everywhere."]
                }
            }
        }
    }
}
