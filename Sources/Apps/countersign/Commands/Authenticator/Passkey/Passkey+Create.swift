import ArgumentParser
import AuthenticatorBook
import JSON
import PasskeyAuthenticator

extension AuthenticatorCommand.PasskeyCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Make a passkey for a server that sent options, and print the answer for it.",
            discussion: """
                Reads PublicKeyCredentialCreationOptionsJSON and prints RegistrationResponseJSON (WebAuthn Level 3), on \
                one line:

                  countersign authenticator passkey create \\
                    --origin https://example.com options.json > answer.json

                Where the server refuses the answer, remove the passkey.
                """)

        private struct Answer: Encodable {
            let passkey: PasskeySummary
            let response: JSONValue
        }

        @Option(help: "What to call it here (default: the server's name).")
        var name: String?

        @Flag(help: "Let the key sign without a further prompt, for any process that opens the vault.")
        var unattended = false

        @OptionGroup var input: CeremonyInput
        @OptionGroup(title: "Chip") var chip: ChipOptions
        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let origin = try input.callingOrigin()
            let request: CreationRequest
            do { request = try CreationRequest(parsing: input.bytes()) } catch let refusal as AuthenticatorRefusal {
                throw PasskeyBookError.options(refusal)
            }
            let book = try await vault.openPasskeys(chip.found)
            let (passkey, response) = try await book.make(
                for: request, at: origin, name: name, asksEachTime: !unattended,
                inHardware: try await chip.makesInChip)
            let text = try OutputOptions.text(of: response, pretty: false)
            try output.show(Answer(passkey: PasskeySummary(passkey), response: response)) { [text] }
        }
    }
}
