import ArgumentParser

/// The realm's settings.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show and change the realm's settings.",
        discussion: """
            These are kept in the database and hold for all servers within seconds, without a restart. What one server \
            needs to start (address, TLS, data directory) is for `countersign serve`.
            """,
        subcommands: [Show.self, Set.self])
}
