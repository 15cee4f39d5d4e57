import ArgumentParser
import AuthenticatorBook
import Foundation
import OneTimePassword

extension AuthenticatorCommand {
    struct Enroll: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take up an account from what its QR code says.",
            discussion: """
                The link is the text of the QR code: services show it under "cannot scan the code?". It holds a secret, \
                and other users of the machine can read arguments. So leave it out, and paste it when asked; or pipe it:

                  zbarimg --quiet --raw code.png | countersign authenticator enroll -

                A file of another authenticator's, and otpauth-migration:// links, are for `import`.
                """)

        @Argument(help: ArgumentHelp("The link; - reads it from standard input.", valueName: "otpauth-uri"))
        var uri: String?

        @Option(help: "Call the account this, instead of what the link says.")
        var name: String?

        @Flag(help: "Ask for the passcode each time the secret is used, not only to open the vault.")
        var askEachTime = false

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let text = try LinkInput.text(uri)
            guard !text.lowercased().hasPrefix("otpauth-migration:") else {
                throw CommandFailure(
                    .usage, "This link moves several accounts: countersign authenticator import - takes it.")
            }
            var parsed = try OTPAuthURI(parsing: text)
            guard !parsed.extraParameters.contains(where: { $0.name.lowercased() == "enrollment_tx_id" }) else {
                throw CommandFailure(
                    .refused, "This link enrols a device that is asked about sign-ins, which is not possible here yet.")
            }
            if let name { parsed = try parsed.renamed(name) }
            let book = try await vault.open()
            let account = try await book.add(parsed, asksEachTime: askEachTime)
            try output.show(AccountSummary(account)) {
                ["Enrolled \(account.label.printable) with the id \(account.id)."]
                    + (account.codes?.isCounted == true
                        ? ["A code for each use: countersign authenticator codes \(account.id)"]
                        : ["Its codes: countersign authenticator codes \(account.id)"])
            }
        }
    }
}

/// Where a link with a secret comes from.
enum LinkInput {
    /// The longest link in bytes.
    static let limit = 64 << 10

    /// - Parameter argument: the link itself; `-` for standard input; nil asks at the terminal, or reads standard input
    ///   where nobody sits there.
    static func text(_ argument: String?) throws -> String {
        let text: String
        if let argument, argument != "-" {
            text = argument
        } else if argument == nil, Terminal.canAsk {
            guard let typed = Terminal.askSecretly("Paste the otpauth:// link (it is not shown): ") else {
                throw CommandFailure(.refused, "No link was given.")
            }
            text = typed
        } else {
            let data = try FileHandle.standardInput.read(upToCount: limit + 1) ?? Data()
            guard let read = String(validating: data, as: UTF8.self) else {
                throw CommandFailure(
                    .usage, "Standard input is not UTF-8. It takes the text of a QR code, not its picture.")
            }
            text = read
        }
        let link = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard link.utf8.count <= limit else { throw CommandFailure(.usage, "A link has at most \(limit >> 10) KiB.") }
        guard !link.isEmpty else { throw CommandFailure(.usage, "There is no link. It begins with otpauth://.") }
        return link
    }
}

extension OTPAuthURI {
    /// The same secret under another account name.
    func renamed(_ name: String) throws(OTPParameterError) -> OTPAuthURI {
        try OTPAuthURI(
            kind: kind, issuer: issuer, accountName: name, secret: secret, algorithm: algorithm, digits: digits,
            extraParameters: extraParameters)
    }
}
