import ArgumentParser
import AuthenticatorBook

extension AuthenticatorCommand {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an account, its secret and its key.",
            discussion: """
                A device that answers requests is removed at its server first. If the server no longer exists, or no longer \
                knows the device: --local-only.

                This cannot be undone. Make sure first that you can sign in without it: the service asks for a code until \
                you switch that off there.
                """)

        private struct Answer: Encodable {
            let removed: String
        }

        @Argument(help: "The account: its id, its name, its issuer, or a part.")
        var account: String

        @Flag(help: "Do not ask.")
        var yes = false

        @Flag(help: "Remove it here only, without notifying the server.")
        var localOnly = false

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            if !yes && !Terminal.canAsk {
                throw CommandFailure(.usage, "Removal cannot be undone. Without a terminal, confirm with --yes.")
            }
            guard let book = try await vault.openExisting() else { throw AccountBookError.notFound(account) }
            let found = try await self.found(in: book)
            let label = found?.label ?? account
            if !yes, !Terminal.confirms("Remove \(label.printable) [\(found?.id ?? account)] and its secret?") {
                throw CommandFailure(.refused, "Nothing was removed.")
            }
            told: if let found, found.device != nil, !localOnly {
                do {
                    try await book.unenroll(found)
                } catch {
                    guard error.kind != .unknownDevice else { break told }
                    throw CommandFailure(
                        ExitStatus(error),
                        "\(error.description) Nothing was removed. --local-only removes it here only.")
                }
            }
            try await book.remove(found?.id ?? account)
            try output.show(Answer(removed: found?.id ?? account)) { ["Removed \(label.printable)."] }
        }

        /// Nil where it cannot be read, and can be thrown away.
        private func found(in book: AccountBook) async throws -> Account? {
            do {
                return try await book.account(meant: account)
            } catch AccountBookError.damaged(account) {
                return nil
            }
        }
    }
}
