import Logging
import ServiceLifecycle

/// A service that says its own name: ``description`` is what the log calls it.
protocol NamedService: Service, CustomStringConvertible {}

/// All that runs beside the HTTP server, as one service for it.
///
/// The library asks each service that it is handed for its name as text, and Swift's runtime goes through all conformances of the
/// program for each type to learn how; here the names are known. They begin when the server listens, so that their reads, writes and
/// connections are not in the way of its first answer. The order holds: the server ends first, then these, the last of them first. Where
/// one ends or fails, so does the whole.
struct ServicesBeside: NamedService {
    private let group: ServiceGroup
    private let beginning: AsyncStream<Void>?

    var description: String { "Services" }

    /// - Parameters:
    ///   - services: in the order in which they begin.
    ///   - beginning: what ends when they may begin; nil: at once.
    init(_ services: [any NamedService], after beginning: AsyncStream<Void>? = nil, logger: Logger) {
        self.beginning = beginning
        group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map {
                    ServiceGroupConfiguration.ServiceConfiguration(service: $0, serviceName: $0.description)
                }, logger: logger))
    }

    func run() async throws {
        if let beginning {
            // A signal that comes before the server listens ends the waiting, too.
            await cancelWhenGracefulShutdown { for await _ in beginning {} }
            try Task.checkCancellation()
            if Task.isShuttingDownGracefully { return }
        }
        try await group.run()
    }
}
