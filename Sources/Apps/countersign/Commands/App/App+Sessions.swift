import AdminServer
import ArgumentParser

extension AppCommand {
    struct Sessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sessions",
            abstract: "List who is signed in to an application.",
            discussion: """
                The newest first, by what the application got of sessions that go on. One ends by `countersign user end-session USER \
                SESSION --app ID`.

                  countersign app sessions shop
                """)

        @OptionGroup var argument: ApplicationArgument

        @Option(help: "Sessions to list at most: 1 to 200.")
        var limit = 50

        @OptionGroup var places: PlaceOptions

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListApplicationSessions(
                    id: argument.id, limit: limit, after: places.after, before: places.before))
            try output.show(answer) {
                var table = Table("USER", "SESSION", "PROVEN WITH", "SINCE", "FROM", "SCOPES")
                for found in answer.sessions {
                    let grant = found.session.grants.first
                    table.add(
                        found.user.shortName, found.session.id, found.session.proofs.joined(separator: " "),
                        (grant?.createdAt ?? found.session.createdAt).text, found.session.address,
                        grant?.scopes.joined(separator: " "))
                }
                return answer.sessions.isEmpty ? ["Nothing is signed in to it."] : table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }
}
