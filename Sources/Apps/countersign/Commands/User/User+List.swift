import AdminServer
import ArgumentParser

extension UserCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List users, ordered by id.",
            discussion: """
                  countersign user list --limit 1000 --json
                """)

        @OptionGroup var page: PageOptions

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ListUsers(limit: page.limit, after: page.after, before: page.before))
            try output.show(answer) {
                if answer.users.isEmpty {
                    return ["There are no users\(page.after == nil && page.before == nil ? "" : " there")."]
                }
                var table = Table("ID", "EMAIL", "VERIFIED", "DISABLED", "NAME", "CREATED")
                for user in answer.users {
                    table.add(
                        user.id, user.email, user.emailVerified.yesOrNo, user.isDisabled.yesOrNo, user.displayName,
                        user.createdAt.text)
                }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }
}
