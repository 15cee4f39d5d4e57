import AdminServer
import ArgumentParser

extension AppCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List applications, or find them by the beginning of their id or name.",
            discussion: """
                They are ordered by id. Those that are found by their id come before those that are found by their name.

                  countersign app list
                  countersign app list shop
                """)

        @Argument(help: "What the id or the name begins with.")
        var text: String?

        @Option(
            help: ArgumentHelp(
                "Only those whose former secret ends within so many days, the soonest first.", valueName: "days"))
        var endingSecrets: Int?

        @OptionGroup var page: PageOptions

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard endingSecrets != nil else { return }
            if text != nil { throw ValidationError("--ending-secrets lists all of them: leave out the text.") }
            guard page.after != nil || page.before != nil else { return }
            throw ValidationError("--ending-secrets has no pages: it lists the first \(ListEndingSecrets.most).")
        }

        func run() async throws {
            if let endingSecrets { return try await showEnding(days: endingSecrets) }
            let answer = try await realm.perform(
                ListApplications(text: text, limit: page.limit, after: page.after, before: page.before))
            try output.show(answer) {
                if answer.applications.isEmpty {
                    if text == nil { return ["There are no applications."] }
                    return ["There are no such applications\(answer.isPartial == true ? " here" : "")."]
                }
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

        private func showEnding(days: Int) async throws {
            let answer = try await realm.perform(ListEndingSecrets(days: days))
            try output.show(answer) {
                if answer.applications.isEmpty { return ["No former secret ends within \(days) days."] }
                var table = Table("ID", "NAME", "FORMER SECRET ENDS")
                for application in answer.applications {
                    table.add(application.id, application.displayName, application.formerSecretUntil?.text)
                }
                return table.lines
            }
        }
    }
}
