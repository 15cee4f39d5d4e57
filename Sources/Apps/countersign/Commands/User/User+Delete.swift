import AdminServer
import ArgumentParser

extension UserCommand {
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Remove a user with factors and sessions.",
            discussion:
                "This cannot be undone once it is done. The audit log keeps its entries about the user. `disable` keeps the account."
        )

        @Flag(help: "Do not ask.")
        var yes = false

        @Option(
            help: ArgumentHelp(
                "Days until it is removed; until then it is disabled, and `enable` keeps it.", valueName: "days"))
        var grace: Int?

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let days = grace ?? 0
            if !yes && !Terminal.canAsk {
                let why = days > 0 ? "The user is disabled until then." : "Deletion cannot be undone."
                throw CommandFailure(.usage, "\(why) Without a terminal, confirm with --yes.")
            }
            try await realm.withAdministration { administration in
                if !yes {
                    // Shows the user it is about, or that there is none.
                    let found = try await administration.perform(ShowUser(user: argument.user)).user
                    let name = "\(found.shortName.printable) (\(found.id))"
                    let question = "Delete \(name) with everything\(days > 0 ? " in \(days) days" : "")?"
                    guard Terminal.confirms(question) else { throw CommandFailure(.refused, "Nothing was deleted.") }
                }
                let answer = try await administration.perform(DeleteUser(user: argument.user, graceDays: grace))
                try output.show(answer) {
                    let name = answer.user.shortName.printable
                    return [
                        days > 0 ? "\(name) is disabled, and removed in \(days) days." : "Deleted \(name)."
                    ]
                }
            }
        }
    }
}
