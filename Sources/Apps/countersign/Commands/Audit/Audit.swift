import ArgumentParser

/// The audit log.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Read what happened to accounts, keys and settings.", subcommands: [Tail.self])
}
