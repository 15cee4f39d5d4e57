import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServerHTTP
import ServiceLifecycle

/// `GET /metrics` on a separate address, for every client that can connect to it.
struct MetricsService: NamedService {
    let address: ListenAddress
    let route: MetricsRoute
    let deadlines: ConnectionDeadlines
    let logsAccess: Bool
    let logger: Logger

    /// A collector or two, and an administrator.
    private static let maximumConnections = 16

    /// What the log calls it.
    var description: String { "Metrics" }

    func run() async throws {
        let router = Router(context: CountersignRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestLogMiddleware(logsAccess: logsAccess))
        router.add(middleware: SecurityHeadersMiddleware())
        router.add(middleware: FailureMiddleware())
        let methods = PathMethods()
        router.add(middleware: RequestTargetMiddleware(methods))
        route.add(to: router, isForEverybody: true)
        methods.tell(router.routes)
        let connections = ServerConnections(
            deadlines: deadlines, maximum: Self.maximumConnections, maximumPerSource: Self.maximumConnections,
            logger: logger)
        let application = Application(
            responder: HeadResponder(router.buildResponder()),
            server: HTTPServerBuilder { PlainChannel(connections, responder: $0) },
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: connections.acceptance),
            onServerRunning: { [address, logger] channel in
                let port = channel.localAddress?.port ?? address.port
                logger.notice("metrics at http://\(ListenAddress(host: address.host, port: port))/metrics")
            },
            logger: logger)
        do {
            try await application.run()
        } catch let error as IOError {
            throw MetricsAddressError(address: address, underlying: error)
        }
    }
}

/// The address of the metrics cannot be listened on.
public struct MetricsAddressError: Error, CustomStringConvertible {
    let address: ListenAddress
    let underlying: IOError

    public var description: String {
        "The server cannot listen on \(address) for metrics (\(underlying)). Choose another with metrics.listen."
    }
}
