import ArgumentParser
import ClientHTTP
import CountersignServer
import Foundation

/// Whether a server takes requests, for containers and load balancers, which can run a program.
struct Health: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Ask a server whether it is ready to take requests.",
        discussion: """
            It asks for /health/ready. The exit code is 0 where the server is ready, 1 where it is not, with the reasons, and 3 \
            where there is no answer within five seconds.

              countersign health
              countersign health --server https://login.example.com
            """)

    @Option(
        help: ArgumentHelp(
            "The server (default: this machine by plain http, at the port of $COUNTERSIGN_LISTEN or 8080).",
            valueName: "url"))
    var server: String?

    @OptionGroup var output: OutputOptions

    /// Seconds until an answer must have come.
    private static let patience: TimeInterval = 5

    /// What `/health/ready` says.
    struct Answer: Codable {
        var status: String
        var reasons: [String]?
        var warnings: [String]?
    }

    func run() async throws {
        let base = server ?? Self.here(ProcessInfo.processInfo.environment)
        guard let url = URL(string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/health/ready"),
            url.host?.isEmpty == false, url.query == nil
        else {
            throw CommandFailure(
                .usage, "\"\(base)\" is no URL of a server. Write one such as https://login.example.com.")
        }
        let response = try await HTTPClient(timeout: Self.patience, maximumResponseBytes: 65_536).get(url)
        guard let answer = try? JSONDecoder().decode(Answer.self, from: response.body) else {
            throw CommandFailure(
                .unreachable,
                "\(base) answers with status \(response.status), but not as Countersign does. Is the address right?")
        }
        try output.show(answer) {
            [answer.status.printable] + ((answer.reasons ?? []) + (answer.warnings ?? [])).map(\.printable)
        }
        // What is wrong stands above.
        if response.status != 200 { throw ExitCode(ExitStatus.refused.rawValue) }
    }

    /// The server of this environment: a container has one.
    static func here(_ environment: [String: String]) -> String {
        let listen = environment[ConfigurationKey.listen.environmentName].flatMap { ListenAddress($0) }
        guard let listen else { return "http://127.0.0.1:8080" }
        return "http://\(listen.isWildcard ? "127.0.0.1:\(listen.port)" : listen.description)"
    }
}
