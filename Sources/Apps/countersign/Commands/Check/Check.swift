import ArgumentParser

/// The security checks of a server.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "List the security checks of a server.",
        discussion: """
            A security check protects scopes of applications. Checks are in the server's program; an application's versions say which \
            scopes ask for them, and set some of their properties. A client that a check blocks is lifted by client unblock.
            """,
        subcommands: [List.self])
}
