import ArgumentParser
import CountersignServer

extension DbCommand {
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check the whole database for damage.",
            discussion: "Exit code 1 if there is any. The command also tests the master key.")

        @OptionGroup var realm: RealmOptions
        @OptionGroup var output: OutputOptions

        private struct Answer: Encodable {
            let faults: [String]
        }

        func run() async throws {
            let faults = try await Progress.showing("Reading") {
                try await realm.withOpenedRealm { try await $0.check() }
            }
            try output.show(Answer(faults: faults)) { faults.isEmpty ? ["The database is sound."] : faults }
            if !faults.isEmpty { throw CommandFailure(.refused, "The database is damaged. Restore it from a backup.") }
        }
    }
}
