import AdminServer
import ArgumentParser
import CountersignCore

extension ClientCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a client and the state of its checks.")

        @OptionGroup var argument: ClientArgument
        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(ShowClient(client: argument.client))
            try output.show(answer) {
                var table = ClientCommand.describe(answer.client)
                for (name, value) in answer.publicAttributes.sorted(by: { $0.key < $1.key }) {
                    table.add("attribute \(name)", value.text)
                }
                for check in answer.checks ?? [] {
                    table.add("check \(check.check)", "\(check.state) until \(check.until.text)")
                }
                for name in answer.protectedAttributes { table.add("attribute \(name)", "(protected)") }
                return table.lines
            }
        }
    }
}
