import AdminServer
import ArgumentParser

extension UserCommand {
    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable",
            abstract: "Enable a disabled user.",
            discussion: """
                The user signs in anew. Tokens of programs that the user made end: an intruder in the account could have made or read them.
                """)

        @OptionGroup var argument: UserArgument
        @Flag(help: "Let the tokens of programs that the user made open again what the user may do.")
        var keepTokens = false
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(EnableUser(user: argument.user, keepTokens: keepTokens ? true : nil))
            try output.show(answer) { ["\(answer.user.shortName.printable) is enabled."] }
        }
    }
}
