import AdminServer
import ArgumentParser
import CountersignCore

extension AppCommand {
    struct Registrations: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "registrations",
            abstract: "List applications that registered themselves, the newest first.",
            discussion: """
                Pages say that no administrator checked them, until countersign app approve ID. Block one with countersign app set ID \
                --disabled, remove one with countersign app remove ID.

                  countersign app registrations
                """)

        @Option(help: "Applications to list at most: 1 to 200.")
        var limit = 50

        @OptionGroup var places: PlaceOptions

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListRegistrations(limit: limit, after: places.after, before: places.before))
            try output.show(answer) {
                var table = Table("ID", "NAME", "HOST", "REGISTERED", "FROM", "TOKEN", "LAST USED", "CHECKED")
                for found in answer.registrations {
                    let (application, origin) = (found.application, found.application.origin)
                    table.add(
                        application.id, application.displayName, origin?.host, application.createdAt.text,
                        origin?.source,
                        origin?.token, found.lastUsedAt?.text ?? "never",
                        application.isDisabled ? "blocked" : (origin?.approvedAt != nil).yesOrNo)
                }
                return answer.registrations.isEmpty ? ["No application registered itself."] : table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }

    struct Approve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "approve",
            abstract: "Vouch for an application that registered itself.",
            discussion: """
                Pages say no more that no administrator checked it. Its users are asked for their consent as before, and it gets nothing that it did \
                not have. Once it has another name, other addresses or other keys, that is over.

                  countersign app approve cs1vTq0…
                  countersign app approve --withdraw cs1vTq0…
                """)

        @OptionGroup var argument: ApplicationArgument

        @Flag(help: "Take it back.")
        var withdraw = false

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ApproveRegistration(id: argument.id, isApproved: withdraw ? false : nil))
            try output.show(answer) { AppCommand.describe(answer.application) }
        }
    }

    /// Initial access tokens of applications that register themselves.
    struct RegistrationTokenCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "registration-token",
            abstract: "Make, list and remove the tokens with which applications register themselves.",
            discussion: """
                Applications show one at POST /oidc/register, while the setting oauth.registration is token or open.
                """,
            subcommands: [Add.self, List.self, Remove.self])
    }
}

extension AppCommand.RegistrationTokenCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Make a token. It is shown once.",
            discussion: """
                  countersign app registration-token add --expires 7d --count 1
                  countersign app registration-token add --expires 30d \\
                    --resource https://notes.example/api --scopes notes:read
                """)

        @Option(help: "When it ends: a number of days (90d), hours (12h) or minutes (30m).")
        var expires: String

        @Option(help: "How many applications it registers; as many as come where it is left out.")
        var count: Int?

        @Option(
            help: ArgumentHelp(
                "What applications may be registered for beside users' sign-ins. Repeatable.", valueName: "grant type"))
        var grantType: [String] = []

        @Option(help: ArgumentHelp("An API that they may ask for. Repeatable.", valueName: "URI"))
        var resource: [String] = []

        @Option(help: "Which scopes of these APIs, separated by spaces; all of them where it is left out.")
        var scopes: String?

        @Option(help: "What to call it.")
        var label: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard AdminCommand.TokenCommand.Add.seconds(expires) != nil else {
                throw ValidationError("\"\(expires)\" is no time: write a number and d, h or m, such as 90d.")
            }
        }

        func run() async throws {
            let answer = try await realm.perform(
                AddRegistrationToken(
                    label: label, lifetime: AdminCommand.TokenCommand.Add.seconds(expires) ?? 0, count: count,
                    grantTypes: grantType.isEmpty ? nil : grantType, resources: resource.isEmpty ? nil : resource,
                    scopes: scopes?.spaceSeparated))
            try output.show(answer) {
                let number = answer.token.remaining.map { $0 == 1 ? "one application" : "\($0) applications" }
                return [
                    "The token \(answer.token.id) registers \(number ?? "applications") until \(answer.token.expiresAt.text).",
                    "The token itself, shown only once: \(answer.secret.secret.reveal())",
                ]
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the tokens, without what is secret of them.",
            discussion: """
                  countersign app registration-token list
                """)

        @OptionGroup var page: PageOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListRegistrationTokens(limit: page.limit, after: page.after, before: page.before))
            try output.show(answer) {
                if answer.tokens.isEmpty {
                    return [
                        answer.previous == nil
                            ? "There are no registration tokens." : "There are no more registration tokens."
                    ]
                }
                var table = Table("ID", "LABEL", "EXPIRES", "LEFT", "REGISTERED", "LAST USED", "ALLOWS", "CREATED BY")
                for token in answer.tokens {
                    table.add(
                        token.id, token.label, token.expiresAt.text + (token.isOpen ? "" : " (over)"),
                        token.remaining.map(String.init) ?? "any", String(token.used),
                        token.lastUsedAt?.text ?? "never",
                        (token.grantTypes + token.resources + (token.scopes ?? [])).joined(separator: " "),
                        token.createdBy)
                }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "End a token. It registers nothing any more; what it registered stays.",
            discussion: """
                  countersign app registration-token remove 4fJ2kQ9xLm3a
                """)

        @Argument(help: "The token's id, from the list.")
        var id: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RemoveRegistrationToken(id: id))
            try output.show(answer) { ["The token \(answer.token.id.printable) registers nothing any more."] }
        }
    }
}
