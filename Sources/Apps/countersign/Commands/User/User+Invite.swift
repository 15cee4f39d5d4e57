import AdminServer
import ArgumentParser
import CountersignCore

extension UserCommand {
    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite",
            abstract: "Invite a person to make an account.",
            discussion: """
                The link works for this address alone, once, for five days, also where signUp.isOpen is false.

                  countersign user invite anna@example.com --locale de
                  countersign user invite anna@example.com --print-link
                """)

        @Argument(help: "The e-mail address.")
        var email: String

        @Option(help: ArgumentHelp("The language of the mail, as en, de or ja.", valueName: "language"))
        var locale: String?

        @Flag(help: "Print the link instead of mailing it, to pass it on by another way.")
        var printLink = false

        @Option(
            help: ArgumentHelp("With --print-link: where users reach the server.", valueName: "url"))
        var publicURL: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if publicURL != nil && !printLink { throw ValidationError("--public-url goes with --print-link.") }
            try RealmOptions.check(publicURL: publicURL)
        }

        /// The answer with the whole link, as only the caller knows the server's address.
        private struct Result: Encodable {
            let email: String
            let expiresAt: Timestamp
            let link: String?
        }

        func run() async throws {
            let answer = try await realm.perform(InviteUser(email: email, locale: locale, givesLink: printLink))
            let link = answer.path.map {
                "\(realm.publicURL(publicURL, told: answer.server))/\($0.secret.reveal())"
            }
            try output.show(Result(email: answer.email, expiresAt: answer.expiresAt, link: link)) {
                let (name, until) = (answer.email.printable, answer.expiresAt.text)
                guard let link else { return ["Invited \(name). The link works until \(until)."] }
                return ["This link makes an account for \(name), once, until \(until):", link]
            }
        }
    }
}
