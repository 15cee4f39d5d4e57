import AdminServer
import ArgumentParser

extension ExtensionCommand {
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Call a service and check its answer.",
            discussion: """
                The call is about a user that does not exist, check@example.invalid. A service that sends codes will try \
                to send one there.

                This machine makes the call. With --server the server makes it, as in a sign-in; without, \
                COUNTERSIGN_EXTENSIONS_ALLOWED_NETWORKS and COUNTERSIGN_EXTENSIONS_AUTHORITIES apply.

                The exit code is 0 if everything is right, and 1 if not.
                """)

        @OptionGroup var argument: ExtensionArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(CheckExtension(id: argument.id), activity: "Calling")
            if let code = answer.code {
                if output.json { try output.show(answer) { [] } }
                let detail = answer.detail.map { " (\($0))" } ?? ""
                throw CommandFailure(
                    .refused, "\(code) \(answer.name ?? "")\(detail). \(answer.advice ?? "")")
            }
            try output.show(answer) {
                var lines = ["The service answers as it should: \(answer.action ?? "")."]
                if !answer.claims.isEmpty { lines.append("Claims: \(answer.claims.joined(separator: " "))") }
                return lines
            }
        }
    }
}
