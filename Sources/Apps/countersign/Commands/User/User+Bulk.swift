import AdminServer
import ArgumentParser

extension UserCommand {
    struct Bulk: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "bulk",
            abstract: "Do the same to many users.",
            discussion: """
                What is refused for one user is done for the others; the exit code is then 1. So it is where the time was over (20 seconds) \
                before all were tried: those are named.

                  countersign user bulk disable anna@example.com ben@example.com
                  countersign user bulk add-to-group --group staff anna@example.com ben@example.com
                """)

        @Option(help: ArgumentHelp("The group of add-to-group and remove-from-group.", valueName: "name"))
        var group: String?

        @Flag(help: "Do not ask before deleting.")
        var yes = false

        @Argument(
            help:
                "end-sessions, reset-password, disable, enable, reset-mfa, add-to-group, remove-from-group or delete."
        )
        var action: String

        @Argument(help: ArgumentHelp("Ids or e-mail addresses; at most 500.", valueName: "id-or-email"))
        var users: [String]

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            if action == ChangeUsers.Action.delete.rawValue, !yes {
                guard Terminal.canAsk else {
                    throw CommandFailure(.usage, "Deletion cannot be undone. Without a terminal, confirm with --yes.")
                }
                guard Terminal.confirms("Delete \(users.count) users with everything?") else {
                    throw CommandFailure(.refused, "Nothing was deleted.")
                }
            }
            let answer = try await realm.perform(ChangeUsers(action: action, users: users, group: group))
            try output.show(answer) {
                ["Done for \(answer.done)."] + answer.refused.map { "\($0.user.printable): \($0.reason.printable)" }
                    + (answer.left ?? []).map { "\($0.printable): not tried, the time was over." }
            }
            if !answer.refused.isEmpty || answer.left != nil { throw ExitCode(1) }
        }
    }
}
