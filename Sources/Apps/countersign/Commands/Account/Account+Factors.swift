import AccountServer
import AdminServer
import ArgumentParser
import AuthenticatorBook
import CountersignCore
import Foundation
import JSON
import PasskeyAuthenticator
import TerminalQRCode

/// Names one of the user's means of proof.
struct OwnFactorArgument: ParsableArguments {
    @Argument(help: "Its id, from `countersign account factors`.")
    var id: String
}

extension AccountCommand {
    struct Factors: AccountSubcommand {
        static let endpoints = ["GET /factors"]
        static let configuration = CommandConfiguration(
            commandName: "factors",
            abstract: "List what you sign in with.",
            discussion: """
                  countersign account factors
                """)

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer: AccountFactors = try await AccountAccess(signIn).call("GET /factors")
            try output.show(answer) {
                var table = Table("ID", "KIND", "NAME", "ADDED", "LAST USED", "FROM", "STATE")
                for factor in answer.factors {
                    table.add(
                        factor.id, factor.kind, factor.name, factor.createdAt.text, factor.lastUsedAt?.text,
                        factor.lastUsedFrom, Self.state(factor))
                }
                return table.lines
            }
        }

        private static func state(_ factor: AccountFactor) -> String {
            if factor.frozenAt != nil { return "lost" }
            if let left = factor.codesLeft { return "\(left) left" }
            return factor.isSuspicious ? "perhaps copied" : factor.isLastWayIn ? "the last way in" : "good"
        }
    }

    struct AddAuthenticator: AccountSubcommand {
        static let endpoints = ["POST /factors", "POST /factors/verify"]
        static let configuration = CommandConfiguration(
            commandName: "add-authenticator",
            abstract: "Add an authenticator app.",
            discussion: """
                A terminal draws the QR code and asks for the app's first code. Without one the command prints the link \
                and the attempt, for confirm-factor.

                  countersign account add-authenticator --name Phone
                """)

        @Option(help: "What to call it.")
        var name: String?

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let access = try await AccountAccess(signIn)
            let offer: AccountOffer = try await access.call("POST /factors", "", AccountFactorBeginning(kind: "totp"))
            guard Terminal.canAsk, !output.json else {
                return try output.show(offer) {
                    ["link     \(offer.link ?? offer.secret ?? "")", "attempt  \(offer.attempt)"]
                }
            }
            if let link = offer.link {
                Terminal.say(try TerminalQRCode.render(link, style: .colored))
                Terminal.say("Scan it with the app, or type its secret: \(offer.secret ?? "")")
            }
            try await ConfirmFactor.confirm(offer.attempt, name, by: access, output)
        }
    }

    struct ConfirmFactor: AccountSubcommand {
        static let endpoints = ["POST /factors/verify"]
        static let configuration = CommandConfiguration(
            commandName: "confirm-factor",
            abstract: "Finish add-authenticator: with the app's code, from standard input.",
            discussion: """
                  countersign account confirm-factor ATTEMPT --name Phone
                """)

        @Argument(help: "What add-authenticator printed.")
        var attempt: String

        @Option(help: "What to call it.")
        var name: String?

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await Self.confirm(attempt, name, by: AccountAccess(signIn), output)
        }

        static func confirm(
            _ attempt: String, _ name: String?, by access: AccountAccess, _ output: OutputOptions
        ) async throws {
            let code = try CodeInput.text(asking: "Code of the app")
            let added: AccountAdded = try await access.call(
                "POST /factors/verify", "", AccountFactorProof(kind: "totp", attempt: attempt, name: name, code: code))
            try output.show(added) { ["Added the authenticator app \(added.id)."] }
        }
    }

    struct AddDevice: AccountSubcommand {
        static let endpoints = ["POST /factors"]
        static let configuration = CommandConfiguration(
            commandName: "add-device",
            abstract: "Add a device that is asked when you sign in.",
            discussion: """
                The app on the device takes the link, as a QR code or as text; with that the device is added.

                  countersign account add-device
                """)

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let offer: AccountOffer = try await AccountAccess(signIn).call(
                "POST /factors", "", AccountFactorBeginning(kind: "push"))
            try output.show(offer) {
                guard let link = offer.link else { return ["attempt  \(offer.attempt)"] }
                let drawing =
                    Terminal.isOutputTerminal ? (try? TerminalQRCode.render(link, style: .colored)).map { [$0] } : nil
                return (drawing ?? []) + [
                    link, "It is good until \(offer.expiresAt.text), for one device.",
                ]
            }
        }
    }

    struct AddPasskey: AccountSubcommand {
        static let endpoints = ["POST /factors", "POST /factors/verify"]
        static let configuration = CommandConfiguration(
            commandName: "add-passkey",
            abstract: "Add a passkey of this machine, for `countersign login --passkey`.",
            discussion: """
                  countersign account add-passkey --name Laptop --unattended
                """)

        @Option(help: "What to call it (default: the name of this machine).")
        var name: String?

        @Flag(help: "Let it sign without a further prompt, for any process that opens the vault.")
        var unattended = false

        @OptionGroup(title: "Chip") var chip: ChipOptions
        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let inHardware = try await chip.makesInChip
            // What is named here opens the vault; the sign-in's tokens stand in the same one.
            let book = try await signIn.vault.openPasskeys(chip.found)
            let access = try AccountAccess(of: signIn)
            let origin: CallingOrigin
            do { origin = try CallingOrigin(access.issuer) } catch { throw CommandFailure(.usage, error.description) }
            let offer: AccountOffer = try await access.call(
                "POST /factors", "", AccountFactorBeginning(kind: "passkey"))
            guard let options = offer.publicKey else {
                throw CommandFailure(.unreachable, "The server does not say what passkey it wants.")
            }
            let request: PasskeyAuthenticator.CreationRequest
            do { request = try PasskeyAuthenticator.CreationRequest(parsing: options.jsonText()) } catch let refusal
                as AuthenticatorRefusal
            {
                throw PasskeyBookError.options(refusal)
            }
            let (passkey, response) = try await book.make(
                for: request, at: origin, asksEachTime: !unattended, inHardware: inHardware)
            do {
                let label = name ?? "countersign, \(ProcessInfo.processInfo.hostName)".printable
                let added: AccountAdded = try await access.call(
                    "POST /factors/verify", "",
                    AccountFactorProof(
                        kind: "passkey", attempt: offer.attempt, name: label,
                        response: try JSONParser.parse(Array(response.jsonText()))))
                try output.show(added) { ["Added the passkey \(added.id)."] }
            } catch {
                // Where the server does not take it, it opens nothing.
                try? await book.remove(passkey.id)
                throw error
            }
        }
    }

    struct RenameFactor: AccountSubcommand {
        static let endpoints = ["PATCH /factors/{id}"]
        static let configuration = CommandConfiguration(
            commandName: "rename-factor", abstract: "Give a means of proof another name.",
            discussion: """
                  countersign account rename-factor ID "Ada's phone"
                """)

        @OptionGroup var factor: OwnFactorArgument

        @Argument(help: "The name: 1 to 64 characters.")
        var name: String

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let changed: AccountFactor = try await AccountAccess(signIn).call(
                "PATCH /factors/{id}", factor.id, AccountFactorChange(name: name))
            try output.show(changed) { ["It is called \(changed.name.printable)."] }
        }
    }

    struct ReportLost: AccountSubcommand {
        static let endpoints = ["PATCH /factors/{id}"]
        static let configuration = CommandConfiguration(
            commandName: "report-lost", abstract: "Report a means of proof lost: it is no answer any more.",
            discussion: """
                What was signed in by it is signed out. The server still asks for a second factor, so have another one or \
                a recovery code at hand.

                  countersign account report-lost ID
                """)

        @OptionGroup var factor: OwnFactorArgument
        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let changed: AccountFactor = try await AccountAccess(signIn).call(
                "PATCH /factors/{id}", factor.id, AccountFactorChange(isFrozen: true))
            try output.show(changed) { ["\(changed.shownName.printable) is no answer any more."] }
        }
    }

    struct UseAgain: AccountSubcommand {
        static let endpoints = ["PATCH /factors/{id}"]
        static let configuration = CommandConfiguration(
            commandName: "use-again", abstract: "Take a report-lost back.",
            discussion: """
                Takes a sign-in without it, with all that the account asks for.

                  countersign account use-again ID
                """)

        @OptionGroup var factor: OwnFactorArgument
        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let changed: AccountFactor = try await AccountAccess(signIn).call(
                "PATCH /factors/{id}", factor.id, AccountFactorChange(isFrozen: false))
            try output.show(changed) { ["\(changed.shownName.printable) counts again."] }
        }
    }

    struct RemoveFactor: AccountSubcommand {
        static let endpoints = ["DELETE /factors/{id}"]
        static let configuration = CommandConfiguration(
            commandName: "remove-factor", abstract: "Remove a means of proof; never the last way in.",
            discussion: """
                When the last second factor goes, the recovery codes go with it, and from then on one proof signs in.

                  countersign account remove-factor ID
                """)

        @OptionGroup var factor: OwnFactorArgument
        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let removal: AccountRemoval = try await AccountAccess(signIn).call("DELETE /factors/{id}", factor.id)
            try output.show(removal) {
                removal.consequence == "noSecondFactorLeft"
                    ? ["Removed. It was the last second factor: one proof signs in from now on."] : ["Removed."]
            }
        }
    }

    struct RecoveryCodes: AccountSubcommand {
        static let endpoints = ["POST /recovery-codes"]
        static let configuration = CommandConfiguration(
            commandName: "recovery-codes", abstract: "Make recovery codes, in place of all earlier ones.",
            discussion: """
                Each is good once. They are shown once.

                  countersign account recovery-codes
                """)

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let codes: AccountRecoveryCodes = try await AccountAccess(signIn).call(
                "POST /recovery-codes", "", AccountNothing())
            try output.show(codes) { codes.codes }
        }
    }

    struct SetPassword: AccountSubcommand {
        static let endpoints = ["POST /password"]
        static let configuration = CommandConfiguration(
            commandName: "set-password", abstract: "Set or change your password. Everywhere else you are signed out.",
            discussion: """
                A password is never an argument, because every user of the machine can read arguments. A terminal asks \
                for it twice.

                  countersign account set-password
                  countersign account set-password --password-file new-password
                """)

        @Option(help: ArgumentHelp("Read the password from a file.", valueName: "file"))
        var passwordFile: String?

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let access = try await AccountAccess(signIn)
            let password =
                try passwordFile.map(SecretInput.file) ?? SecretInput.standardInput(asking: "New password")
            let done: AccountDone = try await access.call("POST /password", "", AccountPassword(password: password))
            try output.show(done) { ["The password is set."] }
        }
    }

    struct RemovePassword: AccountSubcommand {
        static let endpoints = ["DELETE /password"]
        static let configuration = CommandConfiguration(
            commandName: "remove-password", abstract: "Remove your password, where there is another way in.",
            discussion: """
                  countersign account remove-password
                """)

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let done: AccountDone = try await AccountAccess(signIn).call("DELETE /password")
            try output.show(done) { ["The password is removed."] }
        }
    }
}
