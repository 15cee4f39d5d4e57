import AdminServer
import ArgumentParser
import CountersignCore

extension UserCommand {
    struct Applications: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "applications",
            abstract: "List the applications that a user has allowed something.",
            discussion: """
                Also those that have nothing of a session now, and those that have something of a session and never had to ask.

                  countersign user applications anna@example.com
                """)

        @OptionGroup var argument: UserArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ListUserApplications(user: argument.user))
            try output.show(answer) {
                guard !answer.applications.isEmpty else { return ["No applications."] }
                var table = Table("ID", "NAME", "ALLOWED", "MAY", "SINCE", "LAST USED")
                for application in answer.applications {
                    table.add(
                        application.id, application.displayName, application.isAllowed.yesOrNo,
                        (application.scopes + application.resources).joined(separator: " "), application.since.text,
                        application.lastUsedAt?.text)
                }
                return table.lines
            }
        }
    }

    struct RevokeApplication: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke-application",
            abstract: "Take back what a user has allowed an application.",
            discussion: """
                The application's refresh tokens are refused from now on, and it asks the user anew. The user's sessions go on.

                  countersign user revoke-application anna@example.com shop
                """)

        @OptionGroup var argument: UserArgument

        @Argument(help: "The application's id, from `countersign user applications`.")
        var application: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                RevokeUserApplication(user: argument.user, application: application))
            try output.show(answer) {
                ["\(application.printable) has nothing of \(answer.user.shortName.printable) any more."]
            }
        }
    }
}
