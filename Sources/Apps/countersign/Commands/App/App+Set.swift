import AdminServer
import ArgumentParser

extension AppCommand {
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change what an application is registered with.",
            discussion: """
                Options that you leave out do not change. A list replaces the previous one; an empty one clears it.

                  countersign app set shop --require-mfa
                  countersign app set shop --scopes ""
                  countersign app set shop --jwks keys.json
                """)

        @OptionGroup var argument: ApplicationArgument
        @OptionGroup(title: "Registration") var registration: RegistrationOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ChangeApplication(id: argument.id, registration: registration.change()))
            try output.show(answer) { AppCommand.describe(answer) }
        }
    }
}
