import AdminServer
import ArgumentParser
import CountersignCore

extension UserCommand {
    struct Language: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "language",
            abstract: "Set or clear the language of a user.",
            discussion: """
                Pages and mails are in it where they have it (en, de, ja), and applications are told of it.

                  countersign user language anna@example.com de
                  countersign user language anna@example.com none
                """)

        @OptionGroup var argument: UserArgument

        @Argument(help: "A language tag, or none.")
        var language: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(
                SetUserLocale(user: argument.user, locale: language == "none" ? nil : language))
            try output.show(answer) {
                let name = answer.user.shortName.printable
                return [
                    answer.user.locale.map { "The language of \(name) is \($0.printable)." }
                        ?? "\(name) has no language."
                ]
            }
        }
    }
}
