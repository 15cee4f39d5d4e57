import ArgumentParser
import AuthenticatorBook

extension AuthenticatorCommand {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget an account, its secret and its key.",
            discussion: """
                It cannot be undone. Make sure first that you can sign in without it: the service still asks for a code \
                until you switch that off there.
                """)

        private struct Answer: Encodable {
            let removed: String
        }

        @Argument(help: "The account: its id, its name, its issuer, or a part.")
        var account: String

        @Flag(help: "Do not ask.")
        var yes = false

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            if !yes && !Terminal.canAsk {
                throw CommandFailure(.usage, "Removing cannot be undone. Say --yes where nobody can be asked.")
            }
            guard let book = try await vault.openExisting() else { throw AccountBookError.notFound(account) }
            let found = try await self.found(in: book)
            let label = found?.label ?? account
            if !yes, !Terminal.confirms("Forget \(label.printable) [\(found?.id ?? account)] and its secret?") {
                throw CommandFailure(.refused, "Nothing was removed.")
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
