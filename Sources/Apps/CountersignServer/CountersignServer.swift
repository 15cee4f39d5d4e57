import CountersignCore
import Delivery
import Foundation
import GuardianServer
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import OAuthServer
import SecurityChecks
import SecurityChecksServer
import ServerHTTP
import ServiceLifecycle
import Synchronization
import Traces
import UnixSignals
import WebPages

/// The composition root: one realm, all dialects, one HTTP server.
public struct CountersignServer: Sendable {
    /// The realm that all dialects of this server share. The caller that opened it closes it after
    /// ``run(onListening:)``.
    public let opened: OpenedRealm
    let options: Options
    let publicURL: PublicURL
    /// Nil where the server does not end TLS itself.
    let certificate: ServedCertificate?
    let connections: ServerConnections
    let logger: Logger
    let startedAt: Date
    let deliveries = DeliveryStatistics()
    let hooks: HookDelivery
    let requests = RequestMetrics(kind: RequestKinds.kind(of:))
    /// What this server adds to the figures of the last day, once a minute.
    package let measured: MeasuredFigures
    /// What every client gets alike; nil where each request is logged, which the short way does not do.
    let ready: ReadyAnswers?
    let watch: StoreWatch
    let site: MadeOnce<PageSite>
    /// What puts mails into words: the sender's, and that of those who look at mails.
    let composer: MadeOnce<MailComposer>
    /// The checks that protect scopes: the developer's own, or the samples.
    let checks: MadeOnce<SecurityCheckCatalogue>

    /// How the server is reached and what it is called.
    public struct Options: Sendable {
        /// The name or address that the server listens on.
        public var host: String
        /// 0 picks a free one.
        public var port: Int
        /// Whether routes for development are served: the inbox, the clock, what emulators accept. They are served only
        /// where the realm was opened for development too.
        public var isDevelopment: Bool
        /// Where clients reach the server; the first is the base of links and issuers. Empty: where it listens.
        public var publicURLs: [String]
        /// The project of Firebase clients: the audience of their ID tokens, and the part after `/projects/` in paths.
        public var projectID: String
        /// Paths of PEM files; nil serves plain HTTP.
        public var tls: (certificate: String, key: String)?
        /// A trusted proxy ends TLS and names the client.
        public var tlsEndedByProxy: Bool
        /// How that proxy is known, and what it says.
        public var proxy = ProxyOptions()
        /// How many connections there may be, and for how long.
        public var connections = ConnectionOptions()
        /// A separate address for metrics, open to every client that can connect; nil: beside everything else, to
        /// administrators and this machine.
        public var metricsListen: ListenAddress?
        /// Apple's push service; another for tests.
        public var apns = APNsEndpoint()
        /// How mails are sent.
        public var mail = MailConfiguration()
        /// Where spans go; nil keeps them in the queue of the realm's tracer, where there is one.
        public var traces: SpanExporter.Destination?
        /// Whether each request is a line of the log at `info`.
        public var logsAccess = false
        /// How pages look and what they call the service.
        public var pages = PageConfiguration()
        /// What the store remembers of how this server was started; nil where it does not.
        public var deployment: Deployment?

        /// Who is told that the server is ready and runs; nil where no service manager started it.
        public var serviceManager: SystemdNotifier?

        /// What is accepted from, where a service manager listens; nil: the server listens itself, on `host` and `port`.
        public var socket: SystemdSocket?

        /// Security checks of the developer's own; under `--dev` the samples, where there are none.
        public var securityChecks = SecurityCheckCatalogue.empty
        /// Routes of the developer's own, in this process: what the checks protect; nil: none. With them, all routes are put together by the
        /// start, because theirs may be anywhere.
        public var resources: (@Sendable (ServerRoutes, SecurityChecks) throws -> Void)?

