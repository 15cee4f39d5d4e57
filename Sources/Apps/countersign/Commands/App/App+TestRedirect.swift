import AdminServer
import ArgumentParser

extension AppCommand {
    struct TestRedirectURI: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test-redirect",
            abstract: "Say whether a redirect URI of a request would be taken.",
            discussion: """
                It ends with 1 where it would not.

                  countersign app test-redirect shop https://shop.example.com/callback
                """)

        @OptionGroup var argument: ApplicationArgument

        @Argument(help: "The address, as a request has it.")
        var uri: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(TestRedirect(id: argument.id, uri: uri))
            try output.show(answer) {
                if answer.isAdmitted { return ["It would be taken."] }
                return [answer.reason ?? "It would be refused."]
                    + (answer.nearest.map { ["The nearest registered one: \($0.printable)"] } ?? [])
            }
            if !answer.isAdmitted { throw ExitCode(ExitStatus.refused.rawValue) }
        }
    }
}
