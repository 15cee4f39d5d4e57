import ArgumentParser

/// The audit log.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Read the log of events about accounts, keys and settings.",
        subcommands: [Tail.self, Search.self, Show.self, Verify.self, Accept.self])
}
