import AdminServer
import ArgumentParser

extension ExtensionCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List extensions, in the order in which they were added.")

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ListExtensions())
            try output.show(answer) {
                if answer.extensions.isEmpty { return ["There are no extensions."] }
                var table = Table("ID", "EVENT", "APPLICATIONS", "URL", "NAME")
                for summary in answer.extensions {
                    table.add(
                        summary.id, summary.event,
                        summary.applications.isEmpty ? "all" : summary.applications.joined(separator: " "),
                        summary.targetURL, summary.displayName)
                }
                return table.lines
            }
        }
    }
}
