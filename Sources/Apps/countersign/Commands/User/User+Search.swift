import AdminServer
import ArgumentParser

extension UserCommand {
    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "search",
            abstract: "Find users by the beginning of their address, name or id.",
            discussion: """
                Without a text all users are listed, the newest first.

                  countersign user search ada
                  countersign user search --filter disabled
                """)

        @Argument(help: "What the address, the name or the id begins with.")
        var text: String?

        @Option(
            help:
                "Only users who are so: disabled, no-second-factor, unverified or never-signed-in; or of a role: owner, operator, support or auditor."
        )
        var filter: String?

        @Option(help: "The order of a list without a text: created, address, name or id.")
        var sort: String?

        @OptionGroup var places: PlaceOptions

        @Option(help: "How many at most: 1 to 1000.")
        var limit = 50

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                SearchUsers(
                    text: text, filter: filter, sort: sort, after: places.after, before: places.before, limit: limit))
            try output.show(answer) {
                if answer.users.isEmpty { return ["There are no such users\(answer.isPartial ? " here" : "")."] }
                var table = Table("ID", "EMAIL", "VERIFIED", "DISABLED", "NAME", "CREATED", "LAST SIGN-IN")
                for user in answer.users {
                    table.add(
                        user.id, user.email, user.emailVerified.yesOrNo, user.isDisabled.yesOrNo, user.displayName,
                        user.createdAt.text, user.lastSignInAt?.text)
                }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }
}
