import AdminServer
import ArgumentParser

extension AppCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Register an application.",
            discussion: """
                  countersign app add --name Shop
                  countersign app add --id shop --secret \\
                    --redirect-uri https://shop.example.com/callback \\
                    --challenge-types "oob password redirect" --scopes "openid profile" \\
                    --attribute city:string:required \\
                    --audience https://api.example.com
                """)

        @Option(help: "The client id (default: generated, in the form of an API key).")
        var id: String?

        @OptionGroup(title: "Registration") var registration: RegistrationOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(AddApplication(id: id, registration: registration.change()))
            try output.show(answer) { AppCommand.describe(answer) }
        }
    }
}