        /// The defaults serve plain HTTP on loopback, port 8080, and are not for development.
        public init(
            host: String = "127.0.0.1", port: Int = 8080, isDevelopment: Bool = false, publicURLs: [String] = [],
            projectID: String = "countersign", tls: (certificate: String, key: String)? = nil,
            tlsEndedByProxy: Bool = false
        ) {
            self.host = host
            self.port = port
            self.isDevelopment = isDevelopment
            self.publicURLs = publicURLs
            self.projectID = projectID
            self.tls = tls
            self.tlsEndedByProxy = tlsEndedByProxy
        }
    }

    /// What a server needs of its options alone, so that it can be made while the realm is opened.
    public struct Beginning: Sendable {
        fileprivate let publicURL: PublicURL
        /// What all pages share: the router's, and that of the senders.
        fileprivate let site: MadeOnce<PageSite>

        /// - Parameter options: those that the server is made with.
        public init(_ options: Options) {
            let publicURL = PublicURL(
                configured: options.publicURLs, options.scheme, host: options.host, port: options.port)
            self.publicURL = publicURL
            site = MadeOnce { try CountersignServer.site(options, publicURL) }
        }

        /// Begins to make it on another thread. What is wrong with it is told where it is asked for.
        public func prepare() {
            Task.detached { [site] in _ = try? site.get() }
        }
    }

    /// Connects the realm with all dialects. Nothing listens before ``run(onListening:)``.
    /// - Parameter beginning: what was begun for these options; nil begins it here.
    public init(_ opened: OpenedRealm, options: Options, logger: Logger, beginning: Beginning? = nil) {
        self.opened = opened
        startedAt = opened.realm.clock.now
        let given = options
        var options = options
        // A realm that was not opened for development is not served as one, whatever the options say.
        options.isDevelopment = options.isDevelopment && opened.kind == .development
        self.options = options
        self.logger = logger
        measured = MeasuredFigures(deliveries: deliveries, durations: requests.durations)
        watch = StoreWatch(realm: opened.realm)
        hooks = HookDelivery(realm: opened.realm, note: HookService.note(in: logger))
        certificate = options.tls.map { ServedCertificate(certificate: $0.certificate, key: $0.key) }
        connections = ServerConnections(options, logger: logger)
        let begun = options.isDevelopment == given.isDevelopment ? beginning : nil
        let beginning = begun ?? Beginning(options)
        (publicURL, site) = (beginning.publicURL, beginning.site)
        ready =
            logger.logLevel > (options.logsAccess ? .info : .debug)
            ? ReadyAnswers([HealthRoutes.live, WellKnownRoutes.keys(of: opened.realm)], metrics: requests) : nil
        opened.extensionCaller.tell(publicURL: { [publicURL] in publicURL.value })
        opened.realm.site.tell(name: options.pages.name) { [publicURL] in publicURL.published }
        composer = MadeOnce { [templates = options.mail.templates] in try MailComposer(templates: templates) }
        checks = MadeOnce { [own = options.securityChecks, showsSamples = options.showsSampleChecks] in
            if showsSamples { return try SampleChecks.catalogue() }
            return own
        }
        // Mails can be looked at before there is a mail server, as a developer does who words them.
        opened.realm.mailPreviews.provide(ShownMails(composer: composer))
        opened.realm.provided.provide(SecurityCheckCatalogue.self) { [checks] in try? checks.get() }
    }

    // MARK: What routes and senders share

    private static func site(_ options: Options, _ publicURL: PublicURL) throws -> PageSite {
        try PageSite(
            name: options.pages.name,
            cookies: BrowserCookies(isSecure: options.tls != nil || options.tlsEndedByProxy),
            addresses: PageAddresses(
                published: { publicURL.published },
                takesLoopback: options.isDevelopment
                    || options.publicURLs.isEmpty && ["127.0.0.1", "::1", "localhost"].contains(options.host)),
            theme: options.pages.theme)
    }

