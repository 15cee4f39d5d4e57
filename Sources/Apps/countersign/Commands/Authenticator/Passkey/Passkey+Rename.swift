import ArgumentParser
import AuthenticatorBook

extension AuthenticatorCommand.PasskeyCommand {
    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Give a passkey another name here.",
            discussion: "The server's list keeps its own name.")

        private struct Answer: Encodable {
            let passkey: PasskeySummary
        }

        @Argument(help: "The passkey: its id, its name, its user, or a part.")
        var passkey: String

        @Argument(help: "The new name.")
        var name: String

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            guard let book = try await vault.openExistingPasskeys() else { throw PasskeyBookError.notFound(passkey) }
            let renamed = try await book.rename(try await book.passkeys().only(meant: passkey).id, to: name)
            try output.show(Answer(passkey: PasskeySummary(renamed))) {
                ["It is called \(renamed.name.printable) now."]
            }
        }
    }
}
