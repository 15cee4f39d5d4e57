import AdminServer
import ArgumentParser
import AuthenticatorBook
import Foundation
import OneTimePassword

extension AuthenticatorCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Import accounts from another authenticator.",
            discussion: """
                The command recognises three formats: a vault of Aegis, plain or encrypted; otpauth:// links, one a line; \
                and the otpauth-migration:// links that Google Authenticator shows as QR codes when it transfers \
                accounts, one a line.

                  countersign authenticator import aegis-export.json
                  zbarimg --quiet --raw transfer-*.png | countersign authenticator import -

                Nothing is replaced: existing accounts stay, and a name that another secret has is refused. The same file \
                can be imported again. Delete it afterwards: its secrets give access to your accounts.
                """)

        private struct Answer: Encodable, WarningAnswer {
            struct Row: Encodable {
                let name: String
                let reason: String
            }

            let added: [AccountSummary]
            let alreadyThere: [AccountSummary]
            let refused: [Row]
            let leftOut: [Row]
            let missingParts: [String]
            var warnings: [String] {
                (refused + leftOut).map { "\($0.name): \($0.reason)" }
                    + missingParts.map { "part \($0) of the transfer is missing: scan and import it too" }
            }
        }

        @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"))
        var file: String

        @Option(help: ArgumentHelp("The password of an encrypted file, from a file.", valueName: "file"))
        var passwordFile: String?

        @Flag(help: "Ask for the passcode each time one of these secrets is used.")
        var askEachTime = false

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let found = try AccountFile(reading: try data()) {
                if let passwordFile { return Array(try SecretInput.file(passwordFile).utf8) }
                guard Terminal.hasTerminal else { return nil }
                return Terminal.askSecretly("Password of \(file.printable): ").map { Array($0.utf8) }
            }
            let additions = try await vault.open().add(found.accounts, asksEachTime: askEachTime)
            let answer = Answer(
                added: additions.compactMap {
                    if case .added(let account) = $0 { AccountSummary(account) } else { nil }
                },
                alreadyThere: additions.compactMap {
                    if case .alreadyThere(let account) = $0 { AccountSummary(account) } else { nil }
                },
                refused: additions.compactMap {
                    guard case .refused(let uri, let error) = $0 else { return nil }
                    return .init(name: uri.label, reason: error.description)
                },
                leftOut: found.leftOut.map { .init(name: $0.name, reason: $0.reason) },
                missingParts: found.missingParts)
            try output.show(answer) {
                [
                    "Added \(answer.added.count), \(answer.alreadyThere.count) already there, "
                        + "\(answer.refused.count) refused, \(answer.leftOut.count) left out."
                ]
            }
            if !answer.refused.isEmpty || additions.isEmpty {
                throw CommandFailure(
                    .refused, additions.isEmpty ? "Nothing could be imported." : "Some accounts were refused.")
            }
        }

        private func data() throws -> Data {
            if file == "-" { return try FileHandle.standardInput.read(upToCount: AccountFile.limit + 1) ?? Data() }
            guard let handle = FileHandle(forReadingAtPath: file),
                let data = try? handle.read(upToCount: AccountFile.limit + 1) ?? Data()
            else { throw CommandFailure(.usage, "\(file) cannot be read. Name an existing file.") }
            return data
        }
    }
}

extension OTPAuthURI {
    /// `Issuer: name`, or the one that there is.
    var label: String { [issuer, accountName].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ": ") }
}
