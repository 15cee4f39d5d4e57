import ArgumentParser
import AuthenticatorBook

extension AuthenticatorCommand.PasskeyCommand {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a passkey and its key.",
            discussion: """
                This cannot be undone, and the server is not told: remove it on your account page as well. Make sure first \
                that you can sign in without it.
                """)

        private struct Answer: Encodable {
            let removed: String
        }

        @Argument(help: "The passkey: its id, its name, its user, or a part.")
        var passkey: String

        @Flag(help: "Do not ask.")
        var yes = false

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            if !yes && !Terminal.canAsk {
                throw CommandFailure(.usage, "Removal cannot be undone. Without a terminal, confirm with --yes.")
            }
            guard let book = try await vault.openExistingPasskeys() else { throw PasskeyBookError.notFound(passkey) }
            let (id, label) = try await found(in: book)
            if !yes, !Terminal.confirms("Remove \(label.printable) [\(id)] and its key?") {
                throw CommandFailure(.refused, "Nothing was removed.")
            }
            try await book.remove(id)
            try output.show(Answer(removed: id)) { ["Removed \(label.printable)."] }
        }

        /// One that cannot be read can be thrown away by its id.
        private func found(in book: PasskeyBook) async throws -> (id: Passkey.ID, label: String) {
            do {
                let found = try await book.passkeys().only(meant: passkey)
                return (found.id, found.label)
            } catch PasskeyBookError.damaged(let id) where id == passkey {
                return (id, id)
            }
        }
    }
}
