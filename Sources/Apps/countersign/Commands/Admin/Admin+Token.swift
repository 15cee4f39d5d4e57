import AdminServer
import ArgumentParser
import CountersignCore

extension AdminCommand {
    /// Bearer tokens of programs that administer.
    struct TokenCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "token",
            abstract: "Make, list and revoke the tokens of programs.",
            discussion: """
                A token goes into the header of requests to /admin/v1, or into COUNTERSIGN_ADMIN_TOKEN for this program \
                with --server. One that a user makes in the console opens no more than the user may do, and nothing once the user does \
                not administer any more; one that is made here, on the data directory, depends on no user. The file admin-token of the data directory is the first token: it opens everything and \
                does not end; countersign key rotate-admin-token replaces it.
                """,
            subcommands: [Add.self, List.self, Revoke.self])
    }
}

extension AdminCommand.TokenCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Make a token. It is shown once.",
            discussion: """
                  countersign admin token add --scope users:read --expires 90d
                """)

        @Option(
            help: ArgumentHelp(
                "What the token opens, such as users:read; * is everything. Repeatable.", valueName: "scope"))
        var scope: [String] = []

        @Option(help: "When it ends: a number of days (90d), hours (12h) or minutes (30m).")
        var expires: String

        @Option(help: "What to call it.")
        var label: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard !scope.isEmpty else { throw ValidationError("Say what the token opens: --scope users:read.") }
            guard Self.seconds(expires) != nil else {
                throw ValidationError("\"\(expires)\" is no time: write a number and d, h or m, such as 90d.")
            }
        }

        /// The seconds of `90d`, `12h` or `30m`.
        static func seconds(_ text: String) -> Int? {
            let units: [Character: Int] = ["d": 86_400, "h": 3600, "m": 60]
            let number = text.dropLast()
            guard let unit = text.last.flatMap({ units[$0] }), (1...6).contains(number.count),
                number.utf8.allSatisfy({ (48...57).contains($0) }), let count = Int(number)
            else { return nil }
            return count * unit
        }

        func run() async throws {
            let scopes = scope.flatMap(\.typedWords)
            let answer = try await realm.perform(
                AddMachineToken(label: label, scopes: scopes, lifetime: Self.seconds(expires) ?? 0))
            try output.show(answer) {
                [
                    "The token \(answer.token.id) opens \(answer.token.scopes.joined(separator: " ")) until "
                        + "\(answer.token.expiresAt.text).",
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
                A token that a user made opens what the user may do. "limited" means that its scopes say more than that; "dormant" that \
                the user has no role any more, is disabled or was removed: then it opens nothing.

                  countersign admin token list
                """)

        @OptionGroup var page: PageOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListMachineTokens(limit: page.limit, after: page.after, before: page.before))
            try output.show(answer) {
                var table = Table("ID", "LABEL", "SCOPES", "EXPIRES", "LAST USED", "CREATED BY")
                // The first one, which is in the file of that name and has no id to revoke it by.
                if answer.previous == nil {
                    table.add("admin-token", "", "*", "never", answer.adminTokenLastUsedAt?.text ?? "never", nil)
                }
                for token in answer.tokens {
                    table.add(
                        token.id, token.label, token.scopes.joined(separator: " "),
                        token.expiresAt.text
                            + (token.standing == "open" ? "" : token.standing.map { " (\($0))" } ?? ""),
                        token.lastUsedAt?.text ?? "never", token.createdBy)
                }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "End a token. It opens nothing any more.",
            discussion: """
                  countersign admin token revoke 4fJ2kQ9xLm3a
                """)

        @Argument(help: "The token's id, from the list.")
        var id: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RevokeMachineToken(id: id))
            try output.show(answer) { ["The token \(answer.token.id.printable) opens nothing any more."] }
        }
    }
}
