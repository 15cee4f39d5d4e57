import AdminServer
import ArgumentParser
import CountersignCore
import Foundation

extension UserCommand {
    struct ResetPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-password",
            abstract: "Mail a link to choose a new password.",
            discussion: """
                The link is valid for an hour. With --print-link the command prints it instead: pass it on by a channel \
                that only the user reads, because its holder can set the password. With --generate the command sets a \
                random password at once and prints it; the user's sessions end.

                  countersign user reset-password anna@example.com
                  countersign user reset-password anna@example.com --print-link \\
                    --public-url https://login.example.com
                """)

        @Flag(help: "Print the link instead of mailing it.")
        var printLink = false

        @Flag(help: "Set a random password and print it once.")
        var generate = false

        @Option(
            name: .customLong("public-url"),
            help: ArgumentHelp(
                "With --print-link: where users reach the server (default: $COUNTERSIGN_PUBLIC_URL, the public URL that "
                    + "the server was started with, --server, or where it listened).", valueName: "url"))
        var publicURL: String?

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if printLink && generate { throw ValidationError("Give one of --print-link and --generate.") }
            if publicURL != nil && !printLink { throw ValidationError("--public-url goes with --print-link.") }
            try RealmOptions.check(publicURL: publicURL)
        }

        /// The answer with the whole link, as only the caller knows the server's address.
        private struct Result: Encodable {
            let user: UserSummary
            let link: String?
            let password: SecretText?
        }

        func run() async throws {
            let method: AdminServer.ResetPassword.Method = printLink ? .link : generate ? .generate : .mail
            let answer = try await realm.perform(AdminServer.ResetPassword(user: argument.user, method: method))
            let link = answer.path.map { "\(realm.publicURL(publicURL, told: answer.server))/\($0.secret.reveal())" }
            try output.show(Result(user: answer.user, link: link, password: answer.password)) {
                let name = answer.user.shortName.printable
                if let link { return ["This link sets the password of \(name), within an hour:", link] }
                if let password = answer.password {
                    return [
                        "\(name) has a new password and is signed out everywhere.",
                        "The password, shown only once: \(password.secret.reveal())",
                    ]
                }
                return ["A link to choose a new password is on its way to \(name). It is valid for an hour."]
            }
        }
    }
}
