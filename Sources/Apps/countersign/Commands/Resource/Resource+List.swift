import AdminServer
import ArgumentParser

extension ResourceCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the APIs, by identifier.")

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ListResources())
            try output.show(answer) {
                if answer.resources.isEmpty { return ["There are no APIs."] }
                var table = Table("IDENTIFIER", "SCOPES", "OWNER", "NAME", "ASSURANCE")
                for resource in answer.resources {
                    table.add(
                        resource.uri, resource.scopes.map(\.name).joined(separator: " "), resource.owner,
                        resource.name, resource.assurance)
                }
                return table.lines
            }
        }
    }
}
