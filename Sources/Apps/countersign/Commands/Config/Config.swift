import AdminServer
import ArgumentParser
import CountersignServer

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

extension ConfigCommand {
    /// Runs what is about a setting. A key of a server's configuration is no setting, and is told where it belongs.
    static func perform<Answer>(_ key: String?, _ body: () async throws -> Answer) async throws -> Answer {
        do {
            return try await body()
        } catch let error as AdministrationError {
            guard error.code == .invalid, let known = key.flatMap(ConfigurationKey.init(rawValue:)) else { throw error }
            throw CommandFailure(
                .usage,
                "\(known.rawValue) is no setting of the realm, but of a server's configuration: write it into the file that "
                    + "`serve --config` names, or set \(known.environmentName). Then start the server anew.")
        }
    }
}
