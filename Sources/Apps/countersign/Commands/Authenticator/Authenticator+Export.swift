import AdminServer
import ArgumentParser
import AuthenticatorBook
import Foundation
import KeychainServices
import OneTimePassword
import TerminalQRCode

#if !canImport(Security)
    import SecretVault
#endif

extension AuthenticatorCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write the accounts for another authenticator, or as a backup.",
            discussion: """
                The file contains the secrets: its reader can compute the codes. Only its owner can read it. Unless you \
                add --plain it is a vault of Aegis with a password:

                  countersign authenticator export backup.json

                For a phone with Google Authenticator, as QR codes on this screen:

                  countersign authenticator export --format migration --plain --qr

                The keys of devices that answer requests never leave the keychain: enrol the other device separately.
                """)

        enum Format: String, CaseIterable, ExpressibleByArgument {
            case aegis, otpauth, migration
        }

        private struct Answer: Encodable, WarningAnswer {
            let exported: Int
            let leftOut: [String]
            let file: String?
            var warnings: [String] { leftOut }
        }

        @Argument(help: ArgumentHelp("The file; - is standard output.", valueName: "file"))
        var file: String?

        @Option(help: "aegis, otpauth (a link a line) or migration (Google Authenticator's).")
        var format = Format.aegis

        @Flag(help: "Write the secrets unencrypted. The formats otpauth and migration require it.")
        var plain = false

        @Option(help: ArgumentHelp("The password for the file, from a file.", valueName: "file"))
        var passwordFile: String?

        @Option(help: ArgumentHelp("Only this account. Can be repeated.", valueName: "account"))
        var account: [String] = []

        @Flag(help: "Draw QR codes on the terminal instead of writing a file.")
        var qr = false

        @Flag(name: [.customLong("force"), .customLong("replace")], help: "Replace a file of that name.")
        var force = false

        @OptionGroup(title: "Vault") var vault: VaultOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if format != .aegis && !plain {
                throw ValidationError(
                    "The format \(format.rawValue) cannot be encrypted. Add --plain if you intend that.")
            }
            if plain && passwordFile != nil { throw ValidationError("--plain takes no password.") }
            if qr && (file != nil || format == .aegis) {
                throw ValidationError(
                    "--qr draws links: it needs --format otpauth or migration, and no file.")
            }
            if !qr && file == nil { throw ValidationError("Name a file; - is standard output.") }
            if output.json && (qr || file == "-") {
                throw ValidationError("--json prints the result, so the accounts need a file. Name one.")
            }
        }

        func run() async throws {
            let (uris, left) = try await chosen()
            guard !uris.isEmpty else { throw CommandFailure(.refused, "There is no account to export.") }
            let (parts, unsaid) = try parts(of: uris)
            let leftOut = (left + unsaid).map(\.printable)
            if qr {
                warn(leftOut)
                for part in parts {
                    Terminal.print(
                        try TerminalQRCode.render(part, style: Terminal.showsColours ? .colored : .plain))
                }
                return
            }
            if file == "-" || file == nil {
                warn(leftOut)
                parts.forEach { Terminal.print($0.hasSuffix("\n") ? String($0.dropLast()) : $0) }
                return
            }
            guard let file else { return }
            let target = try PrivateOutput(file, replaces: force, option: "--force")
            let removal = Leftover(target.draft)
            defer { withExtendedLifetime(removal) {} }
            do {
                for part in parts { try target.write(part.hasSuffix("\n") ? part : part + "\n") }
            } catch {
                target.discard()
                throw error
            }
            try target.complete()
            if plain {
                Terminal.say("warning: \(file.printable) contains unencrypted secrets. Delete it after use.")
            }
            try output.show(Answer(exported: uris.count - unsaid.count, leftOut: leftOut, file: file)) {
                ["Wrote \(uris.count - unsaid.count) accounts to \(file.printable)."]
            }
        }

        private func warn(_ leftOut: [String]) {
            for line in leftOut { Terminal.say("warning: \(line)") }
            guard Terminal.isOutputTerminal, plain else { return }
            Terminal.say("warning: secrets follow, on a terminal that may keep them.")
        }

        /// The selected accounts, opened. One prompt serves all that need one.
        private func chosen() async throws -> (uris: [OTPAuthURI], leftOut: [String]) {
            guard let book = try await vault.openExisting() else {
                throw CommandFailure(.refused, "There is no account to export.")
            }
            let all = try await book.accounts()
            let chosen = account.isEmpty ? all : try account.map { try all.only(meant: $0) }
            let context = AuthenticationContext(reason: "Export the secrets", reuse: .seconds(300))
            defer { context.invalidate() }
            var uris: [OTPAuthURI] = []
            for account in chosen where account.codes != nil {
                uris.append(try await book.uri(of: account, context: context))
            }
            let devices = chosen.filter { $0.device != nil }
            return (
                uris, devices.map { "\($0.label): its key for requests stays here; enrol the other device separately" }
            )
        }

        private func parts(of uris: [OTPAuthURI]) throws -> (parts: [String], leftOut: [String]) {
            switch format {
            case .otpauth: return (uris.map(\.uriString), [])
            case .migration:
                let (links, leftOut) = MigrationURI.uris(of: uris)
                guard !links.isEmpty else { throw AccountFileError.nothingToWrite }
                return (links, leftOut.map { "\($0.name): \($0.reason)" })
            case .aegis: return ([try AegisVault.text(of: uris, password: plain ? nil : try password())], [])
            }
        }

        private func password() throws -> [UInt8] {
            if let passwordFile { return Array(try SecretInput.file(passwordFile).utf8) }
            guard Terminal.canAsk else {
                throw CommandFailure(
                    .usage, "The file needs a password: use --password-file, or --plain for no encryption.")
            }
            return Array(try SecretInput.standardInput(asking: "Password for the file").utf8)
        }
    }
}
