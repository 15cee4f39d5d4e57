import AdminServer
import ArgumentParser

extension AppCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List applications, ordered by id.")

        @OptionGroup var page: PageOptions

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                ListApplications(limit: page.limit, after: page.after, before: page.before))
            try output.show(answer) {
                if answer.applications.isEmpty { return ["There are no applications."] }
                var table = Table("ID", "NAME", "SECRET", "MFA", "REVEALS ADDRESSES", "CREATED", "LAST USED")
                for application in answer.applications {
                    table.add(
                        application.id, application.displayName, application.isConfidential.yesOrNo,
                        application.requiresSecondFactor.yesOrNo, application.revealsAddresses.yesOrNo,
                        application.createdAt.text, application.lastUsedAt?.text)
                }
                return table.lines
            }
            PlaceOptions.say(previous: answer.previous, next: answer.next, output)
        }
    }
}
