import AdminServer
import ArgumentParser

extension UserCommand {
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Remove a user with factors and sessions.",
            discussion:
                "This cannot be undone. The audit log keeps its entries about the user. `disable` keeps the account.")

        @Flag(help: "Do not ask.")
        var yes = false

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            if !yes && !Terminal.canAsk {
                throw CommandFailure(.usage, "Deletion cannot be undone. Without a terminal, confirm with --yes.")
            }
            try await realm.withAdministration { administration in
                if !yes {
                    // Shows the user it is about, or that there is none.
                    let found = try await administration.perform(ShowUser(user: argument.user)).user
                    let question = "Delete \(found.shortName.printable) (\(found.id)) with everything?"
                    guard Terminal.confirms(question) else { throw CommandFailure(.refused, "Nothing was deleted.") }
                }
                let answer = try await administration.perform(DeleteUser(user: argument.user))
                try output.show(answer) { ["Deleted \(answer.user.shortName.printable)."] }
            }
        }
    }
}
