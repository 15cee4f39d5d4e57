import AdminServer
import ArgumentParser

/// Clients of security checks.
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Show, disable, unblock and remove clients of security checks.",
        discussion: """
            A client is one installation of an application on one device, which registered itself. Name it as the list \
            does, or by the id of introspection. Every command works on the data directory, also while a server runs \
            on it, or with --server through a remote server.
            """,
        subcommands: [List.self, Checks.self, Show.self, Disable.self, Enable.self, Unblock.self, Remove.self])

    /// A client as lines of its own.
    static func describe(_ client: ClientSummary) -> Table {
        var table = Table()
        table.add("client", client.client)
        table.add("application", client.application)
        table.add("version", client.version.map { "\(client.clientPlatform) \($0)" } ?? client.clientPlatform)
        table.add("device", "\(client.platform), \(client.hardware)")
        table.add("called", client.deviceName)
        table.add("status", client.status)
        table.add("user", client.user)
        table.add("registered", client.createdAt.text)
        table.add("last seen", client.seenAt.text)
        return table
    }
}
