import AdminServer
import ArgumentParser

extension ConfigCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show settings with their values and allowed values.",
            discussion: """
                  countersign config show
                  countersign config show passwords
                """)

        @Argument(help: "A setting, or a prefix of several.")
        var key: String?

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await ConfigCommand.perform(key) { try await realm.perform(ShowSettings(key: key)) }
            try output.show(answer) {
                if answer.settings.isEmpty { return ["Nothing is set below \(key ?? "it")."] }
                var table = Table("KEY", "VALUE", "DEFAULT", "TAKES", "MEANING")
                for setting in answer.settings {
                    let value = setting.value.text
                    table.add(
                        setting.key, value.contains("\n") ? "(set)" : value,
                        setting.value == setting.defaultValue ? nil : setting.defaultValue.text, setting.accepts,
                        setting.summary)
                }
                return table.lines
            }
        }
    }
}