    /// The senders of messages. The caller shuts them down.
    func senders() throws -> [any MessageSender] {
        var senders: [any MessageSender] = [
            APNsSender(realm: opened.realm, endpoint: options.apns, logger: logger, compose: guardian.pushPayload)
        ]
        var mail: SMTPSender?
        if let server = options.mail.smtp, let sender = options.mail.from {
            mail = try SMTPSender(
                server: server, from: sender, composer: try composer.get(), clock: opened.realm.clock, logger: logger,
                publicURL: { [publicURL] in publicURL.value })
        }
        if let mail { senders.append(mail) }
        senders.append(OTPSender(realm: opened.realm, mail: mail))
        let oauth = oauth(try site.get())
        senders.append(
            LogoutSender(http: opened.outbound) { message in
                try await oauth.logoutNotice(message).map {
                    LogoutSender.Call(url: $0.uri, logoutToken: $0.token, isStrangers: $0.isStrangers)
                }
            })
        guard let tracer = opened.tracer else { return senders }
        return senders.map { TracedSender(base: $0, tracer: tracer) }
    }

    // MARK: Running

    /// How many connections may wait to be accepted, in a burst; the system's own limit holds where it is lower.
    private static let backlog = 4096

    /// The warnings about registrations that are weaker than new ones.
    func registrationWarnings() async throws -> [String] {
        let ids = try await opened.realm.applications.withoutAudiences()
        guard !ids.isEmpty else { return [] }
        return [
            "These applications get access tokens for any audience, as none was ever set: "
                + ids.map(\.rawValue).joined(separator: ", ")
                + ". Set what they need with `countersign app set ID --audience URI`, or --audience '' for none."
        ]
    }

    private func passkeyWarnings() async throws -> [String] {
        try await opened.realm.passkeyWarning().map { [$0] } ?? []
    }

    /// The warnings about addresses that only some of the protocols can work below.
    var addressWarnings: [String] {
        options.publicURLs.dropFirst().filter {
            URLComponents(string: $0).map { !["", "/"].contains($0.path) } ?? false
        }.map {
            "\($0) has a path: pages and OpenID Connect do not work below one, only the other protocols do, behind a proxy "
                + "that removes it. Give the server a host name of its own."
        }
    }

    /// The HTTP server with all that runs beside it.
    /// - Parameter onListening: called with the address, for instance `http://127.0.0.1:8080`, when the server accepts
    ///   requests.
    public func application(
        onListening: @escaping @Sendable (String) async -> Void
    ) throws -> some ApplicationProtocol {
        try application(on: nil, onListening: onListening)
    }

