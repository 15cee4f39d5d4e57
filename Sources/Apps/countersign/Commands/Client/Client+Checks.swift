import AdminServer
import ArgumentParser

extension ClientCommand {
    struct Checks: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "checks",
            abstract: "List the open checks of all clients.",
            discussion: """
                A check is open while it is in success, while it is being tried, and while it blocks a client after wrong answers. \
                client unblock lifts a block; user checks lists what is open for one user.

                  countersign client checks --app com.example.bank --state blocked
                """)

        @OptionGroup var page: PageOptions

        @Option(help: ArgumentHelp("Only those of clients of this application.", valueName: "id"))
        var app: String?

        @Option(help: ArgumentHelp("Only the check of this name.", valueName: "name"))
        var check: String?

        @Option(help: ArgumentHelp("Only those in this state: success, attempting, blocked.", valueName: "state"))
        var state: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListOpenChecks(
                    limit: page.limit, after: page.after, before: page.before, application: app, check: check,
                    state: state))
            try output.show(answer) {
                if answer.checks.isEmpty { return ["No check is open\(answer.next == nil ? "" : " so far")."] }
                var table = Table("CHECK", "STATE", "UNTIL", "APPLICATION", "USER", "CLIENT")
                for open in answer.checks {
                    table.add(
                        open.check.check, open.check.state, open.check.until.text, open.client.application,
                        open.client.user, open.client.client)
                }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }
}
