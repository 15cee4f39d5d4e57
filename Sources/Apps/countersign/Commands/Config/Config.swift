import ArgumentParser

/// The realm's settings.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show and change the realm's settings; write a configuration file.",
        discussion: """
            Settings are stored in the database and apply to all servers within seconds, without a restart. Options that \
            one server needs to start (address, TLS, data directory) belong to `countersign serve`.
            """,
        subcommands: [Show.self, Set.self, Init.self])
}