    /// - Parameter handedOn: what accepts in the server's place; nil: the server does.
    func application(
        on handedOn: SystemdSocketChannel?, onListening: @escaping @Sendable (String) async -> Void
    ) throws -> ServerApplication {
        let builder: HTTPServerBuilder =
            if let certificate {
                certificate.builder(connections, ready: ready)
            } else {
                HTTPServerBuilder { [connections, ready] in PlainChannel(connections, ready: ready, responder: $0) }
            }
        let (publicURL, options, noteAddress, serviceManager) = (
            publicURL, options, noteAddress, options.serviceManager
        )
        let (beginning, begin) = AsyncStream<Void>.makeStream()
        let acceptance = connections.acceptance
        var services: [any NamedService] = [
            MaintenanceService(realm: opened.realm, logger: logger),
            MasterKeyService(opened: opened, logger: logger),
            StoreWatchService(watch: watch, logger: logger),
            DeliveryService(realm: opened.realm, statistics: deliveries, logger: logger, makeSenders: senders),
            HookService(delivery: hooks),
            FiguresService(realm: opened.realm, measured: measured, logger: logger),
            AdminTokenService(opened: opened, logger: logger),
            DeviceWatchService(watch: DeviceWatch(realm: opened.realm)),
        ]
        for notice in opened.notices { logger.notice("\(notice)") }
        if let certificate {
            services.append(CertificateService(certificate: certificate, clock: opened.realm.clock, logger: logger))
        }
        if let tracer = opened.tracer, let destination = options.traces {
            // The first, so that it is the last to end.
            services.insert(TraceExportService(tracer.queue, to: destination, logger: logger), at: 0)
        }
        if let serviceManager { services.append(WatchdogService(notifier: serviceManager)) }
        var groups = [ServicesBeside(services, after: beginning, logger: logger)]
        if let address = options.metricsListen {
            // An address that is taken ends the start.
            let service = MetricsService(
                address: address, route: metrics, deadlines: options.connections.deadlines,
                logsAccess: options.logsAccess, logger: logger)
            groups.append(ServicesBeside([service], logger: logger))
        }
        logger.notice(
            "connection limit: \(connections.maximum), \(connections.maximumPerSource) from one source"
        )
        return ServerApplication(
            responder: try responder(),
            server: builder,
            configuration: ApplicationConfiguration(
                address: handedOn?.unusedAddress ?? .hostname(options.host, port: options.port), backlog: Self.backlog,
                availableConnectionsDelegate: handedOn == nil ? acceptance : nil),
            beside: groups, logger: logger,
            onRunning: { [logger] channel in
                do {
                    try await handedOn?.lead(to: channel, within: acceptance)
                } catch {
                    logger.error("the service manager's socket cannot be accepted from: \(error)")
                    begin.finish()
                    return channel.close(promise: nil)
                }
                let port = channel.localAddress?.port ?? options.port
                publicURL.listens(on: port)
                await noteAddress()
                let address = PublicURL.address(options.scheme, host: options.host, port: port)
                await onListening(address)
                serviceManager?.ready(at: address)
                begin.finish()
            })
    }

    /// Begins to accept where a service manager listens; nil where the server does. The caller ends it.
    func openSocket() async throws -> SystemdSocketChannel? {
        guard let socket = options.socket else { return nil }
        logger.notice("accepting from the service manager's socket on \(socket.address)")
        return try await SystemdSocketChannel.open(socket, backlog: Self.backlog)
    }

    /// Tells commands what the links that they print begin with.
    private var noteAddress: @Sendable () async -> Void {
        {
            [
                realm = opened.realm, publicURL, isConfigured = !options.publicURLs.isEmpty,
                deployment = options.deployment, logger
            ] in
            do {
                try await realm.note(PublicAddress(url: publicURL.value, isConfigured: isConfigured), deployment)
            } catch {
                logger.debug("what this server was started with could not be stored: \(error)")
            }
        }
    }

    /// Serves until SIGTERM, SIGINT or, where no certificate is served and no service manager listens, SIGHUP; requests under
    /// way are finished first.
    public func run(onListening: @escaping @Sendable (String) async -> Void) async throws {
        let (listening, announce) = AsyncStream<Void>.makeStream()
        let handedOn = try await openSocket()
        defer { handedOn?.end() }
        let application = try application(on: handedOn) { address in
            await onListening(address)
            announce.yield()
            announce.finish()
        }
        async let warned: Void = warn(after: listening)
        // A service manager's reload is this signal: where there is no certificate to read anew, the server goes on.
        if certificate == nil, options.serviceManager != nil { ServerApplication.ignoreHangups() }
        let endings = ServerApplication.endings(
            readsCertificate: certificate != nil, ignoresHangups: ServerApplication.ignoresHangups)
        try await application.group(endingAt: endings).run()
        // A server that was told to end before it listened has announced nothing.
        announce.finish()
        await warned
    }

    /// Logs what is weaker than it could be, once the server listens.
    /// - Parameter listening: says so once, or ends without.
    private func warn(after listening: AsyncStream<Void>) async {
        var isListening = false
        for await _ in listening { isListening = true }
        guard isListening, !Task.isCancelled else { return }
        do {
            for warning in try await registrationWarnings() + addressWarnings + passkeyWarnings() {
                logger.warning("\(warning)")
            }
        } catch {
            logger.debug("what there is to warn of could not be read: \(error)")
        }
    }
}

