import AdminServer
import ArgumentParser
import AuthenticatorBook
import Foundation
import KeychainServices
import OneTimePassword

extension AuthenticatorCommand {
    struct Enroll: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enroll",
            abstract: "Add an account from its QR code's link, or enrol as a device that answers requests.",
            discussion: """
                The link is the text of the QR code: services show it under "cannot scan the code?". It holds a secret, \
                and other users of the machine can read arguments. So leave it out and paste it at the prompt, or pipe it:

                  zbarimg --quiet --raw code.png | countersign authenticator enroll -

                With a link that enrols a device, or the address of an invitation, the command creates a key in the keychain \
                and registers it with the server. From then on `watch` shows its requests. The key asks for the passcode at \
                each answer, unless you add --unattended.

                For files of other authenticators and otpauth-migration:// links, use `import`.
                """)

        @Argument(help: ArgumentHelp("The link; - reads it from standard input.", valueName: "link"))
        var link: String?

        @Option(help: "The account's name, instead of the link's.")
        var name: String?

        @Flag(help: "Ask for the passcode for each code, not only to open the vault.")
        var askEachTime = false

        @OptionGroup(title: "Devices that answer requests") var device: DeviceOptions
        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if device.ticket != nil && link != nil { throw ValidationError("Give a link or --ticket.") }
            if device.ticket != nil && device.server == nil {
                throw ValidationError("--ticket needs the server: --server.")
            }
        }

        private struct Answer: Encodable {
            let account: AccountSummary
            let recoveryCode: String?
        }

        func run() async throws {
            if let ticket = device.ticket, let server = device.server {
                return try await enrol(EnrollmentLink(ticket: ticket, server: server))
            }
            let text = try LinkInput.text(link)
            guard !text.lowercased().hasPrefix("otpauth-migration:") else {
                throw CommandFailure(
                    .usage, "This link has several accounts: use `countersign authenticator import -`.")
            }
            if let found = try EnrollmentLink(text, server: device.server) { return try await enrol(found) }
            guard device.isUnused else {
                throw CommandFailure(
                    .usage, "This link is for an account with codes only: leave out the options for devices.")
            }
            var parsed = try OTPAuthURI(parsing: text)
            if let name { parsed = try parsed.renamed(name) }
            let account = try await vault.open().add(parsed, asksEachTime: askEachTime)
            try output.show(AccountSummary(account)) {
                [
                    "Enrolled \(account.label.printable) with the id \(account.id).",
                    (account.codes?.isCounted == true ? "A code for each use" : "Its codes")
                        + ": countersign authenticator codes \(account.id)",
                ]
            }
        }

        private func enrol(_ link: EnrollmentLink) async throws {
            let book = try await vault.open()
            let new = try await Progress.showing("Enrolling at \(link.server.host ?? "the server")") {
                try await book.enroll(
                    link, name: name, deviceName: device.deviceName ?? "\(ProcessInfo.processInfo.hostName) (terminal)",
                    kind: device.rsa ? .rsa2048 : .p256, keyAsks: !device.unattended, codesAsk: askEachTime)
            }
            try output.show(Answer(account: AccountSummary(new.account), recoveryCode: new.recoveryCode)) {
                var lines = ["Enrolled \(new.account.label.printable) with the id \(new.account.id)."]
                if let code = new.recoveryCode {
                    lines.append("Recovery code, shown only once: \(code.printable)")
                    lines.append("Keep it apart from this machine: it signs you in once without this device.")
                }
                return lines + ["Its requests: countersign authenticator watch"]
            }
        }
    }
}
