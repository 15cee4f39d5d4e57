import AdminServer
import ArgumentParser

extension ResourceCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register an API, or replace the one with its identifier.",
            discussion: """
                  countersign resource add https://api.example.com --scopes "read write"
                  countersign resource add https://pay.example.com --scopes pay --min-acr aal2 --owner shop
                """)

        @Argument(help: "The API's identifier: an absolute URI, which tokens have as audience.")
        var uri: String

        @Option(help: "What people are shown.")
        var name: String?

        @Option(help: ArgumentHelp("The API's scopes, separated by spaces or commas.", valueName: "scopes"))
        var scopes: [String] = []

        @Option(
            help: ArgumentHelp("The least assurance of a session that gets a scope: aal1 or aal2.", valueName: "level"))
        var minAcr: String?

        @Option(help: ArgumentHelp("The application that asks about the API's tokens.", valueName: "client"))
        var owner: String?

        @Option(help: ArgumentHelp("How long access tokens live: 60 to 86400.", valueName: "seconds"))
        var lifetime: Int?

        @Option(
            help: ArgumentHelp(
                "What access tokens are: jwt, or opaque for an API that asks about each (introspection).",
                valueName: "format"))
        var token: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let words = scopes.flatMap { $0.split { $0 == " " || $0 == "," }.map(String.init) }
            let answer = try await realm.perform(
                PutResource(
                    uri: uri, displayName: name, scopes: words, minimumACR: minAcr, owner: owner, lifetime: lifetime,
                    tokenFormat: token))
            try output.show(answer) { ResourceCommand.describe(answer.resource) }
        }
    }
}
