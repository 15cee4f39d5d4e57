import ArgumentParser
import AuthenticatorBook
import JSON
import PasskeyAuthenticator

extension AuthenticatorCommand.PasskeyCommand {
    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Sign in at a server that sent options, and print the answer for it.",
            discussion: """
                Reads PublicKeyCredentialRequestOptionsJSON and prints AuthenticationResponseJSON (WebAuthn Level 3), on \
                one line. The origin is signed: an answer for one server is worth nothing at another.
                """)

        private struct Answer: Encodable {
            let passkey: PasskeySummary
            let response: JSONValue
        }

        @Option(help: "Which passkey, where the server takes several: its id, its name, its user, or a part.")
        var passkey: String?

        @OptionGroup var input: CeremonyInput
        @OptionGroup(title: "Chip") var chip: ChipOptions
        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let origin = try input.callingOrigin()
            let request: AssertionRequest
            do { request = try AssertionRequest(parsing: input.bytes()) } catch let refusal as AuthenticatorRefusal {
                throw PasskeyBookError.options(refusal)
            }
            guard let book = try await vault.openExistingPasskeys(chip.found) else {
                throw PasskeyBookError.noneFor(request.rpID)
            }
            let (used, response) = try await book.answer(request, at: origin, by: passkey)
            let text = try OutputOptions.text(of: response, pretty: false)
            try output.show(Answer(passkey: PasskeySummary(used), response: response)) { [text] }
        }
    }
}
