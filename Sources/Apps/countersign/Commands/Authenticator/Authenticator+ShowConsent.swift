import ArgumentParser
import AuthenticatorBook

extension AuthenticatorCommand {
    struct ShowConsent: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "consent",
            abstract: "Show what a request asks you to agree to, beyond a sign-in.",
            discussion: """
                No answer is sent. The device's key authenticates the call to the server and asks for the passcode.

                  countersign authenticator consent 1a2b3c4d --json
                """)

        private struct Answer: Encodable {
            let request: RequestSummary
            let consent: RequestedConsent
        }

        @OptionGroup var argument: RequestArgument
        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let book = try await vault.openExisting()
            let request = try await argument.request(in: book, verb: "Show", output: output)
            guard let consent = try await book?.consent(for: request) else {
                throw CommandFailure(.notFound, "The request asks for a sign-in alone.")
            }
            try output.show(Answer(request: RequestSummary(request), consent: consent)) { consent.lines }
        }
    }
}
