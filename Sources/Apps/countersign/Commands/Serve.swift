import ArgumentParser
import CountersignServer
import Foundation
import Logging
import NIOCore
import ServerHTTP

/// Runs the server until a signal stops it.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server.",
        discussion: """
            The first start makes the data directory with everything in it: the database, the master key, the signing \
            keys, an administrator's token (admin-token) and a first application (api-key).

            When it is ready the server prints `listening on http://HOST:PORT` on standard output; it logs to standard \
            error. SIGTERM and SIGINT end it after the requests under way.

            The first start also decides what the data is for. Data that was first served with --dev is served with --dev \
            alone, and other data never is.

            Each option can also be a variable of the environment (COUNTERSIGN_LISTEN) or stand in the file that \
            --config names; an option counts more than a variable, and that more than the file.

            With --check nothing is started: everything that a start would meet is judged at once, from the configuration to the mail \
            server, and nothing is changed on disk. It ends with 1 where the server would not start, or not work.

            Where systemd hands on a listening socket (sd_listen_fds(3)), the server accepts from that, and its address takes \
            the place of --listen.

              countersign serve --dev
              countersign serve --check --config /etc/countersign/countersign.yaml
              countersign serve --data /var/lib/countersign --listen 0.0.0.0:8443 \\
                --tls-certificate fullchain.pem --tls-key key.pem \\
                --public-url https://login.example.com
            """)

    @Option(
        help: ArgumentHelp(
            "Read the configuration from a YAML or JSON file (default: $COUNTERSIGN_CONFIG).", valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The data directory (default: ./countersign-data; with --dev ./countersign-dev-data).",
            valueName: "dir"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "Store shared data in PostgreSQL: postgres://… Better put its password into $PGPASSWORD or ~/.pgpass.",
            valueName: "url"))
    var database: String?

    @Option(
        help: ArgumentHelp(
            "Where to listen (default: 127.0.0.1:8080). Port 0 picks a free one.", valueName: "host:port"))
    var listen: String?

    @Flag(
        inversion: .prefixedNo,
        help:
            "For laptops and CI: plain http, an inbox for all mail, an adjustable clock, the Firebase emulator's behaviour."
    )
    var dev: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Let other machines reach a server under --dev: every client can then sign in as any user.")
    var devOnNetwork: Bool?

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp("Where clients reach the server; the first is the base of links.", valueName: "url"))
    var publicURLs: [String] = []

    @Option(name: .customLong("project-id"), help: ArgumentHelp("The Firebase project.", valueName: "id"))
    var projectID: String?

    @Option(help: ArgumentHelp("The server's certificate and its chain, in PEM.", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("The certificate's private key, in PEM.", valueName: "file"))
    var tlsKey: String?

    @Flag(inversion: .prefixedNo, help: "A proxy ends TLS and names the client in the header of --proxy-header.")
    var tlsEndedByProxy: Bool?

    @Option(
        help: ArgumentHelp(
            "The header with the client's address: x-forwarded-for or forwarded (default: x-forwarded-for).",
            valueName: "name"))
    var proxyHeader: String?

    @Option(
        help: ArgumentHelp(
            "The proxy's addresses or networks; other peers cannot set the header (default: every peer).",
            valueName: "address"))
    var proxyTrusted: [String] = []

    @Option(
        help: ArgumentHelp(
            "A separate address for /metrics, open to every client that can connect.", valueName: "host:port"))
    var metricsListen: String?

    @Option(
        help: ArgumentHelp("The master key, if it is not in the data directory.", valueName: "file"))
    var masterKeyFile: String?

    @Option(help: ArgumentHelp("An open descriptor that the master key is read from.", valueName: "number"))
    var masterKeyDescriptor: String?

    @Option(
        help: ArgumentHelp(
            "trace, debug, info, notice, warning, error or critical (default: info).", valueName: "level"))
    var logLevel: String?

    @Option(
        help: ArgumentHelp("text, or json: one object a line (default: text).", valueName: "format"))
    var logFormat: String?

    @Flag(inversion: .prefixedNo, help: "Log each request in a line at info.")
    var logAccess: Bool?

    @Option(
        name: .customLong("tracing-url"),
        help: ArgumentHelp("A collector of OpenTelemetry that gets spans, by OTLP over HTTP in JSON.", valueName: "url")
    )
    var tracingURL: String?

    @Flag(help: "Judge everything that a start would meet, and start nothing.")
    var check = false

    @Flag(help: "With --check: print JSON for programs.")
    var json = false

    func validate() throws {
        if json, !check { throw ValidationError("--json is for --check.") }
    }

    func run() async throws {
        let handedOn = Result { () throws(SystemdSocketError) in try SystemdSocket.take() }
        if check { return try await judge(handedOn) }
        try await Self.start(flags, config, try handedOn.get())
    }

    /// The server of words that the parser is not needed for.
    static func start(_ words: ServeWords) async throws {
        try await start(words.flags, words.file, try SystemdSocket.take())
    }

    private static func start(
        _ flags: [ConfigurationKey: String], _ file: String?, _ socket: SystemdSocket?
    ) async throws {
        let configuration = try await ServerConfiguration.load(flags: flags, file: file, socket: socket)
        LoggingSystem.bootstrap {
            ServerLog(label: $0, format: configuration.logFormat, level: configuration.logLevel)
        }
        let logger = Logger(label: "countersign")
        for warning in configuration.warnings { logger.warning("\(warning)") }

        OpenFiles.allowAll()
        ResidentMemory.boundArenas()
        var options = CountersignServer.Options(configuration)
        options.serviceManager = SystemdNotifier()
        let beginning = CountersignServer.Beginning(options)
        beginning.prepare()
        // PostgreSQL may be away, and is waited for.
        EndWhileStarting.begin()
        let opened = try await OpenedRealm.open(configuration)
        EndWhileStarting.end()
        let server = CountersignServer(opened, options: options, logger: logger, beginning: beginning)
        let (listening, announce) = AsyncStream<Void>.makeStream()
        // Ends with the server, where it has not come to it.
        async let _ = ResidentMemory.giveBackBeginning(after: listening)
        async let _ = ResidentMemory.giveBackAfterLoads()
        do {
            try await server.run { address in
                Terminal.print("listening on \(address)")
                ResidentMemory.giveBackStart()
                announce.finish()
                if configuration.isDevelopment, Terminal.showsProgress { Self.greet(address, opened.directory) }
            }
        } catch let error as IOError {
            throw CommandFailure(.refused, error.sentence(about: configuration.listen))
        }
        try await opened.close()
    }

    /// All findings, and exit code 1 where one is a fault.
    private func judge(_ handedOn: Result<SystemdSocket?, SystemdSocketError>) async throws {
        let findings = await ServerCheck.findings(flags: flags, file: config, handedOn: handedOn)
        if json {
            Terminal.print(
                try OutputOptions.text(of: CheckReport(isReady: findings.areFine, findings: findings), pretty: true))
        } else {
            let columns = Terminal.columns
            for finding in findings {
                let text = "\(Self.mark(finding.state)) \(finding.text.printable)"
                for line in FoldedText.lines(of: text, indent: 6, columns: columns) { Terminal.print(line) }
                if let remedy = finding.remedy { Terminal.print("      -> \(remedy.printable)") }
            }
            let count = { (state: CheckFinding.State) in findings.count { $0.state == state } }
            Terminal.print("\(count(.ok)) in order, \(count(.warning)) to be known, \(count(.fault)) to be mended.")
        }
        if !findings.areFine { throw ExitCode(ExitStatus.refused.rawValue) }
    }

    private struct CheckReport: Encodable {
        let isReady: Bool
        let findings: [CheckFinding]
    }

    private static func mark(_ state: CheckFinding.State) -> String {
        switch state {
        case .ok: "ok   "
        case .warning: "note "
        case .fault: "FAULT"
        }
    }

    /// The options that were given.
    var flags: [ConfigurationKey: String] {
        var flags: [ConfigurationKey: String] = [:]
        flags[.data] = data
        flags[.database] = database
        flags[.listen] = listen
        flags[.dev] = dev.map { String($0) }
        flags[.devOnNetwork] = devOnNetwork.map { String($0) }
        flags[.publicURL] = publicURLs.isEmpty ? nil : publicURLs.joined(separator: ",")
        flags[.projectID] = projectID
        flags[.tlsCertificate] = tlsCertificate
        flags[.tlsKey] = tlsKey
        flags[.tlsEndedByProxy] = tlsEndedByProxy.map { String($0) }
        flags[.proxyHeader] = proxyHeader
        flags[.proxyTrusted] = proxyTrusted.isEmpty ? nil : proxyTrusted.joined(separator: ",")
        flags[.metricsListen] = metricsListen
        flags[.masterKeyFile] = masterKeyFile
        flags[.masterKeyDescriptor] = masterKeyDescriptor
        flags[.logLevel] = logLevel
        flags[.logFormat] = logFormat
        flags[.logAccess] = logAccess.map { String($0) }
        flags[.tracingURL] = tracingURL
        return flags
    }

    /// Next steps, for a user who has just started it.
    private static func greet(_ address: String, _ directory: DataDirectory) {
        Terminal.say(
            """

            The inbox for all mail: \(address)/dev/inbox
            The administrator's token: \(directory.adminTokenPath)
            A first account:

              curl '\(address)/v1/accounts:signUp?key=dev-app' -H 'Content-Type: application/json' \\
                -d '{"email":"anna@example.com","password":"correct horse battery"}'

            """)
    }
}

extension IOError {
    /// Why the server could not listen.
    fileprivate func sentence(about address: ListenAddress) -> String {
        switch errnoCode {
        case EADDRINUSE:
            "\(address) is taken by another program. Choose another with --listen, for instance "
                + "--listen \(ListenAddress(host: address.host, port: 0)) for any free port."
        case EACCES:
            "This user may not listen on \(address). Choose a port above 1023 with --listen."
        case EADDRNOTAVAIL:
            "\(address.host) is not an address of this machine. Choose another with --listen."
        default: "The server cannot listen on \(address): \(String(cString: strerror(errnoCode)))."
        }
    }
}
