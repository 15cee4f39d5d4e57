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
            where there is no complete answer within three seconds.

            A server of this machine that ends TLS itself has to show the certificate that tls.certificate names.

              countersign health
              countersign health --config /etc/countersign/countersign.yaml
              countersign health --server https://login.example.com
            """)

    @Option(
        help: ArgumentHelp(
            "The server (default: the one of this machine, as its configuration says where and how it listens).",
            valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "The configuration of the server of this machine (default: $COUNTERSIGN_CONFIG, or "
                + "\(AdministeredData.systemFile) if it can be read).", valueName: "file"))
    var config: String?

    @OptionGroup var output: OutputOptions

    /// Seconds until the whole answer must have come, the connection included. A server looks at its store for two of them; health checks of
    /// containers wait five or six, the start of this program among them.
    private static let patience: TimeInterval = 3
    private static let path = "/health/ready"

    /// What `/health/ready` says.
    struct Answer: Codable {
        var status: String
        var reasons: [String]?
        var warnings: [String]?
    }

    func validate() throws {
        if server != nil, config != nil {
            throw ValidationError("--config is for the server of this machine: leave out --server.")
        }
    }

    func run() async throws {
        let (base, status, body) = try await ask()
        guard let answer = try? JSONDecoder().decode(Answer.self, from: body) else {
            throw CommandFailure(
                .unreachable,
                "\(base) answers with status \(status), but not as Countersign does. Is the address right?")
        }
        try output.show(answer) {
            [answer.status.printable] + ((answer.reasons ?? []) + (answer.warnings ?? [])).map(\.printable)
        }
        // What is wrong stands above.
        if status != 200 { throw ExitCode(ExitStatus.refused.rawValue) }
    }

    private func ask() async throws -> (base: String, status: Int, body: Data) {
        var base = server
        if base == nil {
            let local = try await LocalServer.load(file: config)
            base = local.url
            if local.certificate != nil {
                do {
                    let answer = try await local.get(Self.path, seconds: Int(Self.patience))
                    return (local.url, answer.status, answer.body)
                } catch let error as LocalServerError {
                    throw CommandFailure(.unreachable, "\(local.url): \(error.description)")
                }
            }
        }
        guard let base, let url = URL(string: (base.hasSuffix("/") ? String(base.dropLast()) : base) + Self.path),
            url.host?.isEmpty == false, url.query == nil
        else {
            throw CommandFailure(
                .usage, "\"\(base ?? "")\" is no URL of a server. Write one such as https://login.example.com.")
        }
        do {
            let response = try await HTTPClient(timeout: Self.patience, maximumResponseBytes: 65_536).get(url)
            return (base, response.status, response.body)
        } catch let error as HTTPClientError where error.isUnreachable || error.isTimedOut {
            // An untrusted certificate and a server that does not run have different remedies.
            let cause = error.underlying.map { " (\($0.localizedDescription))" } ?? ""
            let reason = error.isTimedOut ? "\(base): \(error.description)" : "\(base) cannot be reached\(cause)."
            let other = server == nil ? " Another server is named with --server, or --config." : ""
            throw CommandFailure(.unreachable, reason + other)
        }
    }
}
