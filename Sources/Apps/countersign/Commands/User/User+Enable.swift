import AdminServer
import ArgumentParser

extension UserCommand {
    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "enable", abstract: "Enable a disabled user.")

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(EnableUser(user: argument.user))
            try output.show(answer) { ["\(answer.user.shortName.printable) is enabled."] }
        }
    }
}
