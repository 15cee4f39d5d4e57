import AdminServer
import ArgumentParser

extension UserCommand {
    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable",
            abstract: "Disable a user.",
            discussion: "The user cannot sign in or continue a session until enabled again. No data is lost.")

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(DisableUser(user: argument.user))
            try output.show(answer) { ["\(answer.user.shortName.printable) is disabled."] }
        }
    }
}
