import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServerHTTP
import ServiceLifecycle
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An HTTP server with what runs beside it, as Hummingbird's `Application` is one, for a ``ServerResponder``, which connections call without
/// generic code between (``ServerResponder/answering(logger:)``).
struct ServerApplication: ApplicationProtocol, NamedService {
    let responder: ServerResponder
    let server: HTTPServerBuilder
    let configuration: ApplicationConfiguration
    /// Each ends after the server.
    let beside: [ServicesBeside]
    let logger: Logger
    /// Called when the server accepts connections.
    let onRunning: @Sendable (any Channel) async -> Void

    /// What the log calls it.
    var description: String { "Countersign" }

    var services: [any Service] { beside }

    @Sendable func onServerRunning(_ channel: any Channel) async { await onRunning(channel) }

    /// Serves until the services are shut down, or one of them fails.
    func run() async throws {
        let server = try server.buildServer(
            configuration: HummingbirdCore.ServerConfiguration(
                address: configuration.address, serverName: configuration.serverName, backlog: configuration.backlog,
                reuseAddress: configuration.reuseAddress,
                availableConnectionsDelegate: configuration.availableConnectionsDelegate),
            eventLoopGroup: eventLoopGroup, logger: logger, responder: responder.answering(logger: logger),
            onServerRunning: onRunning)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: beside.map {
                    ServiceGroupConfiguration.ServiceConfiguration(service: $0, serviceName: $0.description)
                } + [ServiceGroupConfiguration.ServiceConfiguration(service: server, serviceName: "HTTP server")],
                logger: logger))
        try await group.run()
    }

    /// What runs the application under its name.
    ///
    /// The library would ask the application's text for one, which is what is in all of its parts: Swift's runtime searched the
    /// program's conformances a hundred times for their types.
    /// - Parameter signals: what ends it.
    func group(endingAt signals: [UnixSignal] = []) -> ServiceGroup {
        let application = ServiceGroupConfiguration.ServiceConfiguration(service: self, serviceName: description)
        return ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [application], gracefulShutdownSignals: signals, logger: logger))
    }

    /// What ends a server, after the requests under way: SIGTERM, SIGINT, and SIGHUP where it asks for nothing else. Left alone,
    /// SIGHUP would end the program in the middle of its requests.
    /// - Parameters:
    ///   - readsCertificate: SIGHUP has the certificate read again.
    ///   - ignoresHangups: what started the program has it live on, as nohup does.
    static func endings(readsCertificate: Bool, ignoresHangups: Bool) -> [UnixSignal] {
        readsCertificate || ignoresHangups ? [.sigterm, .sigint] : [.sigterm, .sigint, .sighup]
    }

    /// Has SIGHUP change nothing from now on. Not where a certificate is read at it: what is ignored is not listened for.
    static func ignoreHangups() { signal(SIGHUP, SIG_IGN) }

    /// Whether SIGHUP is ignored, before anything here listens for it.
    static var ignoresHangups: Bool {
        let before = signal(SIGHUP, SIG_IGN)
        signal(SIGHUP, before)
        return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
