import AdminServer
import ArgumentParser

/// Groups of users.
struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "Put users into groups, which applications are told of.",
        discussion: """
            An application with the scope groups gets the names of a user's groups in the claim groups: of ID tokens, of \
            access tokens, and of userinfo.

              countersign group add engineering --summary "Who builds it"
              countersign group add-member engineering anna@example.com
            """,
        subcommands: [
            Add.self, List.self, Show.self, SetSummary.self, Remove.self, AddMember.self, RemoveMember.self,
        ])
}

/// The group that a command is about.
struct GroupArgument: ParsableArguments {
    @Argument(help: "The group's name.")
    var group: String
}

extension GroupCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Make a group.",
            discussion: """
                  countersign group add engineering --summary "Who builds it"
                """)

        @Argument(help: "1 to 64 letters, digits, and - _ . : @ or /. It stays as it is.")
        var group: String

        @Option(help: "What people are told of the group.")
        var summary: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(AddGroup(group: group, summary: summary))
            try output.show(answer) { ["Added the group \(answer.group.name.printable)."] }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List groups, or find them by the beginning of their name or summary.",
            discussion: """
                They are ordered by name. Those whose name begins with the text in the same case come first.

                  countersign group list
                  countersign group list eng
                  countersign group list --user anna@example.com
                """)

        @Argument(help: "What the name or the summary begins with.")
        var text: String?

        @Option(help: ArgumentHelp("Only the groups of this user.", valueName: "id-or-email"))
        var user: String?

        @OptionGroup var page: PageOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListGroups(
                    text: text, user: user, limit: page.limit, after: page.after, before: page.before))
            try output.show(answer) {
                if answer.groups.isEmpty {
                    return ["There are no such groups\(answer.isPartial == true ? " here" : "")."]
                }
                var table = Table("GROUP", "SUMMARY", "CREATED")
                for group in answer.groups { table.add(group.name, group.summary, group.createdAt.text) }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a group with its members, ordered by id.",
            discussion: """
                  countersign group show engineering
                """)

        @OptionGroup var argument: GroupArgument
        @OptionGroup var page: PageOptions
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ShowGroup(group: argument.group, limit: page.limit, after: page.after, before: page.before))
            try output.show(answer) {
                var about = Table()
                about.add("group", answer.group.name)
                about.add("summary", answer.group.summary)
                about.add("created", answer.group.createdAt.text)
                if answer.requiresSecondFactor == true { about.add("second factor", "required of its members") }
                guard !answer.members.isEmpty else { return about.lines + ["", "No members."] }
                var members = Table("ID", "EMAIL", "NAME")
                for user in answer.members { members.add(user.id, user.email, user.displayName) }
                return about.lines + [""] + members.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }

    struct SetSummary: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change what people are told of a group.",
            discussion: """
                  countersign group set engineering --summary "Who builds and runs it"
                """)

        @OptionGroup var argument: GroupArgument

        @Option(help: "What people are told of the group; an empty text clears.")
        var summary: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ChangeGroup(group: argument.group, summary: summary))
            try output.show(answer) { ["Changed the group \(answer.group.name.printable)."] }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a group. Its members stay users.",
            discussion: """
                  countersign group remove engineering
                """)

        @OptionGroup var argument: GroupArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RemoveGroup(group: argument.group))
            try output.show(answer) { ["Removed the group \(answer.group.printable)."] }
        }
    }

    struct AddMember: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add-member",
            abstract: "Put a user into a group.",
            discussion: """
                  countersign group add-member engineering anna@example.com
                """)

        @OptionGroup var argument: GroupArgument
        @OptionGroup var member: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(AddGroupMember(group: argument.group, user: member.user))
            try output.show(answer) {
                let name = answer.user.shortName.printable
                return ["\(name) is \(answer.isChanged ? "now" : "already") in \(argument.group.printable)."]
            }
        }
    }

    struct RemoveMember: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-member",
            abstract: "Take a user out of a group.",
            discussion: """
                Where the settings require a second factor of the user because of this group alone, it asks first.

                  countersign group remove-member engineering anna@example.com
                """)

        @Flag(help: "Do not ask, also where no second factor is required of the user any more.")
        var yes = false

        @OptionGroup var argument: GroupArgument
        @OptionGroup var member: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await realm.withAdministration { administration in
                var removal = RemoveGroupMember(group: argument.group, user: member.user)
                if !yes { removal.expectingLift = try await judged(removal, by: administration) }
                let answer = try await administration.perform(removal)
                try output.show(answer) {
                    let name = answer.user.shortName.printable
                    guard answer.isChanged else { return ["\(name) was not in \(argument.group.printable)."] }
                    return ["\(name) is in \(argument.group.printable) no more."]
                        + (answer.liftsSecondFactor == true
                            ? ["No setting requires a second factor of the user now."] : [])
                }
            }
        }

        /// Whether it lifts the requirement of a second factor, which is asked about first.
        private func judged(_ removal: RemoveGroupMember, by administration: any Administration) async throws -> Bool? {
            let found = try await administration.perform(removal.rehearsal)
            guard found.liftsSecondFactor == true else { return found.liftsSecondFactor }
            let why =
                "A second factor is required of \(found.user.shortName.printable) because of this group alone, and would not be any more."
            guard Terminal.canAsk else {
                throw CommandFailure(.usage, "\(why) Without a terminal, confirm with --yes.")
            }
            guard Terminal.confirms("\(why) Take the user out of it?") else {
                throw CommandFailure(.refused, "Nothing was changed.")
            }
            return true
        }
    }
}
