import AdminServer
import ArgumentParser
import AuthenticatorBook

extension AuthenticatorCommand.PasskeyCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the passkeys.",
            discussion: "Other commands accept a passkey's id, name, user, domain, or a part of these.")

        private struct Answer: Encodable {
            let passkeys: [PasskeySummary]
        }

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let passkeys = try await vault.openExistingPasskeys()?.passkeys() ?? []
            let answer = Answer(passkeys: passkeys.map(PasskeySummary.init))
            try output.show(answer) {
                if passkeys.isEmpty {
                    return ["There are no passkeys. `countersign authenticator passkey create` makes one."]
                }
                var table = Table("ID", "SERVER", "NAME", "USER", "KEY", "ASKS", "ADDED", "USED")
                for passkey in answer.passkeys {
                    table.add(
                        passkey.id, passkey.rpID, passkey.name, passkey.user, passkey.isInHardware ? "chip" : "vault",
                        passkey.asksEachTime ? "each time" : "to open", passkey.addedAt.text, passkey.lastUsedAt?.text)
                }
                return table.lines
            }
        }
    }
}
