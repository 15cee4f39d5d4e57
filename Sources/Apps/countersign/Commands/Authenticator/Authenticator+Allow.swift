import ArgumentParser
import AuthenticatorBook

extension AuthenticatorCommand {
    struct Allow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "allow",
            abstract: "Allow a waiting sign-in.",
            discussion: """
                Allow only what you have started yourself. The device's key signs the answer and asks for the passcode.

                  countersign authenticator allow 1a2b3c4d
                  countersign authenticator allow --latest --number 42

                At a terminal, a request to agree to something is shown first and needs a confirmation; without a \
                terminal, use `consent` to show it.
                """)

        @OptionGroup var argument: RequestArgument

        @Option(help: "The number that the screen shows, where the request asks for it.")
        var number: String?

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let book = try await vault.openExisting()
            let request = try await argument.request(in: book, verb: "Allow", output: output)
            guard let book else { return }
            if request.asksForConsent, Terminal.canAsk {
                try await book.consent(for: request)?.lines.forEach { Terminal.say($0) }
                guard Terminal.confirms("Agree to that?") else {
                    throw CommandFailure(.refused, "No answer was sent.")
                }
            }
            var number = number
            if number == nil, let length = request.numberLength {
                guard Terminal.canAsk else {
                    throw CommandFailure(.usage, "The request asks for the number on the screen: --number.")
                }
                Terminal.write("The number on the screen (\(length) digits): ")
                number = readLine()
            }
            let decision = Decision.allow(number: request.numberLength == nil ? nil : number)
            try await book.answer(request, decision)
            try output.show(DecisionAnswer(request, decision)) { [DecisionAnswer.sentence(request, decision)] }
        }
    }
}
