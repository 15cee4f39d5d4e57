import ArgumentParser

extension DbCommand {
    struct Migrate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "migrate",
            abstract: "Migrate the schema to this program's version.",
            discussion: "A server does the same when it starts. A schema of a newer program is refused.")

        @OptionGroup var realm: RealmOptions

        func run() async throws {
            try await realm.withOpenedRealm { _ in }
            Terminal.print("The schema is up to date.")
        }
    }
}
