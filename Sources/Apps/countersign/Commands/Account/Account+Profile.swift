import AccountServer
import AdminServer
import ArgumentParser
import CountersignCore
import Foundation

extension AccountCommand {
    struct Show: AccountSubcommand {
        static let endpoints = ["GET /profile"]
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show your profile.",
            discussion: """
                  countersign account show
                """)

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let profile: AccountProfile = try await AccountAccess(signIn).call("GET /profile")
            try output.show(profile) { AccountCommand.describe(profile) }
        }
    }

    struct Set: AccountSubcommand {
        static let endpoints = ["PATCH /profile"]
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change your name, your language, your picture, or an attribute that you may change.",
            discussion: """
                An empty text clears.

                  countersign account set --name "Ada Lovelace" --locale de
                  countersign account set --attribute department=Engines
                  countersign account set --picture https://pictures.example.com/ada.png
                """)

        @Option(help: "What to call you.")
        var name: String?

        @Option(help: ArgumentHelp("The language of pages and mails, as en, de or ja.", valueName: "language"))
        var locale: String?

        @Option(
            help: ArgumentHelp(
                "Where applications load your picture from, if you may set one.", valueName: "https-address"))
        var picture: String?

        @Option(
            help: ArgumentHelp(
                "An attribute with its value: text, or a number, true or false as JSON has it. Can be given several times.",
                valueName: "name=value"))
        var attribute: [String] = []

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard name != nil || locale != nil || picture != nil || !attribute.isEmpty else {
                throw ValidationError("Give --name, --locale, --picture or --attribute.")
            }
            guard attribute.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
                throw ValidationError("An attribute is written as name=value.")
            }
        }

        func run() async throws {
            var change = AccountProfileChange(displayName: name, locale: locale, picture: picture)
            for text in attribute {
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                change.attributes = AccountAttributes(
                    (change.attributes?.members ?? [:]).merging([parts[0]: Self.value(parts[1])]) { $1 })
            }
            let profile: AccountProfile = try await AccountAccess(signIn).call("PATCH /profile", "", change)
            try output.show(profile) { AccountCommand.describe(profile) }
        }

        private static func value(_ text: String) -> JSONValue {
            switch try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) {
            case .bool(let flag)?: .bool(flag)
            case .number(let number)?: .number(number)
            case .integer(let number)?: .integer(number)
            default: .string(text)
            }
        }
    }

    struct SetAddress: AccountSubcommand {
        static let endpoints = ["POST /address", "POST /address/verify"]
        static let configuration = CommandConfiguration(
            commandName: "set-address",
            abstract: "Change your address, or confirm the present one: by a code that it is mailed.",
            discussion: """
                A terminal asks for the code. Without one the command prints the attempt, for confirm-address. You stay \
                signed in here, and are signed out everywhere else.

                  countersign account set-address ada@example.org
                """)

        @Argument(help: "The address.")
        var address: String

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let access = try await AccountAccess(signIn)
            let begun: AccountAttempt = try await access.call(
                "POST /address", "", AccountAddressChange(address: address))
            guard Terminal.canAsk, !output.json else {
                return try output.show(begun) {
                    ["A code is on its way to \(address.printable).", "attempt  \(begun.attempt)"]
                }
            }
            Terminal.say("A code is on its way to \(address.printable).")
            try await ConfirmAddress.confirm(begun.attempt, by: access, output)
        }
    }

    struct ConfirmAddress: AccountSubcommand {
        static let endpoints = ["POST /address/verify"]
        static let configuration = CommandConfiguration(
            commandName: "confirm-address",
            abstract: "Finish set-address: with the code, from standard input.",
            discussion: """
                  countersign account confirm-address ATTEMPT
                """)

        @Argument(help: "What set-address printed.")
        var attempt: String

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await Self.confirm(attempt, by: AccountAccess(signIn), output)
        }

        static func confirm(_ attempt: String, by access: AccountAccess, _ output: OutputOptions) async throws {
            let code = try CodeInput.text(asking: "Code from the mail")
            let done: AccountDone = try await access.call(
                "POST /address/verify", "", AccountAddressProof(attempt: attempt, code: code))
            try output.show(done) { ["The address is the account's."] }
        }
    }

    struct PersonalData: AccountSubcommand {
        static let endpoints = ["GET /data"]
        static let configuration = CommandConfiguration(
            commandName: "data", abstract: "Show all that is kept about you, as JSON.",
            discussion: """
                  countersign account data > own.json
                """)

        @OptionGroup var signIn: SignInOptions

        func run() async throws {
            let data: UserData = try await AccountAccess(signIn).call("GET /data")
            Terminal.print(try OutputOptions.text(of: data, pretty: true))
        }
    }

    struct Delete: AccountSubcommand {
        static let endpoints = ["POST /deletion"]
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Have your account removed after the operator's grace period.",
            discussion: """
                You are signed out everywhere at once. The mail about it has a link that keeps the account.

                  countersign account delete ada@example.org
                """)

        @Argument(help: "Your address, to make sure; your id where you have none.")
        var address: String

        @OptionGroup var signIn: SignInOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let notice: AccountDeletionNotice = try await AccountAccess(signIn).call(
                "POST /deletion", "", AccountDeletion(address: address))
            try output.show(notice) {
                ["The account is removed at \(notice.dueAt.text)."]
                    + (notice.undoMailed ? ["A link that keeps it was mailed."] : [])
            }
        }
    }

    /// A profile, line by line.
    static func describe(_ profile: AccountProfile) -> [String] {
        var table = Table()
        table.add("id", profile.id)
        table.add("address", profile.address.map { profile.isAddressVerified ? $0 : "\($0) (not confirmed)" })
        table.add("name", profile.displayName)
        table.add("language", profile.locale)
        table.add("picture", profile.picture)
        table.add("since", profile.createdAt.text)
        for attribute in profile.attributes {
            table.add(attribute.isEditable ? attribute.name : "\(attribute.name) (fixed)", attribute.value?.text)
        }
        return table.lines
    }
}
