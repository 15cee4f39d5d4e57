import AdminServer
import ArgumentParser

extension ClientCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List clients.",
            discussion: """
                  countersign client list --app com.example.bank --status LOST
                """)

        @OptionGroup var page: PageOptions

        @Option(help: ArgumentHelp("Only those of this application.", valueName: "id"))
        var app: String?

        @Option(help: ArgumentHelp("Only those where this user logged in last.", valueName: "id"))
        var user: String?

        @Option(help: "Only ACTIVE, LOST, STOLEN, EXPIRED or DISABLED ones.")
        var status: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListClients(
                    limit: page.limit, after: page.after, before: page.before, application: app, user: user,
                    status: status))
            try output.show(answer) {
                if answer.clients.isEmpty {
                    return ["There are no such clients\(answer.next == nil ? "" : " so far")."]
                }
                var table = Table("CLIENT", "APPLICATION", "VERSION", "STATUS", "USER", "LAST SEEN")
                for client in answer.clients {
                    table.add(
                        client.client, client.application, client.version, client.status, client.user,
                        client.seenAt.text)
                }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }
}
