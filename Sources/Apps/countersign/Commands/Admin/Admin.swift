import AdminServer
import ArgumentParser

/// Who may administer: users with roles, and machines with tokens.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Give users roles and machines tokens, to administer.",
        discussion: """
            owner may do everything; operator looks after users and applications; support helps users who cannot sign \
            in; auditor reads everything and changes nothing. docs/administration.md has the whole table.

              countersign admin invite
              countersign admin grant anna@example.com owner
              countersign admin token add --scope users:read --expires 90d
            """,
        subcommands: [Invite.self, Grant.self, Revoke.self, List.self, TokenCommand.self])
}

extension AdminCommand {
    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "grant",
            abstract: "Give a user a role, in place of the one that the user has.",
            discussion: """
                  countersign admin grant anna@example.com support
                """)

        @OptionGroup var argument: UserArgument

        @Argument(help: "owner, operator, support or auditor.")
        var role: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(GrantRole(user: argument.user, role: role))
            try output.show(answer) {
                ["\(answer.administrator.user.shortName.printable) has the role \(answer.administrator.role)."]
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Take a user's role away.",
            discussion: """
                The user's next request is refused. The last owner keeps the role until another user has it.

                  countersign admin revoke anna@example.com
                """)

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RevokeRole(user: argument.user))
            try output.show(answer) {
                let name = answer.user.shortName.printable
                var lines = [answer.role.map { "\(name) has the role \($0) no more." } ?? "\(name) had no role."]
                if let tokens = answer.tokens, tokens > 0 {
                    lines.append(
                        "Tokens of programs that \(name) answers for, and that open nothing now: \(tokens). "
                            + "countersign admin token list shows them.")
                }
                if answer.liftsSecondFactor == true {
                    lines.append("No setting requires a second factor of the user now.")
                }
                return lines
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the users who have a role, ordered by id.",
            discussion: """
                  countersign admin list
                """)

        @OptionGroup var page: PageOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListAdministrators(limit: page.limit, after: page.after, before: page.before))
            try output.show(answer) {
                if answer.administrators.isEmpty { return ["No user has a role."] }
                var table = Table("ROLE", "ID", "EMAIL", "DISABLED", "SINCE", "GRANTED BY")
                for one in answer.administrators {
                    table.add(
                        one.role, one.user.id, one.user.email, one.user.isDisabled.yesOrNo, one.since.text,
                        one.grantedBy)
                }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }
}