extension CountersignServer.Options {
    var scheme: String { tls == nil ? "http" : "https" }

    /// Whether the samples of security checks are served: under `--dev`, where the developer has no checks.
    var showsSampleChecks: Bool { isDevelopment && securityChecks.names.isEmpty }
}

/// The address that links are made below: the configured one, or where the server turns out to listen.
final class PublicURL: Sendable {
    /// The configured addresses, and last where it turns out to listen.
    private let known: Mutex<[String]>
    private let configured: [String]
    private let scheme: String
    private let host: String

    init(configured: [String], _ scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        let configured = configured.map { String($0.reversed().drop { $0 == "/" }.reversed()) }
        self.configured = configured
        known = Mutex(configured + [Self.address(scheme, host: host, port: port)])
    }

    var value: String { all[0] }

    /// The configured addresses, or where there are none the one that it listens on.
    var published: [String] { configured.isEmpty ? all : configured }

    /// All addresses that clients may know, the address of links first.
    var all: [String] { known.withLock { $0 } }

    /// The same, and where it listens by both names of this machine: a laptop's browser may know either.
    var ofDevelopment: [String] {
        let all = all
        let others = all.flatMap { url in
            [("//127.0.0.1:", "//localhost:"), ("//localhost:", "//127.0.0.1:")].map { url.replacing($0.0, with: $0.1) }
        }
        return all + others.filter { !all.contains($0) }
    }

    func listens(on port: Int) {
        known.withLock { $0 = configured + [Self.address(scheme, host: reachableHost, port: port)] }
    }

    /// Where clients on this machine find it: an address that means every interface is none to connect to.
    private var reachableHost: String { ["0.0.0.0", "::"].contains(host) ? "localhost" : host }

    static func address(_ scheme: String, host: String, port: Int) -> String {
        "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

/// Removes what has expired, once a minute.
struct MaintenanceService: NamedService {
    let realm: Realm
    let logger: Logger

    /// What the log calls it.
    var description: String { "Maintenance" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var told = Told()
            // A cancelled sleep is the shutting down, and no error.
            while (try? await Task.sleep(for: .seconds(60))) != nil {
                do {
                    let removed = try await realm.maintenance.run()
                    if removed > 0 { logger.debug("removed expired rows", metadata: ["rows": "\(removed)"]) }
                    try await tellOfSeals(&told)
                } catch is CancellationError {
                    return
                } catch {
                    logger.warning("maintenance failed: \(error)")
                }
            }
        }
        do {
            try await realm.applicationUses.flush()
            try await realm.administratorToken.flushUse()
        } catch {
            logger.debug(
                "when applications and the first token were last used could not be written: \(error)")
        }
    }

    /// What was said of the sealed log.
    private struct Told {
        var fault: AuditFault?
        /// When the newest seal was said last.
        var head: Date?
    }

    /// Says what of the sealed log does not hold, once, and every hour its newest seal: a log outside of the database tells later whether
    /// an attacker has cut off what was there.
    private func tellOfSeals(_ told: inout Told) async throws {
        let fault = realm.auditSeals.lastFault
        if let fault, fault != told.fault {
            logger.error(
                "the sealed log does not hold; countersign audit verify says more",
                metadata: ["fault": "\(fault.kind.rawValue)", "seal": "\(fault.seal)"])
        }
        told.fault = fault
        let now = realm.clock.now
        guard told.head.map({ now.timeIntervalSince($0) >= 3600 }) ?? true else { return }
        let status = try await realm.auditSeals.status()
        guard let seal = status.seal, let digest = status.digest else { return }
        told.head = now
        logger.info("the newest seal of the log", metadata: ["seal": "\(seal):\(digest)"])
    }
}
