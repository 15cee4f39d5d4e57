import AdminServer
import ArgumentParser

extension KeyCommand {
    struct Retire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retire",
            abstract: "Take a signing key out of use at once, as one that may be in other hands.",
            discussion: """
                No token that the key signed counts any more, on each server within five seconds: applications have to refresh \
                theirs. Where the key signs, a new one of its algorithm takes its place. For a change without a cause, \
                `countersign key rotate` is better.

                  countersign key retire 4fJ2kQ9xLm3a4fJ2
                """)

        @Argument(help: "The key's id, from the list.")
        var id: String

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let answer = try await realm.perform(RetireKey(id: id), activity: "Making a new key")
            try output.show(answer) { KeyCommand.describe([answer.retired] + (answer.successor.map { [$0] } ?? [])) }
        }
    }
}
