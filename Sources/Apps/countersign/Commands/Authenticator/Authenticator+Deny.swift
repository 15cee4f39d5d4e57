import ArgumentParser
import AuthenticatorBook

extension AuthenticatorCommand {
    struct Deny: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deny",
            abstract: "Deny a waiting sign-in.",
            discussion: """
                The reason is in the server's log. --not-me says that the sign-in is not yours: all your other waiting \
                requests end too.

                  countersign authenticator deny 1a2b3c4d --reason "wrong account"
                  countersign authenticator deny --latest --not-me
                """)

        @OptionGroup var argument: RequestArgument

        @Option(help: "Why; for the server's log.")
        var reason: String?

        @Flag(help: "Report that another person is signing in.")
        var notMe = false

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if notMe && reason != nil { throw ValidationError("--not-me is the reason. Leave out --reason.") }
            if let reason, reason.utf8.count > AccountBook.reasonLimit {
                throw ValidationError("A reason has at most \(AccountBook.reasonLimit) bytes.")
            }
        }

        func run() async throws {
            let book = try await vault.openExisting()
            let request = try await argument.request(in: book, verb: "Deny", output: output)
            guard let book else { return }
            let decision: Decision = notMe ? .notMe : .deny(reason: reason)
            try await book.answer(request, decision)
            try output.show(DecisionAnswer(request, decision)) { [DecisionAnswer.sentence(request, decision)] }
        }
    }
}
