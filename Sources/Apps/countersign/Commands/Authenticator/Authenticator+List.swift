import AdminServer
import ArgumentParser
import AuthenticatorBook

extension AuthenticatorCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the accounts, without codes and secrets.",
            discussion: "Other commands accept an account's id, name, issuer, or a part of these.")

        private struct Answer: Encodable {
            let accounts: [AccountSummary]
        }

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let accounts = try await vault.openExisting()?.accounts() ?? []
            let answer = Answer(accounts: accounts.map(AccountSummary.init))
            try output.show(answer) {
                if accounts.isEmpty { return ["There are no accounts. `countersign authenticator enroll` adds one."] }
                var table = Table("ID", "ISSUER", "NAME", "KIND", "ASKS", "ADDED")
                for account in answer.accounts {
                    table.add(
                        account.id, account.issuer, account.name, account.kind,
                        account.asksEachTime ? "each time" : "to open", account.addedAt.text)
                }
                return table.lines
            }
        }
    }
}
