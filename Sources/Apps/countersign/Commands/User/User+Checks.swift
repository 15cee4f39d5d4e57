import AdminServer
import ArgumentParser
import CountersignCore

extension UserCommand {
    struct Checks: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "checks",
            abstract: "List a user's clients of security checks, and the open checks.",
            discussion: """
                A client is an installation of an application that registered itself. Those are listed where the user logged in last, and \
                those with a check in success for the user. A check that blocks a client is lifted by client unblock.

                  countersign user checks anna@example.com
                """)

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ListClientChecks(user: argument.user))
            try output.show(answer) {
                guard !answer.clients.isEmpty else { return ["No clients."] }
                var table = Table("CLIENT", "APPLICATION", "STATUS", "CHECK", "STATE", "UNTIL")
                for found in answer.clients {
                    let client = found.client
                    func add(_ check: CheckSummary?) {
                        table.add(
                            client.client, client.application, client.status, check?.check, check?.state,
                            check?.until.text)
                    }
                    if found.checks.isEmpty { add(nil) }
                    for check in found.checks { add(check) }
                }
                return table.lines
            }
            if !answer.isWhole, !output.json { Terminal.say("There are more.") }
        }
    }
}
